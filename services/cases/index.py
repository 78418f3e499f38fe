"""What cases need to know of the journal, in SQLite: rounds with their settlements, all records of
cases, and where to read on. It is no evidence, and may be deleted at any time.

Everything that is written belongs to one transaction until `save`, which notes with it where each
partition is read on. After a crash the index is as it was at the last `save`.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pitledger.cases.settlement import Known, Settlement, settlement_of
from pitledger.journal.record import JournalRecord, Stored, serialize
from pitledger.journal.stored import messages_from, stored_of, to_bytes

KEEP_OPENINGS_MS = 70 * 60 * 1000
"""Openings older than this, by their partition's newest, are of no interest to round numbers."""

_APPLICATION, _VERSION = 0x50494341, 1
_SCHEMA = """
CREATE TABLE about (topic TEXT, partitions INTEGER);
CREATE TABLE rounds (table_id TEXT, round_id TEXT, partition INTEGER, "offset" INTEGER,
    opened BLOB, settled_offset INTEGER, settled_ms INTEGER, outcome BLOB,
    PRIMARY KEY (table_id, round_id)) WITHOUT ROWID;
CREATE TABLE records (partition INTEGER, "offset" INTEGER, data BLOB,
    PRIMARY KEY (partition, "offset")) WITHOUT ROWID;
CREATE TABLE openings (partition INTEGER, "offset" INTEGER, broker_time INTEGER, opened BLOB,
    PRIMARY KEY (partition, "offset")) WITHOUT ROWID;
CREATE TABLE resume (partition INTEGER PRIMARY KEY, "offset" INTEGER);
"""
_TABLES = ("about", "rounds", "records", "openings", "resume")


class BadIndex(Exception):
    """One line: the file is no index of cases, or cannot be read or written."""


class CaseIndex:
    """`path`: ":memory:", or a file. Raises BadIndex.

    As `Rounds` it answers the fold: a round that is open is kept at hand, of others the row is
    read. What lies beyond the place where reading began again is known from before, and says so by
    its offset.
    """

    def __init__(self, path: str, topic: str, partitions: int) -> None:
        self.partitions = partitions
        self._path = path
        self._open: dict[tuple[str, str], Known] = {}
        try:
            self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            _prepare(self._database, topic, partitions)
            self._database.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise BadIndex(f"{path}: {error}") from None

    def close(self) -> None:
        self._database.close()

    # ---- Rounds ----

    def of(self, table_id: str, round_id: str) -> Known | None:
        known = self._open.get((table_id, round_id))
        if known is not None:
            return known
        rows = self._all(
            'SELECT partition, "offset", opened, settled_offset, settled_ms, outcome FROM rounds'
            " WHERE table_id = ? AND round_id = ?",
            table_id, round_id,
        )  # fmt: skip
        for partition, offset, opened, settled_offset, settled_ms, outcome in rows:
            record = JournalRecord.FromString(opened)
            known = Known(record, partition, offset)
            if outcome is not None:
                known.settlement = settlement_of(record, outcome, settled_offset, settled_ms)
            return known
        return None

    def opened(self, record: JournalRecord, partition: int, offset: int) -> None:
        self._open[record.table_id, record.event_id] = Known(record, partition, offset)
        self._do(
            "INSERT OR IGNORE INTO rounds VALUES (?, ?, ?, ?, ?, NULL, NULL, NULL)",
            record.table_id, record.event_id, partition, offset, serialize(record),
        )  # fmt: skip

    def settled(self, settlement: Settlement) -> None:
        self._open.pop((settlement.table_id, settlement.round_id), None)
        self._do(
            "UPDATE rounds SET settled_offset = ?, settled_ms = ?, outcome = ?"
            " WHERE table_id = ? AND round_id = ?",
            settlement.offset, settlement.at_ms, settlement.value,
            settlement.table_id, settlement.round_id,
        )  # fmt: skip

    # ---- Records of cases, openings, places ----

    def keep(self, stored: Stored) -> None:
        """A fact of a case, or a decision about one."""
        self._do(
            "INSERT OR REPLACE INTO records VALUES (?, ?, ?)",
            stored.partition, stored.offset, to_bytes(stored),
        )  # fmt: skip

    def keep_opening(self, partition: int, offset: int, at_ms: int, slim: bytes) -> None:
        """A RoundOpened, with or without effect, as `note_number` needs it."""
        self._do(
            "INSERT OR REPLACE INTO openings VALUES (?, ?, ?, ?)", partition, offset, at_ms, slim
        )

    def records(self) -> Iterator[Stored]:
        """Each partition's in the order of their offsets."""
        for (data,) in self._all('SELECT data FROM records ORDER BY partition, "offset"'):
            yield from map(stored_of, messages_from(data))

    def openings(self) -> Iterator[tuple[int, JournalRecord]]:
        """Broker times (ms) and openings, in their order."""
        for at_ms, slim in self._all(
            'SELECT broker_time, opened FROM openings ORDER BY partition, "offset"'
        ):
            yield at_ms, JournalRecord.FromString(slim)

    def newest_openings(self) -> dict[int, tuple[int, int, str]]:
        """By partition, of what lies before the place where reading goes on: offset, broker time
        (ms) and round id of the newest opening.
        """
        rows = self._all(
            'SELECT o.partition, MAX(o."offset"), o.broker_time, o.opened FROM openings o'
            ' JOIN resume r ON r.partition = o.partition AND o."offset" < r."offset"'
            " GROUP BY o.partition"  # with MAX the other columns are of its row
        )
        return {
            partition: (offset, at_ms, JournalRecord.FromString(slim).event_id)
            for partition, offset, at_ms, slim in rows
        }

    def resume(self) -> dict[int, int]:
        """By partition: where reading goes on."""
        return dict(self._all('SELECT partition, "offset" FROM resume'))

    def begin(self) -> None:
        """Forget what was read beyond the places where reading goes on: it comes again."""
        for partition, offset in self.resume().items():
            for table in ("records", "openings"):
                self._do(
                    f'DELETE FROM {table} WHERE partition = ? AND "offset" >= ?', partition, offset
                )

    def save(self, resume: Mapping[int, int]) -> None:
        """All that was written so far, durably, with the places where reading goes on."""
        for partition, offset in resume.items():
            self._do("INSERT OR REPLACE INTO resume VALUES (?, ?)", partition, offset)
        self._do(
            'DELETE FROM openings WHERE (partition, "offset") IN (SELECT o.partition, o."offset"'
            " FROM openings o JOIN (SELECT partition p, MAX(broker_time) newest FROM openings"
            " GROUP BY partition) ON p = o.partition WHERE o.broker_time < newest - ?)",
            KEEP_OPENINGS_MS,
        )
        self._do("COMMIT")
        self._do("BEGIN IMMEDIATE")

    def _do(self, statement: str, *values: Any) -> None:
        try:
            self._database.execute(statement, values)
        except sqlite3.Error as error:
            raise BadIndex(f"{self._path}: {error}") from None

    def _all(self, query: str, *values: Any) -> Iterable[Any]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise BadIndex(f"{self._path}: {error}") from None


def _prepare(database: sqlite3.Connection, topic: str, partitions: int) -> None:
    """Make the tables where the file is new, of another version or of another journal."""
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    there = [name for (name,) in database.execute("SELECT name FROM sqlite_schema")]
    if application != _APPLICATION and there:
        raise sqlite3.DatabaseError("is no index of cases")
    current, of = (application, version) == (_APPLICATION, _VERSION), (topic, partitions)
    if current and database.execute("SELECT * FROM about").fetchall() == [of]:
        return
    database.execute("BEGIN IMMEDIATE")
    for table in _TABLES:
        database.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in _SCHEMA.split(";"):
        database.execute(statement)
    database.execute("INSERT INTO about VALUES (?, ?)", of)
    database.execute(f"PRAGMA application_id = {_APPLICATION}")
    database.execute(f"PRAGMA user_version = {_VERSION}")
    database.execute("COMMIT")
