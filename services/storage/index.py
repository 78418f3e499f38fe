"""An index of an archive, in an SQLite file: to find in it quickly. It is no evidence.

It is made of the archive alone and may be deleted at any time. It remembers up to which entry it
has come, and under which checkpoint: where that one is not the archive's any more, all is made
anew. So it is where another program has written into it: SQLite counts in the file's header the
transactions that changed it, and each of this module's notes the count that it leaves behind. What
no SQLite has written, as bytes patched in the file, is not noticed. Transactions are short, so that
one process reads while another one brings it up to date.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from io import FileIO
from pathlib import Path
from urllib.parse import quote

from pitledger.archive import layout
from pitledger.archive.deletions import NAME as DELETION
from pitledger.archive.deletions import read_deletions
from pitledger.archive.leaves import parse_manifest
from pitledger.archive.log import About, newest
from pitledger.archive.merkle import EMPTY_ROOT, WIDTH
from pitledger.archive.note import Checkpoint
from pitledger.archive.store import BadArchive, Store, StoreError
from pitledger.archive.tiles import Tiles, bundle
from services.storage.index_tables import ForeignFile, empty, forget, prepare
from services.storage.queries import Queries
from services.storage.rows import rows_of

BUNDLES_AT_ONCE = 4
"""How many bundles of 256 entries are read in one transaction."""
WAIT_S = 60
"""How long another process's transaction is waited for; each takes well below a second."""
_CHANGES_AT = 24
"""Where an SQLite file's header has its change counter, 4 bytes, the first the highest."""


class Index(Queries):
    """Of one archive. Raises StoreError where its file cannot be read or written."""

    def __init__(self, store: Store, path: Path, database: sqlite3.Connection) -> None:
        super().__init__(store, path, database)
        self._partitions = 0  # known once there is something to add
        # Kept open: a process that closes any descriptor of a file loses its locks on it.
        self._header = path.open("rb", buffering=0)

    @classmethod
    def open(cls, store: Store, path: Path) -> "Index":
        """Open it, or make an empty one, where no file is. `update` brings it up to date."""
        try:
            database = sqlite3.connect(path, timeout=WAIT_S, isolation_level=None)
            try:
                prepare(database)
            except BaseException:
                database.close()
                raise
        except sqlite3.Error as error:
            raise StoreError(f"{path}: {error}") from None
        except ForeignFile:
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
                empty(database)
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
                    forget(database, deletion)
        except (BadArchive, OverflowError) as problem:
            raise BadArchive(f"entry {entry}: {problem}") from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            changes = _changes(self._header)
            if database.execute("SELECT changes FROM state").fetchone() != (changes,):
                empty(database)
            yield database
            database.execute("UPDATE state SET changes = ?", (changes + 1,))
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")


def _changes(header: FileIO) -> int:
    """How many transactions have changed an SQLite file; 0: there is nothing in it yet."""
    return int.from_bytes(os.pread(header.fileno(), 4, _CHANGES_AT), "big")
