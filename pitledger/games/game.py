"""What a game is: the one seam between the rules of a game and everything else.

A game's file compiles a `RulesSubmission` into an object of type `Rules`; the processors call that
object and never ask which game it is. Everything here is a pure value: integers, tuples, no clock.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pitledger.money import Ratio

if TYPE_CHECKING:  # protobuf enums are plain ints at run time
    from pitledger.cards import Card
    from pitledger.pb.decisions_pb2 import Counterparty, LineReason, Measure, SetBy
    from pitledger.pb.money_pb2 import WagerKind
    from pitledger.pb.rules_pb2 import (
        AbandonmentReading,
        Outcome,
        PokerCategory,
        RulesSubmission,
    )

DEALER = 0
"""The dealer's position; players have 1 and up."""


@dataclass(frozen=True, slots=True)
class Split:
    """Two hands. Saigon: three-card hand and two-card showdown hand. Hi-Lo: high and low hand."""

    first: tuple["Card", ...]
    second: tuple["Card", ...]


@dataclass(frozen=True, slots=True)
class EvaluatedHand:
    """A hand as it is judged: fields of one game are 0 or False in the other."""

    position: int
    split: Split
    set_by: "SetBy"
    first_total: int
    second_total: int
    joker_points: int  # what the joker counts where it lies; 0: no joker
    qualifies: bool  # Saigon
    point_count: int  # Saigon: of the two-card hand, 1 to 10
    misset: bool  # Saigon: a qualifying hand judged as set, with three cards that do not qualify
    busted: bool  # Hi-Lo
    foul: bool  # Hi-Lo: set busted although a valid high exists, and judged so
    poker: "PokerCategory"
    poker_rank: int  # see pitledger.games.poker
    joker_in_poker: bool
    rulings: tuple[str, ...]  # house rulings used to set it, "setting=choice"


@dataclass(frozen=True, slots=True)
class Circle:
    """A position's stake of one kind, in minor units."""

    position: int
    kind: "WagerKind"
    stake: int


@dataclass(frozen=True, slots=True)
class Standing:
    """What befell a position after the close."""

    void: bool = False
    abandoned: "AbandonmentReading | None" = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two integers that were compared: the player's and the dealer's (for the Pot: the best).

    Of poker hands the other is the lowest category that wins. A busted high total is compared as 0.
    """

    measure: "Measure"
    player: int
    other: int


@dataclass(frozen=True, slots=True)
class Line:
    """One circle's settlement. `profit` = returned - stake; `uncut_profit` is before the limit."""

    position: int
    kind: "WagerKind"
    counterparty: "Counterparty"
    stake: int
    outcome: "Outcome"
    reason: "LineReason"
    odds: Ratio | None  # of a win against the house
    uncut_profit: int
    profit: int
    comparisons: tuple[Comparison, ...]
    citations: tuple[str, ...]
    rulings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pot:
    """How the Pot went: shares by position in settlement order; they sum to `amount`."""

    amount: int
    best_point_count: int  # 0: nobody was eligible
    eligible: tuple[int, ...]
    shares: tuple[tuple[int, int], ...]
    rulings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settlement:
    """All lines in paying order."""

    lines: tuple[Line, ...]
    pot: Pot | None


class Rules(Protocol):
    """A game's rules under one submission."""

    @property
    def submission(self) -> "RulesSubmission":
        """What it was compiled from; not to be changed."""

    @property
    def deck(self) -> frozenset["Card"]:
        """The cards that belong to the deck."""

    @property
    def kinds(self) -> tuple["WagerKind", ...]:
        """The game's wagers in settlement order within a position; the Ante first."""

    @property
    def split_sizes(self) -> tuple[int, int]:
        """Cards in the first and the second hand of a split."""

    @property
    def larger_ante_sets_first(self) -> bool:
        """Whether a patron with two positions must set them in order (663a.7(f))."""

    @property
    def citations(self) -> Mapping[str, tuple[str, ...]]:
        """Paragraphs for what is no line: refusals and returns, by a key of `CITED`."""

    def evaluate(self, position: int, cards: tuple["Card", ...], split: Split | None
                 ) -> EvaluatedHand:
        """Judge five cards of a position (0: the dealer), as set (None: nobody set them).

        `split` is made of exactly these cards, in `split_sizes`. Total also for cards that repeat
        and for cards that are not in the deck: these have no points, rank or suit.
        """

    def settle(self, circles: Sequence[Circle], hands: Mapping[int, EvaluatedHand],
               dealer: EvaluatedHand, standing: Mapping[int, Standing]) -> Settlement:
        """Settle all circles; `hands` has every position whose standing is not void.

        `standing` has the positions to which something happened; the others play.
        Lines come in paying order, one for each circle. Profits sum to zero with the house's side.
        """


CITED = (
    "instrument",       # a wagering instrument that is not accepted
    "verbal",           # spoken with cash
    "seat",             # only seated players wager
    "closed",           # nothing placed, raised or withdrawn after "no more bets"
    "ante",             # the Ante is needed to play
    "side_wager",       # side wagers are for players with an Ante, where offered
    "adjacent",         # two adjacent positions
    "set_order",        # which of two hands is set first
    "abandoned",        # a player who leaves
    "set",              # setting a hand
    "dealer_exposes",   # the dealer exposes after each player has set
    "deal",             # how cards are dealt
    "stub",             # the count of the stub
    "pot",              # the compulsory Pot
)
"""Keys of `Rules.citations`; a game answers each, with () where nothing was read."""
