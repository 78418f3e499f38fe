"""Cards as shapes, the same in page and PDF.

A suit is a path of absolute moves, lines and curves in a square of 100 units, y downwards.
"""

from dataclasses import dataclass

from pitledger.cards import FOREIGN, JOKER, RANKS, Card, rank, suit
from pitledger.pb import cards_pb2

WIDTH, HEIGHT = 50, 70
"""Of a card, in its own units."""

Segment = tuple[str, tuple[float, ...]]
"""`M` or `L` with a point, `C` with three, `Z` with none."""

_ROUND = 0.5523
"""A quarter of a circle as one curve."""


def _circle(x: float, y: float, r: float) -> tuple[Segment, ...]:
    k = r * _ROUND
    return (
        ("M", (x, y - r)),
        ("C", (x + k, y - r, x + r, y - k, x + r, y)),
        ("C", (x + r, y + k, x + k, y + r, x, y + r)),
        ("C", (x - k, y + r, x - r, y + k, x - r, y)),
        ("C", (x - r, y - k, x - k, y - r, x, y - r)),
        ("Z", ()),
    )


_CLUB: tuple[Segment, ...] = (
    *_circle(50, 27, 22),
    *_circle(26, 60, 22),
    *_circle(74, 60, 22),
    ("M", (42, 40)), ("L", (58, 40)), ("L", (55, 66)), ("C", (56, 82, 60, 90, 68, 96)),
    ("L", (32, 96)), ("C", (40, 90, 44, 82, 45, 66)), ("Z", ()),
)
_DIAMOND: tuple[Segment, ...] = (
    ("M", (50, 3)), ("C", (60, 22, 73, 38, 88, 50)), ("C", (73, 62, 60, 78, 50, 97)),
    ("C", (40, 78, 27, 62, 12, 50)), ("C", (27, 38, 40, 22, 50, 3)), ("Z", ()),
)
_HEART: tuple[Segment, ...] = (
    ("M", (50, 94)), ("C", (22, 68, 5, 50, 5, 31)), ("C", (5, 15, 17, 6, 29, 6)),
    ("C", (39, 6, 46, 12, 50, 21)), ("C", (54, 12, 61, 6, 71, 6)),
    ("C", (83, 6, 95, 15, 95, 31)), ("C", (95, 50, 78, 68, 50, 94)), ("Z", ()),
)
_SPADE: tuple[Segment, ...] = (
    ("M", (50, 4)), ("C", (68, 28, 95, 44, 95, 64)), ("C", (95, 77, 85, 84, 75, 84)),
    ("C", (66, 84, 58, 79, 54, 70)), ("C", (55, 82, 59, 90, 67, 96)), ("L", (33, 96)),
    ("C", (41, 90, 45, 82, 46, 70)), ("C", (42, 79, 34, 84, 25, 84)),
    ("C", (15, 84, 5, 77, 5, 64)), ("C", (5, 44, 32, 28, 50, 4)), ("Z", ()),
)
SUITS = (_CLUB, _DIAMOND, _HEART, _SPADE)
BLACK, RED = "#1a1a1a", "#b3001b"


@dataclass(frozen=True, slots=True)
class Face:
    """What a card shows. `suit`: None for the joker and what is no card of a deck."""

    label: str
    suit: tuple[Segment, ...] | None
    color: str


def face(card: Card) -> Face:
    """Total: a record may hold any number."""
    if card == JOKER:
        return Face("JOKER", None, BLACK)
    if not 1 <= card <= 52:
        return Face("?", None, BLACK)
    label = RANKS[rank(card) - 1].replace("T", "10")
    return Face(label, SUITS[suit(card)], RED if suit(card) in (1, 2) else BLACK)


def name(card: Card) -> str:
    """`ten of clubs`."""
    value = cards_pb2.Card.DESCRIPTOR.values_by_number.get(card)
    if value is None or card == 0:
        return "no card"
    if card == FOREIGN:
        return "a card of no deck of the house"
    return str(value.name).removeprefix("CARD_").lower().replace("_", " ")


def svg_path(segments: tuple[Segment, ...]) -> str:
    return " ".join(letter + " ".join(f"{n:g}" for n in numbers) for letter, numbers in segments)
