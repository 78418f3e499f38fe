"""All pairs of two five-card hands from one deck, by classes of what a card counts.

Cards of one class (ace, 2 ... 9, ten-point card, joker) are interchangeable for splits, so a hand
is a multiset of classes. Given the player's multiset, the dealer has prod C(left_c, n_c) ways.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import comb

import numpy as np


def hands_of(counts: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Each hand as a number of cards of each class, with the number of real hands it stands for."""
    for picked in combinations_with_replacement(range(len(counts)), 5):
        hand = tuple(picked.count(c) for c in range(len(counts)))
        ways = 1
        for have, take in zip(counts, hand, strict=True):
            ways *= comb(have, take)
        if ways:
            yield hand, ways


def ways_by_player(
    counts: Sequence[int], hands: Sequence[tuple[int, ...]], results: Sequence[int], kinds: int
) -> Iterator[np.ndarray]:
    """For each player's hand: pairs of it by the dealer's result, a number below `kinds`; exact.

    The dealer's ways times the player's stay far below 2**63.
    """
    matrix = np.array(hands, dtype=np.int64)
    result = np.array(results)
    ways = np.array([[comb(n, k) for k in range(6)] for n in range(max(counts) + 1)],
                    dtype=np.int64)
    for hand in hands:
        mine = 1
        dealer = np.ones(len(hands), dtype=np.int64)
        for c, (have, take) in enumerate(zip(counts, hand, strict=True)):
            mine *= comb(have, take)
            dealer *= ways[have - take][matrix[:, c]]
        sums = np.zeros(kinds, dtype=np.int64)
        np.add.at(sums, result, dealer)
        yield sums * mine


def pairs_by_result(
    counts: Sequence[int], hands: Sequence[tuple[int, ...]], results: Sequence[int], kinds: int
) -> list[list[int]]:
    """Pairs by the player's result and the dealer's."""
    table = [[0] * kinds for _ in range(kinds)]
    for own, ways in zip(results, ways_by_player(counts, hands, results, kinds), strict=True):
        for other, count in enumerate(ways.tolist()):
            table[own][other] += count
    return table
