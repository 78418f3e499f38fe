"""The account of a round: one structure, of which page and PDF are two renderings.

Nothing in it is markup, and nothing of it is left out by either rendering.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum

from pitledger.cards import Card


class Tone(StrEnum):
    """What a reader's eye should be told of a line."""

    PLAIN = "plain"
    FACT = "fact"
    DECISION = "decision"
    REFUSED = "refused"
    IDLE = "idle"
    """Without effect."""
    GOOD = "good"
    BAD = "bad"
    NOTE = "note"
    HOUSE = "house"


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """What must not be overlooked."""

    tone: Tone
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    money: bool = False
    """Aligned on the right."""


@dataclass(frozen=True, slots=True)
class Cell:
    """`lines`: below each other. `house`: what the house ruled. `cites`: paragraphs, each explained
    in the glossary.
    """

    lines: tuple[str, ...] = ()
    house: str = ""
    cards: tuple[Card, ...] = ()
    cites: tuple[str, ...] = ()
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Table:
    """Each row has a cell for each column; `sums`: the rows below the line."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sums: tuple[tuple[Cell, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Hand:
    """`groups`: cards that lie together, with what they are called ("" for the hand as dealt).

    `house`: what the house ruled on how the hand counts.
    """

    title: str
    groups: tuple[tuple[str, tuple[Card, ...]], ...]
    words: tuple[str, ...]
    house: str = ""


@dataclass(frozen=True, slots=True)
class Hands:
    """Hands as they lie on the layout."""

    hands: tuple[Hand, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One record. `where`: its offset; `when`: the device's clock and the broker's."""

    where: str
    when: tuple[str, ...]
    kind: str
    by: str
    tone: Tone
    remark: str
    lines: tuple[str, ...]
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A glossary's entry."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Glossary:
    paragraphs: tuple[Paragraph, ...]


Block = Prose | Notice | Facts | Table | Hands | Steps | Glossary


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Account:
    """`head`: what every report prints (13 Miss. Code R. 8-4-14). `made_at_us`: microseconds since
    1970.
    """

    title: str
    subtitle: str
    head: Facts
    notices: tuple[Notice, ...]
    sections: tuple[Section, ...]
    made_at_us: int


def texts(value: object) -> Iterator[str]:
    """Every text of an account, in order."""
    match value:
        case Tone():
            return
        case str():
            if value:
                yield value
        case tuple():
            for item in value:
                yield from texts(item)
        case _ if is_dataclass(value):
            for field in fields(value):
                yield from texts(getattr(value, field.name))
        case _:
            return
