"""Cards as integers, their text notation, decks.

A card is the number of its `pitledger.v1.Card` enum value: 13 * suit + rank, rank 1 (ace) to 13
(king), suits clubs, diamonds, hearts, spades; 53 is the joker, 54 a card of no deck of the house.
"""

from typing import TYPE_CHECKING, cast

from pitledger.pb import cards_pb2

if TYPE_CHECKING:
    Card = cards_pb2.Card
else:
    Card = int

JOKER: Card = cards_pb2.CARD_JOKER
FOREIGN: Card = cards_pb2.CARD_FOREIGN
NO_CARD: Card = cards_pb2.CARD_UNSPECIFIED

RANKS = "A23456789TJQK"
SUITS = "cdhs"
SUIT_SYMBOLS = "♣♦♥♠"

DECK_52: frozenset[Card] = frozenset(cast(Card, n) for n in range(1, 53))
DECK_53: frozenset[Card] = DECK_52 | {JOKER}

_NOTATION = {cast(Card, 13 * s + r + 1): RANKS[r] + SUITS[s] for s in range(4) for r in range(13)}
_NOTATION[JOKER] = "Jk"
_NOTATION[FOREIGN] = "??"
_BY_NOTATION = {text: card for card, text in _NOTATION.items() if card != FOREIGN}


class BadCard(ValueError):
    """Text that is no card."""


def rank(card: Card) -> int:
    """Rank 1 (ace) to 13 (king) of a card that is neither joker nor foreign."""
    return (card - 1) % 13 + 1


def suit(card: Card) -> int:
    """Suit 0 to 3 (clubs, diamonds, hearts, spades) of a card that is neither joker nor foreign."""
    return (card - 1) // 13


def parse_card(text: str) -> Card:
    """Read `As`, `Td`, `2c` or `Jk`; raise BadCard for anything else."""
    card = _BY_NOTATION.get(text)
    if card is None:
        raise BadCard(f"{text!r} is no card: write As, Td, 2c, or Jk for the joker")
    return card


def notation(card: Card) -> str:
    """`As`, `Td`, `Jk`; `??` for a foreign card, `--` for none."""
    return _NOTATION.get(card, "--")


def shown(card: Card) -> str:
    """A card as a person reads it: `A♠`, `10♦`, `Joker`."""
    if card == JOKER:
        return "Joker"
    if not 1 <= card <= 52:
        return notation(card)
    face = RANKS[rank(card) - 1].replace("T", "10")
    return face + SUIT_SYMBOLS[suit(card)]
