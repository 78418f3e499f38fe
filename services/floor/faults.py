"""How often the floor misbehaves: patrons (a habit per position) and devices (a fault per round).

Three profiles: `CLEAN` (the benchmark), `ORDINARY` (people as they are, sound devices), `FAULTY`
(everything that is known to go wrong).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from random import Random


class Fault(Enum):
    """What can go wrong in one round apart from the patrons. Enum members hash by identity."""

    # how the cards are read
    MISREAD = auto()  # as a card that nobody has: no check shows it
    MISREAD_AS_DEALT = auto()  # as a card already out
    FOREIGN_CARD = auto()
    MISSED_CARD = auto()
    READ_TWICE = auto()  # the reader counts on: all later cards are one further
    READ_AGAIN = auto()  # the same ordinal again
    EXTRA_CARD = auto()
    LAST_UNREAD = auto()  # and nobody sees it before the exposure
    CARD_BEFORE_CLOSE = auto()
    OTHER_METHOD = auto()
    STUB_MISCOUNTED = auto()
    STUB_FORGOTTEN = auto()
    # the dealer and the supervisor
    EXPOSED_EARLY = auto()
    EXPOSED_TWICE = auto()
    EXPOSED_OTHERWISE = auto()  # the split on record has a card that the dealer does not have
    IRREGULARITY_REPORTED = auto()
    WRONG_CORRECTION = auto()  # of a card that was right; mended afterwards
    RULING_REFUSED = auto()  # asked where there is nothing to rule
    VOID_ROUND = auto()
    VOID_POSITION = auto()
    # the console
    CLOSE_FORGOTTEN = auto()
    CLOSE_REFUSED = auto()  # too early or of another revision
    CONSOLE_LOST = auto()  # it comes back and opens the next round
    TABLE_CLOSED = auto()  # in mid-round
    CONSOLE_REPEATS = auto()
    OUT_OF_SEQUENCE = auto()  # a fact overtakes the one before, both are sent again
    CLOCK_JUMPS = auto()  # of the table's devices, by minutes or hours, for a round
    # terminals and networks
    COMMAND_REPEATED = auto()
    OLD_COMMAND_REPEATED = auto()  # of an earlier round
    ID_REUSED = auto()  # with other bytes
    FOR_FINISHED_ROUND = auto()
    FOR_FUTURE_ROUND = auto()  # sent again when that round is open
    FOR_UNKNOWN_ROUND = auto()
    INVALID_OPENING = auto()  # its digest is not the submission's: nobody can wager
    STALE_OPENING = auto()
    SECOND_OPENING = auto()  # the same number, in mid-round
    OPENING_WITH_OLD_ID = auto()
    TABLE_CLOSED_AGAIN = auto()  # the one of an earlier round
    # people, for the record
    TABLE_FACTS = auto()
    CONDUCT = auto()
    DISPUTE = auto()
    # whoever has no business on the journal
    GARBAGE = auto()
    UNKNOWN_TYPE = auto()
    LYING_HEADERS = auto()
    WRONG_KEY = auto()
    FOREIGN_PARTITION = auto()
    FORGED_DECISION = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """Chances of a patron, each for one position in one round."""

    sits_out: float = 0.0
    side_wager: float = 0.6
    odd_amount: float = 0.0  # no multiple of a whole unit of money
    raises: float = 0.0
    withdraws: float = 0.0
    foolish: float = 0.0  # a wager of the kinds that get refused or returned
    late: float = 0.0  # a wager or withdrawal after "no more bets"
    careless: float = 0.0  # any split at all
    sets_badly: float = 0.0  # a set that is refused, then a good one
    never_sets: float = 0.0
    sets_late: float = 0.0  # once more after the exposure
    leaves: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """All chances of a floor. `seated`: of a position, at a round's opening."""

    seated: float = 0.85
    plays_two: float = 0.0  # a patron sits on two positions
    moves: float = 0.0  # a seat changes hands between two rounds
    habits: Habits = field(default_factory=Habits)
    faults: Mapping[Fault, float] = field(default_factory=dict)

    def draw(self, rng: Random) -> frozenset[Fault]:
        """The faults of one round."""
        if not self.faults:
            return _NONE
        return frozenset(fault for fault, chance in self.faults.items() if rng.random() < chance)


_NONE: frozenset[Fault] = frozenset()

CLEAN = Rates(seated=1.0, habits=Habits(side_wager=0.75))

_PEOPLE = Habits(
    sits_out=0.08, odd_amount=0.1, raises=0.05, withdraws=0.03, foolish=0.06, late=0.03,
    careless=0.06, sets_badly=0.03, sets_late=0.01, leaves=0.005,
)
_RARE = 0.012
_RARE_FAULTS = dict.fromkeys(Fault, _RARE)

ORDINARY = Rates(plays_two=0.05, moves=0.05, habits=_PEOPLE, faults={
    Fault.MISREAD: 0.01,
    Fault.MISREAD_AS_DEALT: 0.01,
    Fault.MISSED_CARD: 0.005,
    Fault.EXPOSED_EARLY: 0.005,
    Fault.VOID_ROUND: 0.005,
    Fault.VOID_POSITION: 0.01,
    Fault.CLOSE_FORGOTTEN: 0.005,
    Fault.COMMAND_REPEATED: 0.05,
    Fault.CONDUCT: 0.01,
})
FAULTY = Rates(
    plays_two=0.1, moves=0.1,
    habits=Habits(
        sits_out=0.1, odd_amount=0.3, raises=0.1, withdraws=0.06, foolish=0.15, late=0.06,
        careless=0.15, sets_badly=0.08, never_sets=0.004, sets_late=0.03, leaves=0.015,
    ),
    faults=_RARE_FAULTS | {
        Fault.COMMAND_REPEATED: 0.1,
        Fault.OLD_COMMAND_REPEATED: 0.03,
        Fault.FORGED_DECISION: 0.08,
        Fault.GARBAGE: 0.03,
    },
)
