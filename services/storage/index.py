"""An index of an archive, in an SQLite file: to find in it quickly. It is no evidence.

It is made of the archive alone and may be deleted at any time. It remembers up to which entry it
has come, and under which checkpoint: where that one is not the archive's any more, all is made
anew. So it is where another program has written into it: SQLite counts in the file's header the
transactions that changed it, and each of this module's notes the count that it leaves behind. What
no SQLite has written, as bytes patched in the file, is not noticed. Transactions are short, so that
one process reads while another one brings it up to date.
"""

import os
import re
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pitledger.archive import layout
from pitledger.archive.deletions import NAME as DELETION
from pitledger.archive.deletions import Deletion, read_deletions
from pitledger.archive.in_order import records_in
from pitledger.archive.leaves import parse_manifest
from pitledger.archive.log import About, newest
from pitledger.archive.long_rounds import NAME as LONG_ROUND
from pitledger.archive.long_rounds import round_of
from pitledger.archive.merkle import EMPTY_ROOT, WIDTH
from pitledger.archive.note import Checkpoint
from pitledger.archive.store import BadArchive, Store, StoreError
from pitledger.archive.tiles import Tiles, bundle
from pitledger.journal.record import Stored
from pitledger.pb.archive_pb2 import ArchiveLeaf
from services.storage.rows import rows_of, sortable

BUNDLES_AT_ONCE = 4
"""How many bundles of 256 entries are read in one transaction."""
WAIT_S = 60
"""How long another process's transaction is waited for; each takes well below a second."""
PREFIX_CHARACTERS_MIN = 8
CANDIDATES_MAX = 20
_PAGE = 1_000
_APPLICATION, _VERSION = 0x50495458, 4
_ID_PREFIX = re.compile("[0-9a-f-]{8,36}")
_NUMBER = re.compile("[0-9]{1,20}")

_SCHEMA = """
CREATE TABLE state (done INTEGER, size INTEGER, root BLOB, changes INTEGER);
INSERT INTO state VALUES (0, 0, x'', -1);
CREATE TABLE rounds (
    entry INTEGER PRIMARY KEY, sha256 BLOB, length INTEGER, partition INTEGER, table_id TEXT,
    round_id TEXT, number TEXT, gaming_day TEXT, game TEXT, opened_at_ms INTEGER,
    sealed_at_ms INTEGER, outcome TEXT, first_offset INTEGER, last_offset INTEGER,
    closed_at INTEGER, occurred_at_us INTEGER, currency TEXT, staked_minor INTEGER,
    returned_minor INTEGER, house_net_minor INTEGER, next_number TEXT);
CREATE INDEX rounds_by_id ON rounds (round_id);
CREATE INDEX rounds_by_number ON rounds (table_id, number);
CREATE INDEX rounds_by_place ON rounds (table_id, partition, first_offset);
CREATE INDEX rounds_by_day ON rounds (gaming_day, opened_at_ms);
CREATE INDEX rounds_by_time ON rounds (opened_at_ms);
CREATE TABLE patrons (patron_id TEXT, entry INTEGER, position INTEGER,
    PRIMARY KEY (patron_id, entry, position)) WITHOUT ROWID;
CREATE INDEX patrons_by_round ON patrons (entry, position);
CREATE TABLE cases (entry INTEGER, partition INTEGER, "offset" INTEGER, broker_time_ms INTEGER,
    case_id TEXT, round_id TEXT, table_id TEXT, event_id TEXT, body TEXT);
CREATE INDEX cases_by_id ON cases (case_id);
CREATE INDEX cases_by_round ON cases (round_id);
CREATE INDEX cases_by_table ON cases (table_id);
CREATE TABLE builds (entry INTEGER, partition INTEGER, "offset" INTEGER, broker_time_ms INTEGER,
    processor TEXT, build TEXT, instance TEXT);
CREATE TABLE holds (entry INTEGER, partition INTEGER, "offset" INTEGER, table_id TEXT,
    event_id TEXT, releases TEXT, holds INTEGER);
CREATE INDEX holds_by_table ON holds (table_id);
CREATE TABLE strays (subject TEXT, entry INTEGER, PRIMARY KEY (subject, entry)) WITHOUT ROWID;
CREATE TABLE documents (entry INTEGER PRIMARY KEY, name TEXT, sha256 BLOB, length INTEGER);
"""
_GONE = (
    "game = '', outcome = '', closed_at = NULL, occurred_at_us = NULL, currency = '',"
    " staked_minor = NULL, returned_minor = NULL, house_net_minor = NULL, next_number = NULL"
)
_LONG_IN = (
    "SELECT r.entry FROM documents d JOIN rounds r ON r.entry = d.entry WHERE d.name ="
    f" '{LONG_ROUND}' AND EXISTS (SELECT 1 FROM strays s WHERE s.subject = r.round_id"
    " AND s.entry BETWEEN ? AND ?)"
)
"""Rounds of documents with records in remainders between two entries."""
_SEATED = "SELECT entry FROM patrons"
_NUMBER_AT = 7
"""How many columns of a round there are up to its number; the next one's is the last."""
_CHANGES_AT = 24
"""Where an SQLite file's header has its change counter, 4 bytes, the first the highest."""
_TABLES = ("rounds", "patrons", "cases", "builds", "holds", "strays", "documents")


class _Foreign(Exception):
    """It is another program's file."""


class NotFound(LookupError):
    """One line: no sealed round has this name, or several have."""


@dataclass(frozen=True, slots=True)
class IndexedRound:
    """A sealed round. `sha256`, `length`: of its transcript. Amounts in minor units of `currency`.

    `entry`: of its leaf; of one too long for a leaf, the document's that tells of it.
    """

    entry: int
    sha256: bytes
    length: int
    partition: int
    table_id: str
    round_id: str
    number: int
    gaming_day: str
    game: str
    opened_at_ms: int
    sealed_at_ms: int
    outcome: str  # "settled", "voided"; "": its bytes are not there, nor what they say
    first_offset: int
    last_offset: int
    closed_at: int | None
    """Offset of the RoundClosed that ended it, if one did."""
    occurred_at_us: int | None
    """When it opened, by the device's clock."""
    currency: str
    staked_minor: int | None
    returned_minor: int | None
    house_net_minor: int | None
    next_number: int | None
    """Of the round whose opening ended it, if one did."""

    @property
    def gone(self) -> bool:
        """Whether its bytes were not there, so that only its manifest is known."""
        return not self.game


@dataclass(frozen=True, slots=True)
class IndexedCase:
    """A record of a case, or one that claims to be.

    `round_id`: which round it speaks of; "": it names the case alone. `body`: of its record; None:
    its bytes are none.
    """

    entry: int
    partition: int
    offset: int
    broker_time_ms: int
    case_id: str
    round_id: str
    table_id: str
    event_id: str
    body: str | None


@dataclass(frozen=True, slots=True)
class IndexedBuild:
    """A process that started."""

    entry: int
    partition: int
    offset: int
    broker_time_ms: int
    processor: str
    build: str
    instance: str


@dataclass(frozen=True, slots=True)
class IndexedHold:
    """A table held, or released: then `releases` is the event id of the hold that ended."""

    entry: int
    partition: int
    offset: int
    table_id: str
    event_id: str
    releases: str
    holds: bool


class Index:
    """Of one archive. Raises StoreError where its file cannot be read or written."""

    def __init__(self, store: Store, path: Path, database: sqlite3.Connection) -> None:
        self._store, self._path, self._database = store, path, database
        self._partitions = 0  # known once there is something to add
        # Kept open: a process that closes any descriptor of a file loses its locks on it.
        self._header = path.open("rb", buffering=0)

    @classmethod
    def open(cls, store: Store, path: Path) -> "Index":
        """Open it, or make an empty one, where no file is. `update` brings it up to date."""
        try:
            database = sqlite3.connect(path, timeout=WAIT_S, isolation_level=None)
            try:
                _prepare(database)
            except BaseException:
                database.close()
                raise
        except sqlite3.Error as error:
            raise StoreError(f"{path}: {error}") from None
        except _Foreign:
            raise StoreError(f"{path}: is no index of an archive") from None
        try:
            return cls(store, path, database)
        except OSError as error:
            database.close()
            raise StoreError(f"{path}: {error.strerror}") from None

    def close(self) -> None:
        self._database.close()
        self._header.close()

    @staticmethod
    def copy(there: Path, here: Path) -> None:
        """Begin a new index as a copy of one that nobody may write to; where that cannot be read,
        there is none.
        """
        source = f"file:{quote(str(there))}?mode=ro"
        with (
            suppress(sqlite3.Error, OSError),
            closing(sqlite3.connect(source, uri=True)) as old,
            closing(sqlite3.connect(here, isolation_level=None)) as new,
            there.open("rb", buffering=0) as header,
        ):
            old.execute("BEGIN")
            is_own = old.execute("SELECT changes FROM state").fetchone() == (_changes(header),)
            old.backup(new)
            if is_own:
                with here.open("rb", buffering=0) as header_here:
                    changes = _changes(header_here)
                new.execute("UPDATE state SET changes = ?", (changes + 1,))

    def update(self, progress: Callable[[int], None] = lambda _count: None) -> int:
        """Take in what the archive has sealed by now; how many entries. Raises BadArchive.

        `progress`: is told how many it has taken in so far.
        """
        count = 0
        self._partitions = self._about().partitions
        try:
            self._follow()
            while added := self._add_some():
                count += added
                progress(count)
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from None
        return count

    def round(self, name: str) -> IndexedRound:
        """By TABLE/NUMBER, or an id, or its first 8 characters or more. Raises NotFound."""
        found = self.rounds_named(name)
        if len(found) == 1:
            return found[0]
        if not found:
            raise NotFound(
                f"{name}: no such round is sealed here; one that is open, or lacks a decision,"
                " is sealed later"
            )
        raise NotFound(_ambiguous(name, found))

    def rounds_named(self, name: str) -> list[IndexedRound]:
        """All that a name as `round` takes it fits. Raises NotFound for what names no round."""
        table, slash, number = name.rpartition("/")
        if slash:
            if not table or not _NUMBER.fullmatch(number):
                raise NotFound(
                    f"{name}: found {number!r} after the slash; TABLE/NUMBER names a round"
                )
            return self._select("table_id = ? AND number = ?", table, sortable(int(number)))
        prefix = name.lower()
        if not _ID_PREFIX.fullmatch(prefix):
            raise NotFound(
                f"{name}: is neither TABLE/NUMBER nor the first {PREFIX_CHARACTERS_MIN}"
                " characters or more of a round's id"
            )
        return self._select("round_id >= ? AND round_id < ?", prefix, prefix + "~")

    def round_at(self, table_id: str, round_id: str) -> IndexedRound | None:
        """The round of this table and id."""
        found = self._select("round_id = ? AND table_id = ?", round_id, table_id)
        return found[0] if found else None

    def rounds(
        self,
        *,
        table: str | None = None,
        gaming_day: str | None = None,
        patron: str | None = None,
        position: int | None = None,
        last: int | None = None,
    ) -> Iterator[IndexedRound]:
        """Those that all of this fits, in the order in which they opened; `last`: the newest."""
        conditions: list[str] = []
        values: list[object] = []

        def where(condition: str, *given: object) -> None:
            conditions.append(condition)
            values.extend(given)

        if table is not None:
            where("table_id = ?", table)
        if gaming_day is not None:
            where("gaming_day = ?", gaming_day)
        if patron is not None and position is not None:
            where(f"entry IN ({_SEATED} WHERE patron_id = ? AND position = ?)", patron, position)
        elif patron is not None:
            where(f"entry IN ({_SEATED} WHERE patron_id = ?)", patron)
        elif position is not None:
            where(f"EXISTS ({_SEATED} p WHERE p.entry = rounds.entry AND position = ?)", position)
        yield from self._pages(" AND ".join(conditions) or "TRUE", values, last)

    def documents(self, name: str) -> list[tuple[int, bytes, int]]:
        """Entry, SHA-256 and length of each document of this name, in their order."""
        return self._all(
            "SELECT entry, sha256, length FROM documents WHERE name = ? ORDER BY entry", name
        )

    def builds(self, before_ms: int) -> list[IndexedBuild]:
        """Processes that started before this broker time, in the order in which they did."""
        rows = self._all(
            "SELECT * FROM builds WHERE broker_time_ms < ?"
            ' ORDER BY broker_time_ms, partition, "offset"',
            before_ms,
        )
        return [IndexedBuild(*row) for row in rows]

    def cases(self, round_id: str) -> list[IndexedCase]:
        """All records of the cases of which any speaks of this round, by case and place."""
        rows = self._all(
            "SELECT * FROM cases WHERE case_id != '' AND body IS NOT NULL AND case_id IN"
            " (SELECT case_id FROM cases WHERE round_id = ?)"
            ' ORDER BY case_id, partition, "offset"',
            round_id,
        )
        return [IndexedCase(*row) for row in rows]

    def case_records(self, tables: Collection[str] | None = None) -> list[IndexedCase]:
        """All records of cases, and what claims to be one; or those of some tables. By place."""
        marks = ", ".join("?" * len(tables or ()))
        where = "TRUE" if tables is None else f"table_id IN ({marks})"
        order = 'ORDER BY partition, "offset"'
        rows = self._all(f"SELECT * FROM cases WHERE {where} {order}", *(tables or ()))
        return [IndexedCase(*row) for row in rows]

    def case_records_named(self, column: str, begins: str) -> list[IndexedCase]:
        """Those whose `case_id` or `event_id` begins so."""
        where = f"substr({column}, 1, length(?)) = ?"
        rows = self._all(f"SELECT * FROM cases WHERE {where}", begins, begins)
        return [IndexedCase(*row) for row in rows]

    def strays(self, round_id: str) -> list[int]:
        """Entries of the remainders in which records name this round."""
        rows = self._all("SELECT entry FROM strays WHERE subject = ? ORDER BY entry", round_id)
        return [entry for (entry,) in rows]

    def holds(self, table_id: str) -> list[IndexedHold]:
        """Holds and releases of a table, in the order of the journal."""
        rows = self._all('SELECT * FROM holds WHERE table_id = ? ORDER BY "offset"', table_id)
        return [IndexedHold(*(*row[:-1], bool(row[-1]))) for row in rows]

    def opened_before(self, table_id: str, partition: int, offset: int) -> IndexedRound | None:
        """The last round of a table that opened at this offset or before: open then, or over."""
        found = self._select(
            "table_id = ? AND partition = ? AND first_offset <= ?"
            " ORDER BY first_offset DESC LIMIT 1",
            table_id, partition, offset,
        )
        return found[0] if found else None

    def leaf(self, entry: int) -> ArchiveLeaf:
        """An entry's manifest. Raises BadArchive."""
        number = entry // WIDTH
        entries = bundle(self._store, number, min(WIDTH, self._size() - number * WIDTH))
        return parse_manifest(entry, entries[entry % WIDTH])

    def records_of(self, round_: IndexedRound) -> list[Stored]:
        """All that lies in a round's transcript. Raises BadArchive."""
        entry = round_.entry
        return records_in(entry, *round_of(self._store, self._size(), entry, self.leaf(entry)))

    def _size(self) -> int:
        ((size,),) = self._all("SELECT size FROM state")
        return int(size)

    def _about(self) -> About:
        data = self._store.read(layout.LOG)
        if data is None:
            raise BadArchive(f"is no archive: it has no {layout.LOG}")
        return About.parse(data)

    def _follow(self) -> None:
        """Aim at the newest tree; from the beginning, where it does not continue what is there."""
        with self._transaction() as database:
            origin = self._about().origin
            tree = newest(self._store, origin) or Checkpoint(origin, 0, EMPTY_ROOT)
            size, root = database.execute("SELECT size, root FROM state").fetchone()
            continues = size <= tree.size and (
                size == 0 or Tiles(self._store, tree.size).root_of_first(size) == root
            )
            if not continues:
                _empty(database)
            database.execute("UPDATE state SET size = ?, root = ?", (tree.size, tree.root))

    def _add_some(self) -> int:
        """Some entries more; 0: all are there. Another process may do so by turns with this."""
        with self._transaction() as database:
            done, size = database.execute("SELECT done, size FROM state").fetchone()
            end: int = min(size, (done // WIDTH + BUNDLES_AT_ONCE) * WIDTH)
            for number in range(done // WIDTH, -(-end // WIDTH)):
                width = min(WIDTH, size - number * WIDTH)
                for entry, data in enumerate(bundle(self._store, number, width), number * WIDTH):
                    if entry >= done:
                        self._add(database, size, entry, data)
            database.execute("UPDATE state SET done = ?", (end,))
        return end - int(done)

    def _add(self, database: sqlite3.Connection, size: int, entry: int, data: bytes) -> None:
        leaf = parse_manifest(entry, data)
        try:
            for table, values in rows_of(self._store, size, self._partitions, entry, leaf):
                marks = ", ".join("?" * len(values))
                database.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", values)
            if leaf.document.name == DELETION:
                for deletion in read_deletions(self._store, [leaf]):
                    _forget(database, deletion)
        except (BadArchive, OverflowError) as problem:
            raise BadArchive(f"entry {entry}: {problem}") from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            changes = _changes(self._header)
            if database.execute("SELECT changes FROM state").fetchone() != (changes,):
                _empty(database)
            yield database
            database.execute("UPDATE state SET changes = ?", (changes + 1,))
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")

    def _pages(
        self, where: str, values: list[object], last: int | None
    ) -> Iterator[IndexedRound]:
        """By pages, as who holds a query open keeps writers out."""
        order, at = "opened_at_ms, entry", (-(1 << 63), -1)
        if last is not None:
            start = self._all(
                f"SELECT {order} FROM (SELECT {order} FROM rounds WHERE {where}"
                " ORDER BY opened_at_ms DESC, entry DESC LIMIT ?) ORDER BY 1, 2 LIMIT 1",
                *values, last,
            )
            at = (start[0][0], start[0][1] - 1) if start else at
        while page := self._select(
            f"({where}) AND ({order}) > (?, ?) ORDER BY {order} LIMIT {_PAGE}", *values, *at
        ):
            yield from page
            at = (page[-1].opened_at_ms, page[-1].entry)

    def _select(self, where: str, *values: object) -> list[IndexedRound]:
        rows = self._all(f"SELECT * FROM rounds WHERE {where}", *values)
        return [_round_of(row) for row in rows]

    def _all(self, query: str, *values: object) -> list[Any]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from None


def _prepare(database: sqlite3.Connection) -> None:
    """Make the tables, where the file is new or of another version. Raises _Foreign."""
    database.execute("BEGIN IMMEDIATE")
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    there = [name for (name,) in database.execute("SELECT name FROM sqlite_schema")]
    if application != _APPLICATION and there:
        raise _Foreign
    if (application, version) != (_APPLICATION, _VERSION):
        for table in _TABLES if there else ():
            database.execute(f"DROP TABLE IF EXISTS {table}")
        database.execute("DROP TABLE IF EXISTS state")
        for statement in _SCHEMA.split(";"):
            database.execute(statement)
        database.execute(f"PRAGMA application_id = {_APPLICATION}")
        database.execute(f"PRAGMA user_version = {_VERSION}")
    database.execute("COMMIT")


def _changes(header: FileIO) -> int:
    """How many transactions have changed an SQLite file; 0: there is nothing in it yet."""
    return int.from_bytes(os.pread(header.fileno(), 4, _CHANGES_AT), "big")


def _empty(database: sqlite3.Connection) -> None:
    for table in _TABLES:
        database.execute(f"DELETE FROM {table}")
    database.execute("UPDATE state SET done = 0")


def _forget(database: sqlite3.Connection, deletion: Deletion) -> None:
    """What lay in bytes that were deleted is not kept here either; manifests are."""
    for span in deletion.entries:
        database.execute(f"UPDATE rounds SET {_GONE} WHERE entry BETWEEN ? AND ?", span)
        long = [entry for (entry,) in database.execute(_LONG_IN, span)]
        for entry in long:
            database.execute(f"UPDATE rounds SET {_GONE} WHERE entry = ?", (entry,))
            database.execute("DELETE FROM patrons WHERE entry = ?", (entry,))
        for table in ("patrons", "cases", "builds", "holds", "strays"):
            database.execute(f"DELETE FROM {table} WHERE entry BETWEEN ? AND ?", span)


def _round_of(row: tuple[Any, ...]) -> IndexedRound:
    *before, number = row[:_NUMBER_AT]
    *after, next_number = row[_NUMBER_AT:]
    return IndexedRound(
        *(*before, int(number), *after, None if next_number is None else int(next_number))
    )


def _ambiguous(name: str, found: list[IndexedRound]) -> str:
    if len(found) > CANDIDATES_MAX:
        return f"{name}: begins the ids of {len(found)} rounds; give more, or TABLE/NUMBER"
    return f"{name}: names {len(found)} rounds: {', '.join(round_.round_id for round_ in found)}"
