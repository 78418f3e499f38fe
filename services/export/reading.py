"""A journal, record by record, into rows: what each record is worth is told by folding it again.

A decision becomes rows where it is recorded as the facts derive it, once. What is derived and not
recorded becomes rows without an offset, when its round is given up or the journal ends.
"""

from array import array
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from google.protobuf.message import DecodeError

from pitledger.cases.fold import is_case_fact
from pitledger.cases.journal import Cases, Spoken, is_as_derived
from pitledger.derive import Derived, TableFold
from pitledger.journal.memory import ONE_PASS_FORGET_MS
from pitledger.journal.record import (
    CASE_DECISION_TYPES,
    DECISION_TYPES,
    NUMBER_OF_BODY,
    TYPE_BYTES,
    TYPE_OF_BODY,
    JournalRecord,
    Stored,
    body_name,
)
from pitledger.journal.vocabulary import Fact, NotAFact, read_fact
from pitledger.pb import rules_pb2
from services.export.by_name import case_rows, table_rows
from services.export.chosen import Chosen
from services.export.event import Event, Row, Terms, envelope
from services.export.plain import plain
from services.export.rounds import OUTCOMES, Round, round_row
from services.export.rows import rows_of

Sink = Callable[[str, Row], None]
"""Takes a row of a table."""

WAITING_MAX = 2_000
"""Rounds that are over and lack decisions. Beyond so many the oldest is given up."""
PAST_MAX = 20_000
"""Rounds that are over, of which a late copy is known from a forgery."""
TOLD_MAX = 10_000
"""Facts that belong to no round and no case, of which a repeat is known. They move no money."""

_OF_TABLES = frozenset(name for name, number in NUMBER_OF_BODY.items() if 20 <= number < 30) | {
    "processor_started"
}
_Key = tuple[str, str]  # table, round


@dataclass(frozen=True, slots=True)
class _Past:
    """What is kept of a round that is over: hashes of its decisions."""

    partition: int
    gaming_day: str
    hashes: "array[int]"
    unrecorded: "array[int]"


class Reader:
    """Takes records, each partition's in the order of its offsets; gives rows to the sink.

    `spoken`: what the journal's case facts speak of (`pitledger.cases.journal.spoken_of`).
    """

    def __init__(self, partitions: int, spoken: Spoken, chosen: Chosen, sink: Sink) -> None:
        self._partitions = partitions
        self._chosen = chosen
        self._sink = sink
        self._cases = Cases(partitions, spoken)
        self._folds: defaultdict[str, TableFold] = defaultdict(TableFold)
        self._days: dict[tuple[int, str], str] = {}  # by partition and table, open for it
        self._rounds: dict[_Key, Round] = {}
        self._over: dict[_Key, None] = {}  # of them, those that are over and lack decisions
        self._past: OrderedDict[_Key, _Past] = OrderedDict()
        self._told: OrderedDict[str, None] = OrderedDict()

    def take(self, stored: Stored) -> None:
        """Fold the next record and give its rows."""
        attributes = {name: value or b"" for name, value in stored.headers}
        kind = attributes.get("ce_type", b"")
        if kind in CASE_DECISION_TYPES:
            self._case_decision(stored, attributes)
        elif kind in DECISION_TYPES:
            self._decision(stored, attributes)
        else:
            self._fact(stored, attributes)
        # Last: what it knows by now it knew before this record.
        self._cases.take(stored)

    def end(self) -> None:
        """The journal ends here: give what is derived and not recorded."""
        for key in list(self._rounds):
            self._finish(key)
        for concluded in self._cases.missing():
            record = JournalRecord.FromString(concluded.value)
            day = self._days.get((concluded.partition, record.table_id), "")
            columns = envelope(record, day, concluded.partition, None)
            self._emit(case_rows(Event(record, concluded.body, columns, Terms(day, ""))))

    # ---- facts

    def _fact(self, stored: Stored, attributes: dict[str, bytes]) -> None:
        try:
            fact = read_fact(
                stored.partition, self._partitions, stored.key, attributes, stored.value
            )
        except NotAFact as problem:
            self._record(stored, attributes, _parsed(stored), f"no fact: {problem}")
            return
        record = fact.record
        fold = self._folds[record.table_id]
        derived = fold.fact(stored.offset, fact, stored.broker_time)
        if derived.opened:
            self._open(stored, record)
            fold.table.forget(stored.broker_time - ONE_PASS_FORGET_MS)
        self._derive(stored, derived)
        if fact.body == "table_opened" and record.table_opened.gaming_day:
            day = record.table_opened.gaming_day
            self._days[stored.partition, record.table_id] = day
        note = f"no fact: {derived.not_a_fact}" if derived.not_a_fact else derived.no_effect
        self._record(stored, attributes, record, note)
        if not derived.not_a_fact:
            self._tell(stored, fact, derived, note)
        if derived.ended:
            self._ended(stored, fact, (record.table_id, derived.ended))

    def _open(self, stored: Stored, record: JournalRecord) -> None:
        opened = record.round_opened
        terms = Terms(
            opened.gaming_day,
            opened.currency_code,
            {seat.position: seat.patron_id for seat in opened.seats},
            _submission(opened.submission),
        )
        self._days[stored.partition, record.table_id] = opened.gaming_day
        self._rounds[record.table_id, record.event_id] = Round(
            record, stored.partition, stored.offset, stored.broker_time, terms
        )

    def _derive(self, stored: Stored, derived: Derived) -> None:
        table_id = stored.key.decode()
        for decision in derived.decisions:
            round_ = self._rounds[table_id, decision.round_id]
            round_.waiting[decision.event_id] = decision
            round_.derived += 1
            round_.hashes.add(hash(decision.value))
            if decision.body in OUTCOMES:
                round_.outcome = decision
        for round_id, stack in derived.stuck:
            round_ = self._rounds[table_id, round_id]
            version = round_.opened.round_opened.adjudication_version
            unknown = f"this build does not know adjudication version {version}"
            round_.unjudged = stack.strip().rpartition("\n")[2] or unknown

    def _tell(self, stored: Stored, fact: Fact, derived: Derived, note: str) -> None:
        """Rows of a fact: of a round's where it has effect, of a table's and a case's once."""
        record = fact.record
        if fact.body in _OF_TABLES or note == "case_fact":
            if self._is_told(fact):
                return
            day = self._day(stored.partition, record.table_id, record.round_id)
            terms = Terms(day, "", {}, _submission(record.table_opened.submission))
            columns = envelope(record, day, stored.partition, stored.offset)
            event = Event(record, fact.body, columns, terms)
            self._emit(case_rows(event) if note == "case_fact" else table_rows(event))
        elif not note:
            terms = self._rounds[record.table_id, record.round_id].terms
            columns = envelope(record, terms.gaming_day, stored.partition, stored.offset)
            answer = _answer(derived, record.event_id)
            self._emit(rows_of(Event(record, fact.body, columns, terms, answer)))

    def _is_told(self, fact: Fact) -> bool:
        """A repeat; of a case's facts, which money follows, however long ago the first was."""
        record = fact.record
        if is_case_fact(record, fact.body):
            return self._cases.has_taken(record)
        if record.event_id in self._told:
            return True
        self._told[record.event_id] = None
        if len(self._told) > TOLD_MAX:
            self._told.popitem(last=False)
        return False

    def _ended(self, stored: Stored, fact: Fact, key: _Key) -> None:
        round_ = self._rounds[key]
        round_.over = True
        round_.ending = {
            "ended_at": fact.record.occurred_at,
            "ended_by_type": TYPE_OF_BODY[fact.body].rpartition(".")[2],
            "ended_by_event_id": fact.record.event_id,
            "ended_by_offset": stored.offset,
        }
        if not round_.waiting:
            self._finish(key)
            return
        self._over[key] = None
        if len(self._over) > WAITING_MAX:
            self._finish(next(iter(self._over)))

    # ---- decisions

    def _decision(self, stored: Stored, attributes: dict[str, bytes]) -> None:
        round_id = attributes.get("ce_subject", b"").decode(errors="replace")
        event_id = attributes.get("ce_id", b"").decode(errors="replace")
        key = stored.key.decode(errors="replace"), round_id
        round_ = self._rounds.get(key)
        record = _parsed(stored)
        if round_ is None or round_.partition != stored.partition:
            self._record(stored, attributes, record, self._note_of_past(key, stored))
            return
        decision = round_.waiting.get(event_id)
        if (
            decision is None
            or decision.value != stored.value
            or TYPE_BYTES[decision.body] != attributes["ce_type"]
        ):
            repeat = hash(stored.value) in round_.hashes
            foreign = "not judged by this build" if round_.unjudged else "foreign"
            self._record(stored, attributes, record, "repeat" if repeat else foreign)
            return
        assert record is not None
        self._record(stored, attributes, record, "")
        del round_.waiting[event_id]
        round_.recorded += 1
        if decision.body in OUTCOMES:
            round_.outcome_offset = stored.offset
        columns = envelope(record, round_.terms.gaming_day, stored.partition, stored.offset)
        self._emit(rows_of(Event(record, decision.body, columns, round_.terms)))
        if round_.over and not round_.waiting:
            self._finish(key)

    def _note_of_past(self, key: _Key, stored: Stored) -> str:
        past = self._past.get(key)
        if past is None or past.partition != stored.partition:
            return "no such round is open"
        if hash(stored.value) in past.unrecorded:
            return ""  # late: its rows were given without an offset
        return "repeat" if hash(stored.value) in past.hashes else "foreign"

    def _case_decision(self, stored: Stored, attributes: dict[str, bytes]) -> None:
        event_id = attributes.get("ce_id", b"").decode(errors="replace")
        record, derived = _parsed(stored), self._cases.derived.get(event_id)
        if derived is None or record is None or not is_as_derived(stored, derived.concluded):
            self._record(stored, attributes, record, "foreign")
            return
        self._record(stored, attributes, record, "repeat" if derived.seen else "")
        if derived.seen:
            return
        day = self._day(stored.partition, record.table_id, "")
        columns = envelope(record, day, stored.partition, stored.offset)
        self._emit(case_rows(Event(record, body_name(record), columns, Terms(day, ""))))

    # ---- a round's end

    def _finish(self, key: _Key) -> None:
        """Give a round's row, and what of it is derived and not recorded."""
        round_ = self._rounds.pop(key)
        self._over.pop(key, None)
        for decision in round_.waiting.values():
            record = JournalRecord.FromString(decision.value)
            columns = envelope(record, round_.terms.gaming_day, round_.partition, None)
            self._emit(rows_of(Event(record, decision.body, columns, round_.terms)))
        self._give("rounds", round_row(round_))
        unrecorded = array("q", [hash(decision.value) for decision in round_.waiting.values()])
        self._past[key] = _Past(
            round_.partition, round_.terms.gaming_day, array("q", round_.hashes), unrecorded
        )
        if len(self._past) > PAST_MAX:
            self._past.popitem(last=False)

    # ---- giving

    def _record(
        self,
        stored: Stored,
        attributes: dict[str, bytes],
        record: JournalRecord | None,
        note: str,
    ) -> None:
        table_id = stored.key.decode(errors="replace")
        day = self._day(stored.partition, table_id, record.round_id if record else "")
        if not self._chosen.takes(table_id, day):
            return
        row: Row = {
            "gaming_day": day,
            "partition": stored.partition,
            "offset": stored.offset,
            "broker_time": stored.broker_time,
            "key": stored.key,
            "headers": [{"name": name, "value": value} for name, value in stored.headers],
            "type": attributes.get("ce_type", b"").decode(errors="replace"),
            "decision": attributes.get("ce_type") in DECISION_TYPES,
            "note": note,
            "value": stored.value,
        }
        if record is not None:
            body = body_name(record)
            row |= {
                "event_id": record.event_id,
                "table_id": record.table_id,
                "round_id": record.round_id,
                "case_id": record.case_id,
                "occurred_at": record.occurred_at,
                "source": record.source,
                "actor": record.actor,
                "causation_id": record.causation_id,
                "table_seq": record.table_seq,
                "body": plain(getattr(record, body)) if body else {},
            }
        self._sink("records", row)

    def _day(self, partition: int, table_id: str, round_id: str) -> str:
        """Of the round, where it is known; else that for which the table is open.

        What went astray into another partition has none, in whichever order partitions are read.
        """
        known = self._rounds.get((table_id, round_id))
        if known is not None and known.partition == partition:
            return known.terms.gaming_day
        past = self._past.get((table_id, round_id))
        if past is not None and past.partition == partition:
            return past.gaming_day
        return self._days.get((partition, table_id), "")

    def _emit(self, rows: Any) -> None:
        for table, row in rows:
            self._give(table, row)

    def _give(self, table: str, row: Row) -> None:
        if self._chosen.takes(row["table_id"], row["gaming_day"]):
            self._sink(table, row)


def _answer(derived: Derived, event_id: str) -> JournalRecord | None:
    for decision in derived.decisions:
        if decision.body == "request_answered":
            record = JournalRecord.FromString(decision.value)
            if record.causation_id == event_id:
                return record
    return None


def _parsed(stored: Stored) -> JournalRecord | None:
    try:
        return JournalRecord.FromString(stored.value)
    except DecodeError:
        return None


@lru_cache(maxsize=256)
def _submission(data: bytes) -> rules_pb2.RulesSubmission:
    """Not to be changed; empty where the bytes are none."""
    try:
        return rules_pb2.RulesSubmission.FromString(data)
    except DecodeError:
        return rules_pb2.RulesSubmission()
