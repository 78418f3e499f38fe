"""Cases as an archive has them, found by its index, and what Kafka has behind the archive.

What a command costs is then what it asks for and what is not sealed yet, not the whole journal. Of
rounds those are read that a case speaks of; each is derived again from its transcript.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import finalize

from pitledger.archive import layout
from pitledger.archive.collect import Memory
from pitledger.archive.in_order import own_records
from pitledger.archive.positions import Position, Positions
from pitledger.archive.saved_positions import read_positions
from pitledger.cases.journal import Cases, Spoken, spoken_of
from pitledger.cases.sealed_round import derived
from pitledger.cases.settlement import Known, RoundsInMemory, Settlement
from pitledger.journal.memory import ONE_PASS_FORGET_MS
from pitledger.journal.record import CASE_DECISION_TYPES, JournalRecord, Stored, partition_of
from pitledger.journal.vocabulary import NotAFact, read_stored
from services.cli import archived
from services.cli.output import Failed, fail
from services.cli.source import Journal, Some

if TYPE_CHECKING:
    from pitledger.sources.connection import Connection
    from services.storage.index import Index

_ALL = 1 << 64


def sealed_cases(journal: Journal) -> "SealedCases | None":
    """Of an archive in a folder, or of Kafka with one in PITLEDGER_ARCHIVE; None: the journal is to
    be read. (A bucket has no index: making one reads all of it.) Raises Failed.
    """
    from pitledger.sources.environment import Environment
    from services.runtime.settings import archive_place

    place = journal.name if journal.archived else ""
    if journal.connection is not None:
        place = archive_place(Environment())
    if not place or not (Path(place) / layout.LOG).is_file():
        return None
    return SealedCases(place, journal.connection)


class SealedCases:
    """`behind`: the journal from the archive's cuts on, to look into. Raises Failed."""

    def __init__(self, source: str, connection: "Connection | None") -> None:
        about = archived.about(source)
        of = connection and (connection.topic, connection.partitions)
        if of and of != (about.topic, about.partitions):
            fail(f"{source}: is the archive of {about.topic}, with {about.partitions} partitions")
        self.partitions = about.partitions
        self._source, self._store = source, archived.store_of(source)
        # What is sealed meanwhile is in the index, and beyond the cuts: it is read of Kafka.
        with archived.blamed_on(source):
            positions = read_positions(self._store, archived.size(source))
        self._positions = positions if connection else None
        opened = ExitStack()
        self._index = opened.enter_context(archived.index_of(source, None))
        finalize(self, opened.close)
        self.rounds = SealedRounds(source, self._index, about.partitions)
        name = connection.topic if connection else source
        self.behind = _Behind(name, about.partitions, connection, False, source, positions)

    def read(self, name: str) -> Cases:
        """All cases; with a beginning of an id at least those of the tables of which they are."""
        claimed: list[Stored] = []
        spoken = spoken_of(_noting(self.behind.records(), claimed), self.partitions)
        with archived.blamed_on(self._source):
            named = self._index.case_records_named("case_id", name) if name else None
            tables = None if named is None else {one.table_id for one in named} | spoken.tables
            found = self._index.case_records(tables)
        folded = spoken.tables | {one.table_id for one in found}
        rounds = (spoken.rounds or frozenset()) | {one.round_id for one in found}
        cases = Cases(
            self.partitions, Spoken(folded, rounds), self.rounds, ONE_PASS_FORGET_MS
        )
        self.fold(cases, tables)
        own = {partition_of(table_id, self.partitions) for table_id in folded}
        for stored in self.records(cases, own) if own else ():
            take(cases, stored)
        for stored in claimed:
            if stored.partition not in own:
                cases.take(stored)
        return cases

    def fold(self, cases: Cases, tables: Collection[str] | None) -> list[Stored]:
        """Fold what is sealed of these tables' cases; None: of all cases. What was folded."""
        sealed = list(self._records(tables))
        for stored in sealed:
            take(cases, stored)
        for table_id in cases.tables:
            cases.known_before(table_id, self._cut(partition_of(table_id, self.partitions)))
        return sealed

    def records(self, cases: Cases, partitions: Some) -> Iterator[Stored]:
        """What lies behind the cuts, to be folded; round numbers of before them are known then."""
        return replace(self.behind, cases=cases).records(partitions)

    def named(self, column: str, body: str, begins: str) -> Iterator[tuple[str, str]]:
        """Ids (`case_id` or `event_id`) that begin so, of facts of this body, with their tables."""
        with archived.blamed_on(self._source):
            for one in self._index.case_records_named(column, begins):
                if one.body == body:
                    yield getattr(one, column), one.table_id

    def rounds_named(self, name: str) -> list[tuple[str, bytes]]:
        """Ids and tables' keys of the rounds that a name fits."""
        with archived.blamed_on(self._source):
            found = self._index.rounds_named(name)
        return [(one.round_id, one.table_id.encode()) for one in found]

    def last_of(self, partition: int) -> tuple[int, str, int]:
        """The cut of a partition on Kafka, and of the round that was sealed last its gaming day
        and when it opened.
        """
        newest = self._positions.of(partition).newest if self._positions else None
        day, opened_at_ms = (newest.gaming_day, newest.opened_at_ms) if newest else ("", 0)
        return self._cut(partition), day, opened_at_ms

    def _cut(self, partition: int) -> int:
        return _ALL if self._positions is None else self._positions.of(partition).cut or 0

    def _records(self, tables: Collection[str] | None) -> Iterator[Stored]:
        """Of cases and holds, each partition's in the order of its offsets."""
        with archived.blamed_on(self._source):
            found = self._index.case_records(tables)
            places = {(one.entry, one.partition, one.offset) for one in found}
            for table_id in {one.table_id for one in found} | set(tables or ()):
                holds = self._index.holds(table_id)
                places |= {(one.entry, one.partition, one.offset) for one in holds}
            records = [
                stored
                for entry in sorted({entry for entry, _, _ in places})
                for stored in own_records(self._store, entry, self._index.leaf(entry))
                if (entry, stored.partition, stored.offset) in places
                and stored.offset < self._cut(stored.partition)
            ]
        yield from sorted(records, key=lambda stored: (stored.partition, stored.offset))


class SealedRounds:
    """`Rounds`: those that are folded, and of all others what the archive has sealed of them."""

    def __init__(self, source: str, index: "Index", partitions: int) -> None:
        self._source, self._index, self._partitions = source, index, partitions
        self._folded = RoundsInMemory()
        self._sealed: dict[tuple[str, str], Known | None] = {}

    def of(self, table_id: str, round_id: str) -> Known | None:
        found = self._folded.of(table_id, round_id)
        if found is None:
            key = table_id, round_id
            if key not in self._sealed:
                self._sealed[key] = self._derived(table_id, round_id)
            found = self._sealed[key]
        return found

    def opened(self, record: JournalRecord, partition: int, offset: int) -> None:
        self._folded.opened(record, partition, offset)

    def settled(self, settlement: Settlement) -> None:
        if self._folded.of(settlement.table_id, settlement.round_id):
            self._folded.settled(settlement)

    def _derived(self, table_id: str, round_id: str) -> Known | None:
        with archived.blamed_on(self._source):
            found = self._index.round_at(table_id, round_id)
            if found is None or found.gone:
                return None
            records = self._index.records_of(found)
            return derived(records, self._partitions, table_id, round_id)


def take(cases: Cases, stored: Stored) -> None:
    """The next record; before it what waited for a round that is not folded, but looked up."""
    cases.known_before(stored.key.decode(errors="replace"), stored.offset)
    cases.take(stored)


def _remember(cases: Cases, stored: Stored) -> None:
    """An opening of before a cut, of which the number is known."""
    try:
        record = read_stored(stored, cases.partitions).record
    except NotAFact:
        return
    wanted = cases.spoken is None or record.table_id in cases.spoken.tables
    if wanted and record.HasField("round_opened"):
        cases.remember(record, stored.broker_time)


def _noting(records: Iterable[Stored], claimed: list[Stored]) -> Iterator[Stored]:
    """The records; those that claim to be decisions about cases are noted."""
    for stored in records:
        if dict(stored.headers).get("ce_type") in CASE_DECISION_TYPES:
            claimed.append(stored)
        yield stored


@dataclass(frozen=True, slots=True)
class _Behind(Journal):
    """Kafka's journal from an archive's cuts on; an archive by itself has nothing behind.

    `cases`: who folds it; None: nobody does.
    """

    source: str = ""
    positions: Positions = field(default_factory=Positions)
    cases: Cases | None = None

    def raw(self, partitions: Some = None) -> Iterator[Stored]:
        from pitledger.sources.connection import ConnectionFailed
        from pitledger.sources.kafka import HoleInJournal, read_topic
        from services.archivist.cuts import Cuts
        from services.archivist.same_journal import DoesNotContinue

        if self.connection is None:
            return
        cuts = Cuts(self, self.connection, {})
        begins = cuts.without_memory if self.cases is None else cuts
        try:
            yield from read_topic(self.connection, partitions, begins)
        except (ConnectionFailed, HoleInJournal, DoesNotContinue) as error:
            raise Failed(str(error)) from None

    def position_of(self, partition: int) -> Position:
        """For the cuts."""
        return self.positions.of(partition)

    def begin(self, partition: int, first: int, memory: Memory) -> None:
        """The same. Failed where the archive lacks what Kafka does not have any more."""
        if first and self.positions.of(partition).cut is None:
            fail(
                f"{self.name} partition {partition} begins at offset {first}, and {self.source} has"
                " nothing of it"
            )
        for stored in memory.openings:
            if self.cases is not None:
                _remember(self.cases, stored)
