"""One table: its console, its terminals and its supervisor as one closed loop.

A `TableScript` is asked for the next facts (`step`) and told what was decided (`observe`). It does
no I/O and has no clock: the time is the caller's, and all chance comes from the table's generator,
so that the same seed, times and decisions give the same bytes.
"""

from functools import partial
from random import Random

from google.protobuf.message import DecodeError

from pitledger.derive import LATEST_VERSION
from pitledger.journal.holds import Hold
from pitledger.journal.record import Headers, JournalRecord
from pitledger.journal.table import Table
from pitledger.journal.vocabulary import NotAFact, read_fact
from pitledger.pb import facts_pb2
from services.floor.devices import Devices, RoundCut, Stage
from services.floor.faults import Fault, Rates
from services.floor.gaming_day import gaming_day
from services.floor.patrons import plain_wager
from services.floor.pen import CONSOLE, OutgoingFact
from services.floor.round_script import STUB_EVERY, cut_short, play
from services.floor.round_view import RoundView
from services.floor.shoe import shuffled
from services.floor.terms import CURRENCY, PROPERTY, TableTerms

UNBOUNDED = 1 << 62


class TableScript:
    """Plays rounds at one table until `rounds` of them were opened.

    `patience_us`: how long it waits for a decision before a supervisor voids the round.
    `pace_us`: least time between two openings (0: none); the first comes `phase_us` after the
    first step.
    """

    def __init__(
        self, terms: TableTerms, rates: Rates, rng: Random, *, rounds: int = UNBOUNDED,
        first_round_number: int = 1, patience_us: int = 20_000_000, pace_us: int = 0,
        phase_us: int = 0,
    ) -> None:
        self.terms = terms
        self.rounds_opened = 0
        self.done = False
        self._rounds = rounds
        self._rng = rng
        self._pace_us = pace_us
        self._next_opening_us = phase_us
        self._number = first_round_number - 1
        self._since_stub = 0
        self._patrons = 0
        self._seats: dict[int, str] = {}
        self._round: RoundView | None = None
        self._before = Table()
        self._left_open = ""
        self._announced: OutgoingFact | None = None
        self._devices = Devices(terms, rates, rng, patience_us, self._next_number)
        self._finishing = False
        self._play = self._days()

    @property
    def wake_us(self) -> int:
        """After a step without facts: when to step again although no decision came."""
        return self._devices.wake_us

    @property
    def waited_in_vain(self) -> int:
        """How often no decision came for as long as the table has patience."""
        return self._devices.in_vain

    @property
    def held_by(self) -> tuple[Hold, ...]:
        """The holds for whose release it waits."""
        return self._devices.held_by

    @property
    def round_id(self) -> str:
        """The round that the table plays or played last; "" before the first."""
        return self._round.round_id if self._round else ""

    def step(self, now_us: int) -> list[OutgoingFact]:
        """The next facts at this time (microseconds since 1970); [] while it waits, or is done.

        All facts of a step are to be on the journal before the next step.
        """
        if not self._devices.pen.now_us:
            self._next_opening_us += now_us
        self._devices.pen.now_us = now_us
        facts = next(self._play, None)
        if facts is None:
            self.done = True
            return []
        return facts

    def observe(self, value: bytes) -> bool:
        """Take in a decision of this table from the journal.

        False: the table's own strangers forged it, or it is no record; it is ignored.
        """
        if value in self._devices.forged:
            return False
        try:
            record = JournalRecord.FromString(value)
        except DecodeError:
            return False
        if self._round and self._round.round_id == record.round_id:
            self._round.read(record)
        return True

    def remember_opening(self, headers: Headers, value: bytes, broker_time: int) -> None:
        """Take in a RoundOpened of before this floor began: its console may have died in it."""
        try:
            record = read_fact(0, 1, self._devices.pen.key, dict(headers), value).record
        except NotAFact:
            return
        if not self._before.note_number(record, broker_time):
            self._left_open = record.round_id

    def observe_hold(self, headers: Headers, value: bytes) -> bool:
        """Take in a TableHeld or TableReleased of this table; False: it is no fact."""
        key = self._devices.pen.key
        try:  # whichever partition it lies in
            fact = read_fact(0, 1, key, dict(headers), value)
        except NotAFact:
            return False
        self._devices.holds.take(fact.record)
        return True

    def finish(self) -> None:
        """Open no further round; the one that is open is played to its end.

        At a held table it ends with the table.
        """
        self._rounds = min(self._rounds, self.rounds_opened)
        self._finishing = True

    def _days(self) -> Stage:
        """Gaming day after gaming day; the table is closed between them."""
        while self.rounds_opened < self._rounds:
            day = self._today()
            self._devices.day_is_over = partial(self._is_over, day)
            yield [self._table_opened(day)]
            while self.rounds_opened < self._rounds:
                yield from self._pause()
                yield from self._devices.until_released()
                if self.rounds_opened >= self._rounds or day != self._today():
                    break
                yield from self._play_round(day)
            yield from self._close_table()

    def _today(self) -> str:
        return gaming_day(self._devices.pen.now_us)

    def _is_over(self, day: str) -> bool:
        return self._finishing or day != self._today()

    def _close_table(self) -> Stage:
        """With the gaming day; a round that nobody ended ends with it."""
        view, devices = self._round, self._devices
        still_open = self._left_open  # if it has ended since, naming it has no effect
        if view is not None:
            still_open = view.round_id if view.outcome is None else ""
        closed = facts_pb2.TableClosed(reason="end of the gaming day")
        yield [devices.pen.fact(CONSOLE, "table_closed", closed, still_open)]
        if view is not None:
            yield from devices.until_ended(view)

    def _pause(self) -> Stage:
        while self._devices.pen.now_us < self._next_opening_us:
            if self.rounds_opened >= self._rounds:
                return
            self._devices.wake_us = self._next_opening_us
            yield []
        # A table that fell behind does not catch up by more than one round.
        behind = self._devices.pen.now_us - self._pace_us
        self._next_opening_us = max(self._next_opening_us, behind) + self._pace_us

    def _play_round(self, day: str) -> Stage:
        view = self._new_round()
        devices = self._devices
        announced, self._announced = self._announced, None
        try:
            yield from devices.emit(view, [self._opening(view, day)])
            if announced:  # the terminal's bytes of before, now in time
                yield from devices.emit(view, [announced])
            stub_due = (self._since_stub + 1 >= STUB_EVERY
                        and not self.terms.shuffler_confirms)
            yield from play(devices, view, stub_due)
        except RoundCut:
            was_closed = devices.cut == Fault.TABLE_CLOSED
            yield from cut_short(devices, view)
            if was_closed:
                yield [self._table_opened(day)]
        if any(f.record and f.record.HasField("stub_counted") for f in view.sent[-12:]):
            self._since_stub = 0
        else:
            self._since_stub += 1
        if view.faults:
            yield from self._after_round(view)

    def _after_round(self, view: RoundView) -> Stage:
        """What comes too late, or too early for the next round."""
        facts = self._devices.rest_of_noise(view)
        if Fault.FOR_FUTURE_ROUND in view.faults and view.seats:
            position = min(view.seats)
            body = plain_wager(position, view.seats[position])
            who = view.seats[position]
            self._announced = self._devices.pen.fact(who, *body, self._devices.pen.new_id())
            facts.append(self._announced)
        if facts:
            yield facts
        self._devices.past.remember(view)

    def _new_round(self) -> RoundView:
        self._take_seats()
        self.rounds_opened += 1
        announced = self._announced.record if self._announced else None
        self._round = view = RoundView(
            round_id=announced.round_id if announced else self._devices.pen.new_id(),
            number=self._next_number(),
            seats=self._seats,
            faults=self._devices.rates.draw(self._rng),
            deck=shuffled(self.terms.deck_size, self._rng),
        )
        self._devices.begin(view)
        return view

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _take_seats(self) -> None:
        """Patrons come and go between rounds; a new dict each time, a round keeps its own."""
        rates, rng, before = self._devices.rates, self._rng, self._seats
        if before and not rates.moves:
            return
        seats: dict[int, str] = {}
        for position in range(1, self.terms.positions + 1):
            if before and rng.random() >= rates.moves:
                if position in before:
                    seats[position] = before[position]
                continue
            if rng.random() >= rates.seated:
                continue
            beside = seats.get(position - (1 if rng.random() < 0.8 else 2))
            if beside and rng.random() < rates.plays_two:
                seats[position] = beside
                continue
            self._patrons += 1
            seats[position] = f"{self.terms.table_id}-patron-{self._patrons}"
        self._seats = seats

    def _table_opened(self, day: str) -> OutgoingFact:
        terms = self.terms
        opened = facts_pb2.TableOpened(
            submission=terms.filed.data, submission_digest=terms.filed.digest,
            posted_limits=terms.posted, gaming_day=day, property_id=PROPERTY, pit_id=terms.pit_id,
        )
        return self._devices.pen.fact(CONSOLE, "table_opened", opened)

    def _opening(self, view: RoundView, day: str) -> OutgoingFact:
        terms = self.terms
        digest = terms.filed.digest
        if Fault.INVALID_OPENING in view.faults:
            digest = digest[::-1]
        opened = facts_pb2.RoundOpened(
            round_number=view.number,
            adjudication_version=LATEST_VERSION,
            gaming_day=day,
            property_id=PROPERTY,
            pit_id=terms.pit_id,
            currency_code=CURRENCY,
            submission=terms.filed.data,
            submission_digest=digest,
            posted_limits=terms.posted,
            seats=[facts_pb2.Seat(position=p, patron_id=who) for p, who in view.seats.items()],
            dealer_id=f"dealer-{view.number // 40 % 30}",
            supervisor_id="supervisor-1",
            shuffler_id=f"{terms.table_id}/shuffler",
            shoe_id=f"{terms.table_id}/shoe",
            deck_ids=[f"{terms.table_id}/deck-{view.number % 2}"],
            dealing_method=terms.method,
            rounds_since_stub_count=self._since_stub,
            shuffler_confirms_count=terms.shuffler_confirms,
        )
        pen = self._devices.pen
        return pen.fact(CONSOLE, "round_opened", opened, view.round_id, event_id=view.round_id,
                        occurred_at=pen.now_us)
