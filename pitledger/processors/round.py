"""One round as the facts so far make it: what the four processors decide from."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pitledger.cards import NO_CARD
from pitledger.games.game import Circle, Split

if TYPE_CHECKING:
    from pitledger.cards import Card
    from pitledger.games.game import EvaluatedHand, Rules, Settlement
    from pitledger.pb.decisions_pb2 import BreachKind, ReturnReason
    from pitledger.pb.facts_pb2 import DealerExposed
    from pitledger.pb.money_pb2 import WagerKind
    from pitledger.pb.rules_pb2 import AbandonmentReading


@dataclass(frozen=True, slots=True)
class Limits:
    """Posted range of a circle's sum, in minor units."""

    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What RoundOpened lays down for the round. `rules` is None where its content is invalid."""

    table_id: str
    round_id: str
    rules: "Rules | None"
    limits: "dict[WagerKind, Limits]"  # of the kinds offered at this table
    pot_amount: int  # 0: no Pot
    seats: dict[int, str]
    by_packets: bool


@dataclass(slots=True)
class Chips:
    """What lies on a circle before the close: the sum and the requests that made it."""

    amount: int
    wager_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """Chips given back at the close."""

    position: int
    kind: "WagerKind"
    amount: int
    reason: "ReturnReason"
    limit: int
    citations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Close:
    """Which circles stand. `order` is the deal's: positions ascending, the dealer (0) last."""

    circles: tuple[Circle, ...]
    wager_ids: "dict[tuple[int, WagerKind], tuple[str, ...]]"
    returned: tuple[Returned, ...]
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Breach:
    """One irregularity of the deal."""

    kind: "BreachKind"
    ordinal: int = 0
    position: int = 0
    card: "Card" = NO_CARD
    found: int = 0
    expected: int = 0
    reported_by: str = ""
    number: int = 0  # of one that is noted: a ruling covers it and not what happens again


@dataclass(frozen=True, slots=True)
class Hand:
    """A position's cards in the order dealt, with their ordinals."""

    position: int
    cards: "tuple[Card, ...]"
    ordinals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal that can be judged: irregular with its breaches, or complete with its hands."""

    breaches: tuple[Breach, ...]
    hands: tuple[Hand, ...]  # the dealer's last
    ruled: tuple[Breach, ...] = field(compare=False)  # broken, and ruled to stand


@dataclass(frozen=True, slots=True)
class Hands:
    """All hands judged; `players` by position, without those that are void."""

    players: "tuple[EvaluatedHand, ...]"
    dealer: "EvaluatedHand"


@dataclass(slots=True)
class Round:
    """The fold of one round's facts (adjudication version 1)."""

    terms: Terms
    chips: "dict[tuple[int, WagerKind], Chips]" = field(default_factory=dict)
    close: Close | None = None

    cards: "dict[int, Card]" = field(default_factory=dict)  # by ordinal; NO_CARD: none there
    drawn: "set[Card]" = field(default_factory=set)  # every card once read, corrected or not
    noted: list[Breach] = field(default_factory=list)  # breaches that only a fact itself shows
    standing: "dict[tuple[BreachKind, int, int], Breach]" = field(default_factory=dict)
    """Breaches that the cards showed since a supervisor last acted, by kind and place."""
    notes: int = 0  # how many were noted, mended ones included
    suspect: bool = False  # something may be wrong with the deal: look closely
    stub: int | None = None
    ruled: frozenset[Breach] = frozenset()

    splits: dict[int, Split] = field(default_factory=dict)
    exposed: "DealerExposed | None" = None
    left: set[int] = field(default_factory=set)
    unruled_left: set[int] = field(default_factory=set)
    abandoned: "dict[int, AbandonmentReading]" = field(default_factory=dict)
    void: set[int] = field(default_factory=set)

    revision: int = 1
    deal: Deal | None = None
    hands: Hands | None = None
    payout: "Settlement | None" = None
    hands_by_position: dict[int, Hand] | None = None  # a cache of `cards`, dropped when they change

    def offered(self, kind: "WagerKind") -> Limits | None:
        """The posted limits of a kind, None where it is not offered at this table."""
        return self.terms.limits.get(kind)

    def takes_part(self, position: int) -> bool:
        """Whether a position has a circle that stood at the close."""
        return self.close is not None and position != 0 and position in self.close.order
