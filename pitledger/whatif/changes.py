"""The changes that can be asked for, one class each; positions are the table's, 0 the dealer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pitledger.cards import Card
    from pitledger.pb.money_pb2 import WagerKind
    from pitledger.pb.rules_pb2 import AbandonmentReading


class CannotBe(ValueError):
    """A change that cannot be made; one line says why."""


@dataclass(frozen=True, slots=True)
class HandCard:
    """The card that lies in a hand, by its place there (from 1, as dealt)."""

    name: str
    position: int
    place: int
    card: "Card"


@dataclass(frozen=True, slots=True)
class DealtCard:
    """The card at an ordinal of the whole deal."""

    name: str
    ordinal: int
    card: "Card"


@dataclass(frozen=True, slots=True)
class Wager:
    """What lies in a circle at the close, in minor units; 0: nothing."""

    name: str
    position: int
    kind: "WagerKind"
    amount: int


@dataclass(frozen=True, slots=True)
class SplitHalf:
    """One of a hand's two hands: `half` 0 is the three-card or high hand, 1 the other."""

    name: str
    position: int
    half: int
    cards: tuple["Card", ...]


@dataclass(frozen=True, slots=True)
class SetByRule:
    """A hand set as the rules set one that nobody set."""

    name: str
    position: int


@dataclass(frozen=True, slots=True)
class Abandoned:
    """Another reading of a supervisor's ruling on a player who left."""

    name: str
    position: int
    reading: "AbandonmentReading"


@dataclass(frozen=True, slots=True)
class Void:
    """A void ordered of a position, of the round (0), or no such order."""

    name: str
    position: int
    ordered: bool


@dataclass(frozen=True, slots=True)
class DealStands:
    """A supervisor's ruling that the deal stands, or no such ruling."""

    name: str
    ruled: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of the rules submission as TOML has it; `key`: one entry of a table."""

    name: str
    setting: str
    key: str
    value: object


@dataclass(frozen=True, slots=True)
class Posted:
    """A posted limit: of a kind its `min`, `max` (minor units) or `offered`, or `pot_amount`."""

    name: str
    kind: "WagerKind | None"
    field: str
    value: int


Change = (
    HandCard
    | DealtCard
    | Wager
    | SplitHalf
    | SetByRule
    | Abandoned
    | Void
    | DealStands
    | Setting
    | Posted
)


@dataclass(frozen=True, slots=True)
class Applied:
    """A change as it was made, in words; `offset`: of the fact that says otherwise now.

    Without a name it follows from others: a set in which a changed card lies.
    """

    name: str
    was: str
    would_be: str
    offset: int
