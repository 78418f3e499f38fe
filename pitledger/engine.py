"""The engine of a processor: journal records in; decisions to emit, alarms and a watermark out.

Sans-I/O: no clock, no timers, no network. The shell of a process, the simulator and the tests drive
this one object. State is a cache: after any crash it is folded again from the watermark, which is
the first offset of the oldest round that is not finished.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pitledger.derive import Derived, TableFold
from pitledger.journal.memory import Known
from pitledger.journal.record import (
    DECISION_TYPES,
    TYPE_BYTES,
    TYPE_OF_BODY,
    Headers,
    JournalRecord,
    Stored,
)
from pitledger.journal.vocabulary import Fact, NotAFact, read_fact
from pitledger.pb import decisions_pb2
from pitledger.processors.chain import OWNERS, Decision

Reader = Callable[[int, int, bytes, Mapping[str, bytes], bytes], Fact]

LOOK_BACK_MS = 15 * 60 * 1000
"""Broker time before a watermark whose round numbers are read again: ten minutes count, and some
more for a clock that goes back."""

BUILD_HEADER = "ce_build"
"""Names the build that wrote a decision. It says whom to ask, and no decision's bytes hold it."""


class Hole(Exception):
    """A record is missing: the shell seeks back to `expected`. Nothing was folded."""

    def __init__(self, partition: int, expected: int, got: int) -> None:
        super().__init__(f"partition {partition}: offset {got} came where {expected} is next")
        self.partition, self.expected, self.got = partition, expected, got


@dataclass(slots=True)
class Emit:
    """Write this decision to the journal, to the partition that its facts were read from.

    Not to be changed.
    """

    partition: int
    event_id: str
    type: str
    round_id: str
    table_id: str
    caused_at_us: int
    key: bytes
    headers: Headers
    value: bytes


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Keep a copy of what is no fact, or of a decision that the facts do not derive."""

    partition: int
    offset: int
    reason: str
    key: bytes
    headers: Headers
    value: bytes


@dataclass(frozen=True, slots=True)
class Alarm:
    """Tell a person."""

    partition: int
    offset: int
    kind: str
    """"not_a_fact", "foreign_decision", "round_blocked", "unknown_version"; "round_ignored": a
    RoundOpened that is no repeat had no effect (`detail`), what the table plays is not judged."""
    table_id: str
    round_id: str
    event_id: str
    """Of the record at this offset, as its header says."""
    detail: str


@dataclass(frozen=True, slots=True)
class Refold:
    """The broker's clock went back: begin the partition afresh with an earlier memory."""

    partition: int
    before_ms: int


Effect = Emit | Quarantine | Alarm | Refold


@dataclass(slots=True)
class _Expected:
    """A decision that the facts derive; `waiting`: gates that are not seen yet."""

    decision: Decision
    held: "_Held"
    waiting: int = 0
    seen: bool = False
    opens: "list[_Expected]" = field(default_factory=list)


@dataclass(slots=True)
class _Held:
    """A round that is not finished."""

    round_id: str
    table_id: str
    first_offset: int
    ended: bool = False
    stuck: bool = False
    unseen: int = 0
    expected: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Partition:
    number: int
    next: int
    end: int
    known: Known
    live: bool = False
    stale: bool = False  # a Refold was asked for: nothing more is folded
    tables: dict[str, TableFold] = field(default_factory=dict)
    held: dict[tuple[str, str], _Held] = field(default_factory=dict)
    """By table and round, in the order of their first offsets."""
    expected: dict[str, _Expected] = field(default_factory=dict)
    outstanding: dict[str, _Expected] = field(default_factory=dict)  # own, gates open, not seen


class Engine:
    """All partitions of one processor. `owner` names whose decisions it emits.

    `read` and `make_fold`: other than the plain ones where several engines in one process share
    what they read and fold, which is pure.
    """

    def __init__(
        self,
        owner: str,
        partitions: int,
        read: Reader = read_fact,
        make_fold: Callable[[str], TableFold] = lambda _table_id: TableFold(),
    ) -> None:
        if owner not in OWNERS:
            raise ValueError(f"no processor is named {owner!r}")
        self.owner = owner
        self.partitions = partitions
        self.counts: Counter[tuple[str, str]] = Counter()
        self._read_fact = read
        self._make_fold = make_fold
        self._assigned: dict[int, _Partition] = {}
        self._clock_went_back: set[int] = set()

    def on_assigned(
        self,
        partition: int,
        *,
        watermark: int,
        end: int,
        memory: Iterable[Stored] = (),
        memory_since: int | None = None,
    ) -> list[Effect]:
        """Begin a partition afresh. Records come from the watermark on.

        `end`: the end offset as it was read; from there the engine is live. `memory`: what lies
        below the watermark, in the journal's order; all but the RoundOpened may be left out.
        `memory_since`: the broker time (ms) from which it was read; None: from the partition's
        beginning.
        """
        known = Known(memory_since, forgets=partition not in self._clock_went_back)
        part = _Partition(partition, watermark, end, known)
        self._assigned[partition] = part
        for stored in memory:
            self._remember(part, stored)
        return self._go_live(part)

    def on_record(
        self,
        partition: int,
        offset: int,
        broker_time: int,
        key: bytes | None,
        headers: Sequence[tuple[str, bytes]],
        value: bytes | None,
    ) -> list[Effect]:
        """Take one record; raise Hole if it is not the next one."""
        part = self._assigned[partition]
        if offset < part.next or part.stale:
            return []
        if offset > part.next:
            raise Hole(partition, part.next, offset)
        part.next = offset + 1
        attributes = {name: text or b"" for name, text in headers}
        record = _Read(offset, broker_time, key or b"", headers, attributes, value or b"")
        if record.attributes.get("ce_type") in DECISION_TYPES:
            effects = self._decision(part, record)
        else:
            effects = self._fact(part, record)
        if not part.live and part.next >= part.end:
            effects += self._go_live(part)
        return effects

    def committable(self, partition: int) -> int:
        """The next offset to commit: the watermark."""
        part = self._assigned[partition]
        for held in part.held.values():
            return held.first_offset
        return part.next

    def next_offset(self, partition: int) -> int:
        """The offset of the next record that is folded."""
        return self._assigned[partition].next

    def is_live(self, partition: int) -> bool:
        """Whether own decisions are emitted as they come due."""
        return self._assigned[partition].live

    def outstanding(self, partition: int) -> list[Emit]:
        """Own decisions that are due and not yet seen on the journal; empty before live."""
        part = self._assigned[partition]
        if not part.live:
            return []
        return [_emit(part, expected) for expected in part.outstanding.values()]

    def open_rounds(self, partition: int) -> int:
        """How many rounds are not finished."""
        return len(self._assigned[partition].held)

    def shut_gates(self, partition: int) -> int:
        """How many decisions wait for another processor's; a scan, for metrics at intervals."""
        part = self._assigned[partition]
        return sum(1 for e in part.expected.values() if e.waiting and not e.seen)

    def oldest_unseen(self, partition: int) -> tuple[str, Decision] | None:
        """The decision, whoever's, that is derived longest and not seen, with its table's id.

        A scan, at intervals.
        """
        part = self._assigned[partition]
        unseen = (e for e in part.expected.values() if not e.seen)
        return next(((e.held.table_id, e.decision) for e in unseen), None)

    def _remember(self, part: _Partition, stored: Stored) -> None:
        """Below the watermark only the numbers of rounds are of interest."""
        attributes = {name: text or b"" for name, text in stored.headers}
        if attributes.get("ce_type") != _ROUND_OPENED:
            return
        try:
            fact = self._read_fact(
                part.number, self.partitions, stored.key, attributes, stored.value
            )
        except NotAFact:
            return
        table = self._fold(part, fact.record.table_id).table
        table.note_number(fact.record, stored.broker_time)

    def _decision(self, part: _Partition, record: "_Read") -> list[Effect]:
        event_id = _id_of(record)
        expected = part.expected.get(event_id)
        if expected is not None and _is_as_derived(expected, record):
            self.counts["decision_seen", expected.decision.body] += 1
            if expected.seen:
                self.counts["duplicate", ""] += 1
                return []
            return self._seen(part, expected)
        round_id = _subject_of(record)
        held = part.held.get((_table_of(record), round_id)) or (expected.held if expected else None)
        if held is None or (held.stuck and expected is None):
            return []
        kind = record.attributes["ce_type"].decode(errors="replace")
        self.counts["foreign", kind] += 1
        place = held.table_id, held.round_id, event_id
        detail = _written_by(kind, record.attributes)
        alarm = Alarm(part.number, record.offset, "foreign_decision", *place, detail)
        return [_quarantine(part, record, "foreign_decision"), alarm]

    def _seen(self, part: _Partition, expected: _Expected) -> list[Effect]:
        expected.seen = True
        part.outstanding.pop(expected.decision.event_id, None)
        effects: list[Effect] = []
        for after in expected.opens:
            after.waiting -= 1
            if after.waiting == 0:
                self._due(part, after, effects)
        expected.held.unseen -= 1
        self._drop_if_finished(part, expected.held)
        return effects

    def _fact(self, part: _Partition, record: "_Read") -> list[Effect]:
        try:
            fact = self._read_fact(
                part.number, self.partitions, record.key, record.attributes, record.value
            )
        except NotAFact as problem:
            return self._not_a_fact(part, record, str(problem))
        self.counts["fact", fact.body] += 1
        fold = self._fold(part, fact.record.table_id)
        opens = fact.body == "round_opened"
        if opens and part.known.lacks(fold.table, fact.record, record.broker_time):
            part.stale = True
            part.next = record.offset
            self._clock_went_back.add(part.number)
            return [Refold(part.number, record.broker_time)]
        derived = fold.fact(record.offset, fact, record.broker_time)
        if derived.not_a_fact:
            return self._not_a_fact(part, record, "outside_vocabulary: " + derived.not_a_fact)
        if derived.no_effect:
            self.counts["no_effect", derived.no_effect] += 1
            return _ignored_round(part, record, fact, derived.no_effect)
        return self._take(part, record.offset, fact.record, derived)

    def _take(
        self, part: _Partition, offset: int, fact: JournalRecord, derived: Derived
    ) -> list[Effect]:
        """Expect what a fact derived; open, end and drop rounds."""
        table_id = fact.table_id
        effects: list[Effect] = []
        for decision in derived.decisions:
            self._expect(part, part.held[table_id, decision.round_id], decision, effects)
        if derived.ended:
            part.held[table_id, derived.ended].ended = True
        if derived.opened:
            part.held[table_id, derived.opened] = _Held(derived.opened, table_id, offset)
        for round_id, failure in derived.stuck:
            part.held[table_id, round_id].stuck = True
            kind = "round_blocked" if failure else "unknown_version"
            self.counts["blocked", kind] += 1
            place = table_id, round_id, fact.event_id
            effects.append(Alarm(part.number, offset, kind, *place, failure))
        if derived.ended:
            self._drop_if_finished(part, part.held[table_id, derived.ended])
        return effects

    def _expect(
        self, part: _Partition, held: _Held, decision: Decision, effects: list[Effect]
    ) -> None:
        expected = _Expected(decision, held)
        part.expected[decision.event_id] = expected
        held.expected.append(decision.event_id)
        held.unseen += 1
        for gate in decision.gates:
            before = part.expected[gate]
            if not before.seen:
                expected.waiting += 1
                before.opens.append(expected)
        if expected.waiting == 0:
            self._due(part, expected, effects)
        self._count_refusals(decision)

    def _due(self, part: _Partition, expected: _Expected, effects: list[Effect]) -> None:
        if expected.decision.owner != self.owner or expected.seen:
            return
        part.outstanding[expected.decision.event_id] = expected
        if part.live:
            effects.append(self._emitted(part, expected))

    def _emitted(self, part: _Partition, expected: _Expected) -> Emit:
        self.counts["emitted", expected.decision.body] += 1
        return _emit(part, expected)

    def _go_live(self, part: _Partition) -> list[Effect]:
        if part.live or part.next < part.end:
            return []
        part.live = True
        return [self._emitted(part, expected) for expected in part.outstanding.values()]

    def _drop_if_finished(self, part: _Partition, held: _Held) -> None:
        if held.ended and not held.unseen and not held.stuck:
            for event_id in held.expected:
                del part.expected[event_id]
            del part.held[held.table_id, held.round_id]

    def _not_a_fact(self, part: _Partition, record: "_Read", reason: str) -> list[Effect]:
        subject = _subject_of(record)
        held = part.held.get((_table_of(record), subject))
        if held is not None and held.stuck:
            return []  # perhaps a fact of a version that this build does not know
        self.counts["quarantined", reason.partition(":")[0]] += 1
        place = _table_of(record), subject, _id_of(record)
        alarm = Alarm(part.number, record.offset, "not_a_fact", *place, reason)
        return [_quarantine(part, record, reason), alarm]

    def _fold(self, part: _Partition, table_id: str) -> TableFold:
        fold = part.tables.get(table_id)
        if fold is None:
            fold = part.tables[table_id] = self._make_fold(table_id)
        return fold

    def _count_refusals(self, decision: Decision) -> None:
        if decision.owner != self.owner or decision.body != "request_answered":
            return
        answer = JournalRecord.FromString(decision.value).request_answered
        for item in answer.answers:
            if item.refusal:
                self.counts["refusal", decisions_pb2.Refusal.Name(item.refusal)] += 1


@dataclass(slots=True)
class _Read:
    """A record as it was read."""

    offset: int
    broker_time: int
    key: bytes
    headers: Sequence[tuple[str, bytes]]
    attributes: dict[str, bytes]
    value: bytes


_ROUND_OPENED = TYPE_BYTES["round_opened"]


def _table_of(record: _Read) -> str:
    """The table that a record's key names."""
    return record.key.decode(errors="replace")


def _id_of(record: _Read) -> str:
    return record.attributes.get("ce_id", b"").decode(errors="replace")


def _subject_of(record: _Read) -> str:
    return record.attributes.get("ce_subject", b"").decode(errors="replace")


def _written_by(kind: str, attributes: Mapping[str, bytes]) -> str:
    """A decision's type, and who says to have written it: processor and, where named, build."""
    source, build = (
        attributes.get(name, b"").decode(errors="replace") for name in ("ce_source", BUILD_HEADER)
    )
    return f"{kind} by {source or 'nobody'}" + (f", build {build}" if build else "")


def _is_as_derived(expected: _Expected, record: _Read) -> bool:
    decision = expected.decision
    return (
        record.value == decision.value
        and record.key == expected.held.table_id.encode()
        and record.attributes["ce_type"] == TYPE_BYTES[decision.body]
        and record.attributes.get("ce_subject") == decision.round_id.encode()
    )


def _emit(part: _Partition, expected: _Expected) -> Emit:
    decision = expected.decision
    table_id = expected.held.table_id
    headers: Headers = (
        ("ce_specversion", b"1.0"),
        ("ce_id", decision.event_id.encode()),
        ("ce_source", decision.owner.encode()),
        ("ce_type", TYPE_BYTES[decision.body]),
        ("ce_subject", decision.round_id.encode()),
    )
    return Emit(
        part.number,
        decision.event_id,
        TYPE_OF_BODY[decision.body],
        decision.round_id,
        table_id,
        decision.caused_at,
        table_id.encode(),
        headers,
        decision.value,
    )


def _ignored_round(part: _Partition, record: _Read, fact: Fact, reason: str) -> list[Effect]:
    """A round that does not open is seen by nobody at the table: a person must be told."""
    if fact.body != "round_opened" or reason == "round_id_repeated":
        return []
    opened = fact.record
    place = opened.table_id, opened.round_id, opened.event_id
    return [Alarm(part.number, record.offset, "round_ignored", *place, reason)]


def _quarantine(part: _Partition, record: _Read, reason: str) -> Quarantine:
    return Quarantine(
        part.number, record.offset, reason, record.key, tuple(record.headers), record.value
    )
