"""An export's folder: written beside its place by several processes, and renamed when it is whole.

    TABLE/part-00.jsonl, TABLE/part-01.jsonl ...    (or .parquet): one part a process
    manifest.json                                   what is in it, of what, by which build
"""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import Any, Protocol

from pitledger.cases.journal import spoken_of
from pitledger.journal.record import Stored
from services.export import schema
from services.export.chosen import Chosen
from services.export.event import Row
from services.export.reading import Reader
from services.export.schema import TABLES, Table

Records = Callable[[range], Iterator[Stored]]
"""The journal's records of some partitions, each one's in the order of its offsets."""

MANIFEST = "manifest.json"
_SUMS = ("staked_minor", "returned_minor", "positions_net_minor", "house_net_minor",
         "pot_net_minor")


class Exists(Exception):
    """Something lies where the export should; the text is one line."""


class _Writer(Protocol):
    rows: int

    def add(self, row: Row) -> None: ...

    def close(self) -> None: ...


MakeWriter = Callable[[Path, Table], _Writer]


@dataclass(frozen=True, slots=True)
class Job:
    """What to export, and how. `suffix`: of the files that `writer` writes; `workers`: processes
    for so many parts."""

    records: Records
    partitions: int
    chosen: Chosen
    writer: MakeWriter
    suffix: str
    workers: Callable[[int], AbstractContextManager[ProcessPoolExecutor]]


@dataclass(slots=True)
class Part:
    """What one process wrote."""

    files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # by table
    read: int = 0
    ranges: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By partition: the first and the last offset that were read."""
    money: dict[str, Counter[str]] = field(default_factory=dict)  # by currency

    def add(self, other: "Part") -> None:
        for table, files in other.files.items():
            self.files.setdefault(table, []).extend(files)
        self.read += other.read
        self.ranges |= other.ranges
        for currency, sums in other.money.items():
            self.money.setdefault(currency, Counter()).update(sums)


def write(
    job: Job, out: Path, processes: int, source: dict[str, Any], made: dict[str, Any]
) -> dict[str, Any]:
    """Write the export and return its manifest. Raises Exists, OSError; then nothing is there."""
    if out.exists() or out.is_symlink():
        raise Exists(f"{out}: is there already; an export is written into a new folder")
    aside = out.with_name(f".{out.name}.{os.getpid()}.partial")
    aside.mkdir(parents=True)
    try:
        written = _write_parts(job, aside, processes)
        manifest = _manifest(job, written, source, made)
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        (aside / MANIFEST).write_text(text, encoding="utf-8")
        if out.exists():
            raise Exists(f"{out}: came to be while the export was written")
        aside.rename(out)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    return manifest


def _write_parts(job: Job, folder: Path, processes: int) -> Part:
    for table in TABLES:
        (folder / table.name).mkdir()
    if processes == 1:
        return _write_part(job, folder, 1, 0)
    whole = Part()
    with job.workers(processes) as pool:
        work = partial(_write_part, job, folder, processes)
        for part in pool.map(work, range(processes)):
            whole.add(part)
    return whole


def _write_part(job: Job, folder: Path, shares: int, share: int) -> Part:
    """In a process of its own: every `shares`-th partition."""
    own = range(share, job.partitions, shares)
    part = Part()
    files = _Files(job, folder, share)

    def sink(table: str, row: Row) -> None:
        files.add(table, row)
        if table == "rounds" and row["state"] != "open":
            sums = part.money.setdefault(row["currency"], Counter())
            sums.update({f"rounds_{row['state']}": 1, **{name: row[name] for name in _SUMS}})

    reader = Reader(job.partitions, spoken_of(job.records(own), job.partitions), job.chosen, sink)
    for stored in job.records(own):
        part.read += 1
        first, _ = part.ranges.get(stored.partition, (stored.offset, 0))
        part.ranges[stored.partition] = first, stored.offset
        reader.take(stored)
    reader.end()
    part.files = files.close()
    return part


class _Files:
    """One part's files; the first part has one of every table, so that an empty one has columns."""

    def __init__(self, job: Job, folder: Path, share: int) -> None:
        self._job, self._folder, self._share = job, folder, share
        self._writers: dict[str, _Writer] = {}
        for table in TABLES if share == 0 else ():
            self._open(table.name)

    def add(self, table: str, row: Row) -> None:
        writer = self._writers.get(table) or self._open(table)
        writer.add(row)

    def close(self) -> dict[str, list[dict[str, Any]]]:
        """Each table's file: its path, rows, bytes and SHA-256."""
        told = {}
        for table, writer in self._writers.items():
            writer.close()
            path = self._path(table)
            with path.open("rb") as file:
                digest = file_digest(file, "sha256").hexdigest()
            told[table] = [
                {
                    "path": path.relative_to(self._folder).as_posix(),
                    "rows": writer.rows,
                    "bytes": path.stat().st_size,
                    "sha256": digest,
                }
            ]
        return told

    def _open(self, table: str) -> _Writer:
        writer = self._job.writer(self._path(table), schema.BY_NAME[table])
        self._writers[table] = writer
        return writer

    def _path(self, table: str) -> Path:
        return self._folder / table / f"part-{self._share:02}{self._job.suffix}"


def _manifest(
    job: Job, written: Part, source: dict[str, Any], made: dict[str, Any]
) -> dict[str, Any]:
    return {
        "format": schema.FORMAT,
        **made,
        "source": {
            **source,
            "records_read": written.read,
            "offsets": {
                str(partition): list(offsets)
                for partition, offsets in sorted(written.ranges.items())
            },
        },
        "chosen": asdict(job.chosen),
        "money": {currency: dict(sums) for currency, sums in sorted(written.money.items())},
        "tables": {
            table.name: {
                "rows": sum(file["rows"] for file in written.files.get(table.name, ())),
                "files": written.files.get(table.name, []),
                "columns": {column.name: column.type for column in table.columns},
            }
            for table in TABLES
        },
    }
