"""Hands by definition, checked against the texts and the exact counts of all hands."""

import random
from collections import Counter
from itertools import combinations_with_replacement
from math import comb

import numpy as np
import pytest

from pitledger.audit.hands import (
    best_count,
    hand_qualifies,
    high_total,
    house_way,
    poker,
    shown_count,
    three_qualify,
)
from pitledger.games.poker import rank_hand
from pitledger.pb import rules_pb2 as rules
from pitledger.sources.submissions import load_submission
from tests.unit.audit.desk import cards

POINTS = (1, 10, (3, 6, 9))


def test_the_example_in_680a_11_b_1_shows_ten():
    assert three_qualify(cards("Jk 5s 6d"), POINTS)
    assert shown_count(cards("8c 2h"), POINTS) == 10
    assert best_count(cards("Jk 8c 6d 5s 2h"), POINTS) == 10


@pytest.mark.parametrize(
    ("hand", "category"),
    [
        ("As Ks Qs Js Ts", rules.POKER_CATEGORY_ROYAL_FLUSH),
        ("As 2s 3s 4s 5s", rules.POKER_CATEGORY_STRAIGHT_FLUSH),
        ("Qs Ks As 2s 3s", rules.POKER_CATEGORY_FLUSH),
        ("Qs Kd As 2s 3s", rules.POKER_CATEGORY_HIGH_CARD),
        ("9s 9d 9h 9c 3s", rules.POKER_CATEGORY_FOUR_OF_A_KIND),
        ("9s 9d 9h 3c 3s", rules.POKER_CATEGORY_FULL_HOUSE),
        ("9s 9d 9h 3c 2s", rules.POKER_CATEGORY_THREE_OF_A_KIND),
        ("9s 9d 4h 4c 2s", rules.POKER_CATEGORY_TWO_PAIR),
        ("Ts Jd Qh Kc As", rules.POKER_CATEGORY_STRAIGHT),
        ("Jk As Ad Ah Ac", rules.POKER_CATEGORY_FIVE_ACES),
        ("Jk Ks Qs Js Ts", rules.POKER_CATEGORY_ROYAL_FLUSH),
        ("Jk 9s Qs Js Ts", rules.POKER_CATEGORY_STRAIGHT_FLUSH),
        ("Jk 9s Qs 2s Ts", rules.POKER_CATEGORY_FLUSH),
        ("Jk 9s Qd Js Ts", rules.POKER_CATEGORY_STRAIGHT),
        ("Jk 9s 9d 9h 2s", rules.POKER_CATEGORY_THREE_OF_A_KIND),
        ("Jk 9s 9d As 2s", rules.POKER_CATEGORY_TWO_PAIR),
        ("Jk 9s 7d Ks 2h", rules.POKER_CATEGORY_HIGH_CARD),
    ],
)
def test_a_poker_hand_is_what_its_definition_says(hand, category):
    assert poker(cards(hand))[0] == category


def test_pairs_have_their_rank_and_aces_are_high():
    assert poker(cards("6s 6d Ah Kc 2s")) == (rules.POKER_CATEGORY_PAIR, 6)
    assert poker(cards("As Ad 9h Kc 2s")) == (rules.POKER_CATEGORY_PAIR, 14)
    assert poker(cards("Jk Ad 9h Kc 3s")) == (rules.POKER_CATEGORY_PAIR, 14)


def test_poker_categories_agree_with_the_fast_evaluator():
    dice = random.Random(5)
    for _ in range(4000):
        hand = tuple(dice.sample(range(1, 54), 5))
        if dice.random() < 0.2 and 53 not in hand:
            hand = (53, *hand[:4])
        assert poker(tuple(sorted(hand)))[0] == rank_hand(hand).category, hand


def test_saigon_pairs_of_hands_are_as_many_as_the_exact_table_says():
    supply = {1: 4, **dict.fromkeys(range(2, 10), 4), 10: 16, 53: 1}
    hands = _hands(supply)
    shown = [(hand_qualifies(hand, POINTS), best_count(hand, POINTS)) for hand in hands]
    table = _pairs(hands, shown, supply, _ante)
    assert table == {
        "neither": 481_649_866_016,
        "only player": 955_981_947_808,
        "only player, 5": 102_871_588_944,
        "only dealer": 1_058_853_536_752,
        "higher": 960_898_397_416,
        "higher, 5": 80_662_143_648,
        "lower": 1_041_560_541_064,
        "equal": 231_295_082_592,
    }


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("default", (373_135_426_272, 202_432_911_248, 1_000_387_878_612, 372_174_511_016)),
        ("high-first", (469_654_595_844, 92_832_855_120, 744_496_098_420, 630_142_191_788)),
    ],
)
def test_hi_lo_pairs_of_hands_are_as_many_as_the_exact_table_says(name, counts):
    terms = load_submission(name, "five_card_hi_lo").message.five_card_hi_lo
    supply = {1: 4, **dict.fromkeys(range(2, 10), 4), 10: 16}
    hands = _hands(supply)
    shown = [house_way(hand, terms) for hand in hands]
    table = _pairs(hands, shown, supply, _high_and_low)
    assert tuple(table[key] for key in ((1, 1), (1, 0), (1, -1), (0, 1))) == counts
    assert table[1, 1] == table[-1, -1]


def test_a_high_hand_over_the_cap_is_busted_and_one_ace_is_eleven_where_it_fits():
    terms = load_submission("default", "five_card_hi_lo").message.five_card_hi_lo
    assert high_total(cards("Ks Qd 2h"), terms) == -1
    assert high_total(cards("Ks As Ah"), terms) == 12
    assert high_total(cards("4s As 6h"), terms) == 21


def _ante(player, dealer):
    if not dealer[0]:
        if not player[0]:
            return "neither"
        return "only player, 5" if player[1] == 5 else "only player"
    if not player[0]:
        return "only dealer"
    if player[1] == dealer[1]:
        return "equal"
    if player[1] < dealer[1]:
        return "lower"
    return "higher, 5" if player[1] == 5 else "higher"


def _high_and_low(mine, other):
    return _sign(mine[0], other[0]), _sign(mine[1], other[1])


def _sign(mine, other):
    return (mine > other) - (mine < other)


def _hands(supply):
    """One hand for each way to take five cards by value; tens stand for all faces."""
    return [
        hand
        for hand in combinations_with_replacement(sorted(supply), 5)
        if all(count <= supply[value] for value, count in Counter(hand).items())
    ]


def _pairs(hands, shown, supply, compare):
    """How many pairs of hands from one deck compare so, each physical card counted."""
    values = sorted(supply)
    taken = np.array([[hand.count(value) for value in values] for hand in hands])
    kinds = sorted(set(shown))
    kind_of = np.array([kinds.index(one) for one in shown])
    choose = np.array([[comb(n, k) for k in range(6)] for n in range(17)], dtype=np.int64)
    table: Counter = Counter()
    for index, mine in enumerate(taken):
        ways = 1
        for value, count in zip(values, mine, strict=True):
            ways *= comb(supply[value], int(count))
        others = np.ones(len(hands), dtype=np.int64)
        for column, value in enumerate(values):
            others *= choose[supply[value] - mine[column], taken[:, column]]
        sums = np.zeros(len(kinds), dtype=np.int64)
        np.add.at(sums, kind_of, others)
        for kind, count in enumerate(sums):
            table[compare(shown[index], kinds[kind])] += ways * int(count)
    return dict(table)
