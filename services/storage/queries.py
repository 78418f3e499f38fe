"""What can be asked of an index of an archive."""

import re
import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from pitledger.archive.in_order import records_in
from pitledger.archive.leaves import parse_manifest
from pitledger.archive.long_rounds import round_of
from pitledger.archive.merkle import WIDTH
from pitledger.archive.store import Store, StoreError
from pitledger.archive.tiles import bundle
from pitledger.journal.record import Stored
from pitledger.pb.archive_pb2 import ArchiveLeaf
from services.storage.indexed import IndexedBuild, IndexedCase, IndexedHold, IndexedRound
from services.storage.rows import sortable

PREFIX_CHARACTERS_MIN = 8
CANDIDATES_MAX = 20
_PAGE = 1_000
_ID_PREFIX = re.compile("[0-9a-f-]{8,36}")
_NUMBER = re.compile("[0-9]{1,20}")
_SEATED = "SELECT entry FROM patrons"
_NUMBER_AT = 7
"""How many columns of a round there are up to its number; the next one's is the last."""


class NotFound(LookupError):
    """One line: no sealed round has this name, or several have."""


class Queries:
    """Of the index of one archive. Raises StoreError where its file cannot be read."""

    def __init__(self, store: Store, path: Path, database: sqlite3.Connection) -> None:
        self._store, self._path, self._database = store, path, database

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
