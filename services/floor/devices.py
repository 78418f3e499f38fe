"""A table's devices as the script uses them: they write, wait, and are disturbed.

`emit` is one stage of a round: the facts go out, with whatever comes in between at this stage.
"""

from collections import deque
from collections.abc import Callable, Generator
from random import Random
from typing import Any

from pitledger.journal.holds import Hold, Holds
from services.floor.faults import Fault, Rates
from services.floor.noise import NOISE, Desk, Past, noise
from services.floor.patrons import Body
from services.floor.pen import CONSOLE, SUPERVISOR, OutgoingFact, Pen
from services.floor.round_view import Moment, RoundView
from services.floor.terms import TableTerms

Stage = Generator[list[OutgoingFact], None, None]
Waiting = Generator[list[OutgoingFact], None, bool]

LAST_STAGE = 10
_MOMENT_US = 3_000_000
_HELD_US = 60_000_000
"""A console that may not go on looks at the clock every minute."""
_FORGED_KEPT = 64
CUTS = (Fault.VOID_ROUND, Fault.TABLE_CLOSED, Fault.CONSOLE_LOST)
_ON_AGENDA = (Fault.MISREAD, Fault.VOID_POSITION, Fault.IRREGULARITY_REPORTED,
              Fault.WRONG_CORRECTION, Fault.RULING_REFUSED)
_CONSOLE_TROUBLE = (Fault.CONSOLE_REPEATS, Fault.OUT_OF_SEQUENCE)


class RoundCut(Exception):
    """Something ends the round here and now."""


class Devices:
    """One table's pen, chance and patience; the stage of the round and its disturbances."""

    def __init__(self, terms: TableTerms, rates: Rates, rng: Random, patience_us: int,
                 next_number: Callable[[], int]) -> None:
        self.terms = terms
        self.rates = rates
        self.rng = rng
        self.pen = Pen(terms.table_id, rng)
        self.past = Past()
        self.holds = Holds()
        self.held_by: tuple[Hold, ...] = ()
        """What the table waits for now to be released."""
        self.day_is_over: Callable[[], bool] = lambda: False
        """Of the table: its gaming day, or all play."""
        self.forged: deque[bytes] = deque(maxlen=_FORGED_KEPT)
        self.wake_us = 0
        self.in_vain = 0
        """How often no decision came although the table's whole patience was spent on it."""
        self.cut: Fault | None = None
        self._patience_us = patience_us
        self._next_number = next_number
        self._stage = 0
        self._cut_at = 0
        self._noise: list[tuple[int, Fault]] = []
        self._trouble: tuple[int, Fault] | None = None
        self._sources = [f"{terms.table_id}/position-{n}" for n in range(terms.positions + 1)]

    def begin(self, view: RoundView) -> None:
        """Draw when each of the round's faults happens."""
        rng, faults = self.rng, view.faults
        self._stage = 0
        self.cut = None
        self.pen.skew_us = _jump(rng) if Fault.CLOCK_JUMPS in faults else 0
        self._noise = []
        self._trouble = None
        for fault in sorted(faults, key=_number):
            at = rng.randrange(2, LAST_STAGE + 1)
            if fault in NOISE:
                self._noise.append((at, fault))
            elif fault in _ON_AGENDA:
                view.agenda[fault] = rng.choice(tuple(Moment))
            elif fault in _CONSOLE_TROUBLE:
                self._trouble = (at, fault)
            elif fault in CUTS:
                self.cut, self._cut_at = fault, at - 1

    # ---- writing -----------------------------------------------------------------------------

    def console(self, view: RoundView, name: str, body: Any) -> OutgoingFact:
        """A numbered fact of the dealer's side."""
        view.table_seq += 1
        return self.pen.fact(CONSOLE, name, body, view.round_id, seq=view.table_seq)

    def supervisor(self, view: RoundView, name: str, body: Any) -> OutgoingFact:
        return self.pen.fact(SUPERVISOR, name, body, view.round_id, actor="supervisor-1")

    def patron(self, view: RoundView, position: int, body: Body) -> OutgoingFact:
        """A fact of a position's terminal; both terminals of one patron are one lane."""
        who = view.seats[position]
        return self.pen.fact(who, body[0], body[1], view.round_id, actor=who,
                             source=self._sources[position])

    # ---- sending and waiting -----------------------------------------------------------------

    def emit(self, view: RoundView, facts: list[OutgoingFact]) -> Stage:
        """Send the facts of one stage; raise RoundCut where the round is to end after it."""
        self._stage += 1
        view.sent += facts
        yield self._disturbed(view, facts) if view.faults else facts
        if self.cut and self._stage >= self._cut_at:
            raise RoundCut

    def until(self, met: Callable[[], bool], patience_us: int = 0) -> Waiting:
        """Wait for decisions; False: they did not come in time."""
        deadline = self.pen.now_us + (patience_us or self._patience_us)
        while not met():
            if self.pen.now_us >= deadline:
                self.in_vain += not patience_us
                self.held_by = ()
                return False
            self.wake_us = deadline
            yield []
        return True

    def until_answered(self, view: RoundView, requests: list[OutgoingFact]) -> Waiting:
        """Wait for the answers to all these requests."""
        return self.until(lambda: view.answered(requests))

    def until_deal(self, view: RoundView, revision: int) -> Waiting:
        """Wait a moment for the deal of this revision or a later one."""
        return self.until(lambda: view.deal_revision >= revision, _MOMENT_US)

    def until_paid(self, view: RoundView, revision: int) -> Waiting:
        """Wait a moment for a payout of this revision or a later one."""
        return self.until(lambda: view.paid_revision >= revision, _MOMENT_US)

    def until_ended(self, view: RoundView, request: OutgoingFact | None = None) -> Waiting:
        """Wait for the round's outcome, or for the refusal of the request that was to end it."""
        return self.until(lambda: view.outcome is not None
                          or (request is not None and view.refusal(request) > 0))

    def until_released(self) -> Waiting:
        """Wait as long as a person holds the table; False: its day was over first."""
        while holds := self.holds.of(self.terms.table_id):
            if self.day_is_over():
                self.held_by = ()
                return False
            self.held_by = holds
            self.wake_us = self.pen.now_us + _HELD_US
            yield []
        self.held_by = ()
        return True

    def rest_of_noise(self, view: RoundView) -> list[OutgoingFact]:
        """What was to come in between at stages that the round did not reach."""
        self._stage = LAST_STAGE
        return self._due_noise(view)

    def mixed(self, facts: list[OutgoingFact], others: list[OutgoingFact]) -> list[OutgoingFact]:
        """`others` at random places among `facts`, both in their order."""
        if not others:
            return facts
        places = sorted(self.rng.randrange(len(facts) + 1) for _ in others)
        result, begin = [], 0
        for place, other in zip(places, others, strict=True):
            result += facts[begin:place]
            result.append(other)
            begin = place
        return result + facts[begin:]

    def _disturbed(self, view: RoundView, facts: list[OutgoingFact]) -> list[OutgoingFact]:
        if self._trouble and self._stage >= self._trouble[0]:
            facts = self._troubled(view, facts, self._trouble[1])
        return self.mixed(facts, self._due_noise(view))

    def _troubled(self, view: RoundView, facts: list[OutgoingFact], fault: Fault
                  ) -> list[OutgoingFact]:
        """The console crashes and sends its last facts again, or a fact overtakes another."""
        if fault == Fault.CONSOLE_REPEATS:
            self._trouble = None
            mine = [fact for fact in view.sent[:-len(facts)] if fact.lane == CONSOLE]
            return [*mine[-self.rng.randrange(1, 6):], *facts]
        mine = [fact for fact in facts if fact.lane == CONSOLE]
        if len(mine) < 2:
            return facts
        self._trouble = None
        place = self.rng.randrange(len(mine) - 1)
        at = facts.index(mine[place])
        return [*facts[:at], mine[place + 1], *facts[at:]]

    def _due_noise(self, view: RoundView) -> list[OutgoingFact]:
        due = [fault for at, fault in self._noise if at <= self._stage]
        if not due or not view.sent:
            return []
        self._noise = [item for item in self._noise if item[0] > self._stage]
        desk = Desk(self.pen, view, self.past, self.rng, self._next_number)
        facts = [fact for fault in due for fact in noise(fault, desk)]
        if Fault.FORGED_DECISION in due:
            self.forged.extend(fact.value for fact in facts)
        return facts


def _jump(rng: Random) -> int:
    """Microseconds back or forth: from two minutes to an hour, or hours up to a day and more."""
    minutes = rng.choice((rng.randrange(2, 60), 60 * rng.randrange(1, 30)))
    return rng.choice((-1, 1)) * minutes * 60_000_000


def _number(fault: Fault) -> int:
    return fault.value
