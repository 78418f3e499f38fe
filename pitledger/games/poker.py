"""Rank of a five-card poker hand, with or without the semi-wild joker.

The joker is an ace, or the card that completes a straight, a flush, a straight flush or a royal
flush; what ranks highest holds. Without it these are the usual ranks, ace high or, in the straight
5-4-3-2-A, low. Total also for cards that repeat, which a supervisor may let stand: five of a kind
ranks as four of a kind, and only with a joker as five aces. A foreign card matches nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from pitledger import cards as deck
from pitledger.games import hands
from pitledger.pb import rules_pb2 as pb

if TYPE_CHECKING:
    from pitledger.cards import Card
    from pitledger.pb.rules_pb2 import PokerCategory

ACE_HIGH = 14


@dataclass(frozen=True, slots=True)
class PokerHand:
    """`rank`: of the largest group (two pair: the higher), else of the highest card.

    2 to 14 (ace); 5 in the straight 5-4-3-2-A; 0 if all five cards are foreign.
    """

    category: "PokerCategory"
    rank: int
    joker: bool


def rank_hand(cards: Sequence["Card"]) -> PokerHand:
    """Rank five cards, a joker semi-wild."""
    a, b, c, d, e = cards
    tally = hands.TALLY
    suits = _SUITS
    return ranked(
        tally[a] + tally[b] + tally[c] + tally[d] + tally[e],
        suits[a] & suits[b] & suits[c] & suits[d] & suits[e] != 0,
    )


def rank_hand_without_joker(cards: Sequence["Card"]) -> PokerHand:
    """Rank five cards of a game whose deck has no joker: one that turns up is a foreign card."""
    if deck.JOKER in cards:
        cards = [deck.FOREIGN if card == deck.JOKER else card for card in cards]
    return rank_hand(cards)


@cache
def ranked(tally: int, one_suit: bool) -> PokerHand:
    """Rank five cards by their tally and whether all of them, jokers aside, are of one suit."""
    slots = hands.slots(tally)
    jokers = slots.count(hands.JOKER_SLOT)
    natural = [ACE_HIGH if s == hands.ACE_SLOT else s for s in slots
               if s not in (hands.JOKER_SLOT, hands.FOREIGN_SLOT)]
    complete = len(natural) + jokers == hands.HAND_SIZE
    straight = _straight_top(natural, jokers) if complete else 0
    flush = one_suit and complete
    as_aces = natural + [ACE_HIGH] * jokers

    best = _by_groups(as_aces, jokers)
    if straight:
        best = max(best, (pb.POKER_CATEGORY_STRAIGHT, straight))
    if flush:
        best = max(best, (pb.POKER_CATEGORY_FLUSH, max(as_aces)))
    if straight and flush:
        top = pb.POKER_CATEGORY_ROYAL_FLUSH if straight == ACE_HIGH else (
            pb.POKER_CATEGORY_STRAIGHT_FLUSH)
        best = max(best, (top, straight))
    category, rank = best
    return PokerHand(category, rank, jokers > 0)


def _by_groups(ranks: list[int], jokers: int) -> tuple["PokerCategory", int]:
    """Rank by cards of the same rank alone; all jokers count as aces."""
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    shape = [count for count, _ in groups]
    top = groups[0][1] if groups else 0
    match shape:
        case [5] if jokers:
            return pb.POKER_CATEGORY_FIVE_ACES, top
        case [5] | [4, *_]:
            return pb.POKER_CATEGORY_FOUR_OF_A_KIND, top
        case [3, 2]:
            return pb.POKER_CATEGORY_FULL_HOUSE, top
        case [3, *_]:
            return pb.POKER_CATEGORY_THREE_OF_A_KIND, top
        case [2, 2, *_]:
            return pb.POKER_CATEGORY_TWO_PAIR, top
        case [2, *_]:
            return pb.POKER_CATEGORY_PAIR, top
        case _:
            return pb.POKER_CATEGORY_HIGH_CARD, top


def _straight_top(natural: list[int], jokers: int) -> int:
    """Highest card of the best straight that jokers complete; 0: none."""
    present = set(natural)
    for top in range(ACE_HIGH, 4, -1):
        run = set(range(top - 4, top + 1))
        if 1 in run:
            run = run - {1} | {ACE_HIGH}
        if present <= run and len(run - present) == jokers:
            return top
    return 0


# Bits of the suits that a card can have: a joker all, a foreign card none.
_SUITS = tuple(
    0 if card in (deck.NO_CARD, deck.FOREIGN)
    else 15 if card == deck.JOKER
    else 1 << (card - 1) // 13
    for card in range(deck.FOREIGN + 1)
)
