"""A journal's cases: what its facts derive, held against what was recorded of it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError

from pitledger.cases.case import Case, CaseFact, Concluded, Entry
from pitledger.cases.fold import FACTS, TableCases, is_case_fact
from pitledger.cases.settlement import (
    OUTCOMES,
    Rounds,
    RoundsInMemory,
    Settlement,
    settlement_of,
)
from pitledger.derive import Derived, TableFold
from pitledger.journal.holds import Holds
from pitledger.journal.record import (
    CASE_DECISION_TYPES,
    DECISION_TYPES,
    TYPE_BYTES,
    JournalRecord,
    Stored,
    headers_of,
    partition_of,
)
from pitledger.journal.vocabulary import Fact, NotAFact, outside, read_stored

VOCABULARY = 2
"""Of case version 1: what `since` 2 knows. All builds refuse a fact with anything later."""

FACT_TYPES = frozenset(TYPE_BYTES[body] for body in FACTS)


@dataclass(frozen=True, slots=True)
class Forged:
    """A record that claims to be a decision about a case and is not what the facts derive."""

    partition: int
    offset: int
    at_ms: int
    table_id: str
    case_id: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """What the case facts of a journal speak of: of all else nothing need be kept.

    `rounds`: None: all of these tables.
    """

    tables: frozenset[str]
    rounds: frozenset[str] | None


@dataclass(slots=True)
class Recorded:
    """A decision about a case that is derived; `seen`: it is on the journal as it is derived."""

    concluded: Concluded
    seen: bool = False


@dataclass(slots=True)
class Cases:
    """Takes each partition's records in the order of their offsets.

    `spoken`: only these tables are folded, and of rounds only these are kept; None: all.
    `forget_ms`: round numbers so much older than their table's newest are dropped; None: none.
    """

    partitions: int
    spoken: Spoken | None = None
    rounds: Rounds = field(default_factory=RoundsInMemory)
    forget_ms: int | None = None
    tables: dict[str, TableCases] = field(default_factory=dict)
    derived: dict[str, Recorded] = field(default_factory=dict)
    """By event id, in the order in which they were derived."""
    unseen: dict[str, Concluded] = field(default_factory=dict)
    """Of them those that are not on the journal."""
    forged: list[Forged] = field(default_factory=list)
    holds: Holds = field(default_factory=Holds)
    releases: dict[str, CaseFact] = field(default_factory=dict)
    """By the id of the hold that each released."""
    _folds: defaultdict[str, TableFold] = field(default_factory=lambda: defaultdict(TableFold))

    def take(self, stored: Stored) -> list[Concluded]:
        """Fold one record; what it derives about cases."""
        kind = dict(stored.headers).get("ce_type")
        if kind in CASE_DECISION_TYPES:
            self._recorded(stored)
            return []
        if kind in DECISION_TYPES or not self._is_wanted(stored):
            return []
        try:
            fact = read_stored(stored, self.partitions)
        except NotAFact:
            return []
        return self._fact(stored, fact)

    def cases(self) -> Iterator[Case]:
        """All cases, a table after the other, each table's as they were opened."""
        for table_id in sorted(self.tables):
            yield from self.tables[table_id].cases.values()

    def strays(self) -> Iterator[Entry]:
        """Facts that name a case which was not opened before."""
        for table_id in sorted(self.tables):
            yield from self.tables[table_id].strays

    def missing(self) -> list[Concluded]:
        """What is derived and not on the journal."""
        return list(self.unseen.values())

    def known_before(self, table_id: str, offset: int) -> list[Concluded]:
        """See TableCases.known_before."""
        table = self.tables.get(table_id)
        return self._concluded(table.known_before(offset)) if table else []

    def has_taken(self, fact: JournalRecord) -> bool:
        """Whether a case fact of this table and event id came before: this one has no effect."""
        table = self.tables.get(fact.table_id)
        return table is not None and table.has_taken(fact.event_id)

    def remember(self, opened: JournalRecord, broker_time: int) -> None:
        """A RoundOpened of before the start: its number is known."""
        self._folds[opened.table_id].table.note_number(opened, broker_time)

    def resume_at(self, partition: int, after: int) -> int:
        """Where reading may begin again: at the opening of the partition's oldest open round, or
        after what was read.
        """
        opened = (
            fold.table.open.first_offset
            for table_id, fold in self._folds.items()
            if fold.table.open and partition_of(table_id, self.partitions) == partition
        )
        return min(opened, default=after)

    def _is_wanted(self, stored: Stored) -> bool:
        return self.spoken is None or stored.key.decode(errors="replace") in self.spoken.tables

    def _fact(self, stored: Stored, fact: Fact) -> list[Concluded]:
        record = fact.record
        if is_case_fact(record, fact.body):
            return self._concluded(self._table(record.table_id).fact(case_fact(stored, fact)))
        if not record.round_id:
            self._table_fact(stored, fact)
        fold = self._folds[record.table_id]
        derived = fold.fact(stored.offset, fact, stored.broker_time)
        if derived.opened and self.forget_ms is not None:
            fold.table.forget(stored.broker_time - self.forget_ms)
        if derived.opened and self._is_spoken_of(derived.opened):
            self.rounds.opened(without_rules(record), stored.partition, stored.offset)
        concluded = []
        for settlement in settlements(derived, record.table_id, stored, self.rounds):
            self.rounds.settled(settlement)
            concluded += self._table(record.table_id).settled(settlement)
        return self._concluded(concluded)

    def _table_fact(self, stored: Stored, fact: Fact) -> None:
        record = fact.record
        held_id = record.table_released.held_id
        if any(hold.event_id == held_id for hold in self.holds.of(record.table_id)):
            self.releases[held_id] = case_fact(stored, fact)
        self.holds.take(record)

    def _is_spoken_of(self, round_id: str) -> bool:
        rounds = self.spoken.rounds if self.spoken else None
        return rounds is None or round_id in rounds

    def _table(self, table_id: str) -> TableCases:
        table = self.tables.get(table_id)
        if table is None:
            table = self.tables[table_id] = TableCases(table_id, self.rounds)
        return table

    def _concluded(self, concluded: list[Concluded]) -> list[Concluded]:
        for one in concluded:
            self.derived[one.event_id] = Recorded(one)
            self.unseen[one.event_id] = one
        return concluded

    def _recorded(self, stored: Stored) -> None:
        event_id = _header(stored, "ce_id")
        derived = self.derived.get(event_id)
        if derived is not None and is_as_derived(stored, derived.concluded):
            derived.seen = True
            self.unseen.pop(event_id, None)
            return
        self.forged.append(forged(stored, derived is not None))


def spoken_of(records: Iterable[Stored], partitions: int) -> Spoken:
    """What the case facts of these records speak of; a first reading, by headers."""
    tables, rounds = set(), set()
    for stored in records:
        if dict(stored.headers).get("ce_type") not in FACT_TYPES:
            continue
        try:
            fact = read_stored(stored, partitions)
        except NotAFact:
            continue
        tables.add(fact.record.table_id)
        if fact.body == "dispute_opened":
            rounds.add(fact.record.dispute_opened.settlement.round_id)
    return Spoken(frozenset(tables), frozenset(rounds))


def case_fact(stored: Stored, fact: Fact) -> CaseFact:
    return CaseFact(
        record=fact.record,
        body=fact.body,
        value=stored.value,
        partition=stored.partition,
        offset=stored.offset,
        at_ms=stored.broker_time,
        outside=bool(outside(fact, VOCABULARY)),
    )


def without_rules(opened: JournalRecord) -> JournalRecord:
    """A RoundOpened as cases need it: without the submission, which is the bulk of it."""
    slim = JournalRecord()
    slim.CopyFrom(opened)
    slim.round_opened.ClearField("submission")
    return slim


def settlements(
    derived: Derived, table_id: str, stored: Stored, rounds: Rounds
) -> Iterator[Settlement]:
    """Those that a fact derived, of rounds that are known."""
    for decision in derived.decisions:
        outcome = decision.body in OUTCOMES
        known = rounds.of(table_id, decision.round_id) if outcome else None
        if known is not None:
            yield settlement_of(known.opened, decision.value, stored.offset, stored.broker_time)


def is_as_derived(stored: Stored, concluded: Concluded) -> bool:
    """Whether a record is this decision, byte for byte, where it belongs."""
    if stored.value != concluded.value or stored.partition != concluded.partition:
        return False
    record = JournalRecord.FromString(concluded.value)
    own = dict(stored.headers)
    return stored.key == concluded.table_id.encode() and all(
        own.get(name) == value for name, value in headers_of(record)
    )


def forged(stored: Stored, is_due: bool) -> Forged:
    """What is wrong with a record that nothing derives so."""
    kind = _header(stored, "ce_type").rpartition(".")[2]
    text = "is recorded otherwise than its facts derive it" if is_due else "no fact derives it"
    try:
        record = JournalRecord.FromString(stored.value)
        case_id = record.case_id
    except DecodeError:
        case_id, text = _header(stored, "ce_subject"), "its bytes are no record"
    return Forged(
        partition=stored.partition,
        offset=stored.offset,
        at_ms=stored.broker_time,
        table_id=stored.key.decode(errors="replace"),
        case_id=case_id,
        kind=kind,
        text=text,
    )


def _header(stored: Stored, name: str) -> str:
    return (dict(stored.headers).get(name) or b"").decode(errors="replace")
