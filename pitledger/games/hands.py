"""Five cards as one number, and the order of cards that decides between equal splits.

What a hand is worth depends on how many cards of each rank it has, so a hand's *tally* is the sum
of its cards' tallies: three bits for each slot (0 a foreign card, 1 ace to 13 king, 14 joker).
Tallies of parts add up to the tally of the whole, and what is worth the same has the same tally:
the games cache what they work out by it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pitledger import cards as deck

if TYPE_CHECKING:
    from pitledger.cards import Card

HAND_SIZE = 5

FOREIGN_SLOT = 0
ACE_SLOT = 1
TEN_SLOT = 10
KING_SLOT = 13
JOKER_SLOT = 14
SLOTS = 15

_SLOT_BITS = 3
_SLOT_MASK = 7


def _slot(card: "Card") -> int:
    if card == deck.JOKER:
        return JOKER_SLOT
    return deck.rank(card) if 1 <= card <= KING_SLOT * 4 else FOREIGN_SLOT


_CARDS: Sequence["Card"] = tuple(range(deck.FOREIGN + 1))  # type: ignore[arg-type]

SLOT_TALLY: tuple[int, ...] = tuple(1 << _SLOT_BITS * slot for slot in range(SLOTS))
"""Tally by slot."""

TALLY: tuple[int, ...] = tuple(SLOT_TALLY[_slot(card)] for card in _CARDS)
"""Tally by card."""

_PLACE = tuple(64 * _slot(card) + card for card in _CARDS)


def tally(cards: Sequence["Card"]) -> int:
    """Tally of up to five cards."""
    return sum([TALLY[card] for card in cards])


def in_order(cards: Sequence["Card"]) -> list["Card"]:
    """Cards by rank, ace first and joker last, then clubs, diamonds, hearts, spades.

    Of equally good splits the one is taken that comes first in this order, so that neither the
    order of the deal nor that of any container can matter.
    """
    return sorted(cards, key=_PLACE.__getitem__)


def slots(tallied: int) -> list[int]:
    """The slots of a tally, repeated as often as they occur, in the order of `in_order`."""
    found = []
    for slot in range(SLOTS):
        found += [slot] * (tallied >> _SLOT_BITS * slot & _SLOT_MASK)
    return found


def points_by_slot(ace: int, face: int) -> tuple[int, ...]:
    """Points of each slot: 2 to 10 as printed; a foreign card and a joker have none of their own.

    A supervisor may let a deal with a foreign card stand; it then counts nothing.
    """
    pips = tuple(range(2, TEN_SLOT + 1))
    return (0, ace, *pips, face, face, face, 0)
