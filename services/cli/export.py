"""`pitledger export`: a journal or an archive as tables, in a regulator's own format."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli import archived
from services.cli.moments import gaming_days
from services.cli.output import Failed, fail, printable, say, say_json, warn
from services.cli.source import From, Journal, Partitions, open_journal, require_table

if TYPE_CHECKING:
    from pitledger.archive.note import Checkpoint
    from pitledger.journal.record import Stored
    from services.export.dataset import MakeWriter


class Format(StrEnum):
    """How tables are written."""

    JSONL = "jsonl"
    PARQUET = "parquet"


def export(
    source: From,
    output: Annotated[Path, typer.Option(
        "-o", "--output", show_default=False, help="The folder to make; it must not be there."
    )],
    format_: Annotated[
        Format, typer.Option("--format", help="JSON Lines, or Parquet (needs the extra parquet).")
    ] = Format.JSONL,
    gaming_day: Annotated[
        str | None,
        typer.Option(metavar="DAY", show_default=False,
                     help="Only this gaming day, as 2026-11-30; 2026-11 is a month."),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="Only this table's.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest.")] = False,
    partitions: Partitions = None,
) -> None:
    """Write everything that a journal holds as tables, each row with the way back to its event.

    Every record as it lies there; rounds, seats, wagers, circles, cards, hands, lines, answers,
    payments, irregularities, rulings; tables' events, cases, adjustments. Amounts are minor units.
    docs/export.md describes each column. A manifest has counts, sums and the SHA-256 of each file.

    Exit 0: written, and of what has no rounds the tables are empty; 2: no such table, or bad
    input, and nothing is there.
    """
    from services.cli.workers import workers
    from services.export.chosen import Chosen
    from services.export.dataset import Exists, Job, write
    from services.runtime.build import build

    writer, suffix = _writer(format_)
    day = None if gaming_day is None else gaming_days("--gaming-day", gaming_day)
    chosen = Chosen(table, day)
    journal = open_journal(source, partitions)
    if table is not None:
        require_table(journal, table)
    checkpoint = _checkpoint(journal)
    records = Records(journal, checkpoint.size if checkpoint else None)
    started = time.perf_counter()
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    made = {"format_of_files": format_.value, "build": build(), "made_at": now}
    job = Job(records, journal.partitions, chosen, writer, suffix, workers)
    try:
        manifest = write(job, output, _processes(journal), _source(journal, checkpoint), made)
    except Exists as problem:
        raise Failed(str(problem)) from None
    except OSError as error:  # of a disk that is full the system does not name the file
        raise Failed(f"{error.filename or output}: {error.strerror}") from None
    seconds = time.perf_counter() - started
    rows = {name: told["rows"] for name, told in manifest["tables"].items()}
    if not rows["rounds"]:
        warn(f"pitledger: {journal.name}: no rounds" + (f" of {chosen}" if chosen.some else ""))
    if as_json:
        say_json(manifest)
        return
    read = manifest["source"]["records_read"]
    say(printable(f"{output}: " + ", ".join(f"{name} {count:,}" for name, count in rows.items())))
    say(f"{read:,} records read in {seconds:.1f} s ({read / seconds:,.0f} records/s,"
        f" {rows['rounds'] / seconds:,.0f} rounds/s)")


@dataclass(frozen=True, slots=True)
class Records:
    """Reads the journal; of an archive what was sealed when the export began.

    `size`: of the archive's tree, None for what is no archive.
    """

    journal: Journal
    size: int | None

    def __call__(self, partitions: range) -> "Iterator[Stored]":
        if self.size is None:
            yield from self.journal.records(partitions)
            return
        from pitledger.archive.deletions import Deleted, read_deletions
        from pitledger.archive.in_order import in_order
        from pitledger.archive.log import manifests

        with archived.blamed_on(self.journal.name):
            store = archived.store_of(self.journal.name)
            deleted = Deleted(read_deletions(store, manifests(store, self.size)))
            yield from in_order(store, manifests(store, self.size), partitions, deleted)


def _writer(format_: Format) -> "tuple[MakeWriter, str]":
    match format_:
        case Format.JSONL:
            from services.export import jsonl

            return jsonl.Writer, jsonl.SUFFIX
        case Format.PARQUET:
            try:
                from services.export import parquet
            except ModuleNotFoundError:
                fail("--format parquet: needs pyarrow: install pitledger[parquet]")
            return parquet.Writer, parquet.SUFFIX


def _processes(journal: Journal) -> int:
    from services.cores import cores, processes_for

    path = Path(journal.name)
    if journal.archived or journal.live or not path.is_file():
        return min(cores(), journal.partitions)
    return processes_for(path.stat().st_size)


def _checkpoint(journal: Journal) -> "Checkpoint | None":
    if not journal.archived:
        return None
    from pitledger.archive.log import newest
    from pitledger.archive.merkle import EMPTY_ROOT
    from pitledger.archive.note import Checkpoint

    with archived.blamed_on(journal.name):
        origin = archived.about(journal.name).origin
        store = archived.store_of(journal.name)
        return newest(store, origin) or Checkpoint(origin, 0, EMPTY_ROOT)


def _source(journal: Journal, checkpoint: "Checkpoint | None") -> dict[str, Any]:
    kind = "archive" if checkpoint else "kafka" if journal.live else "file"
    told: dict[str, Any] = {
        "kind": kind, "name": journal.name, "partitions": journal.partitions
    }
    if checkpoint is not None:
        told |= {
            "origin": checkpoint.origin,
            "tree_size": checkpoint.size,
            "root": checkpoint.root.hex(),
            "deleted_entries": _deleted(journal.name, checkpoint.size),
        }
    return told


def _deleted(source: str, size: int) -> list[list[int]]:
    """Entries whose bytes were deleted after their term, first and last of each span."""
    from pitledger.archive.deletions import merged, read_deletions
    from pitledger.archive.log import manifests

    with archived.blamed_on(source):
        store = archived.store_of(source)
        deletions = read_deletions(store, manifests(store, size))
    return [[*span] for span in merged(span for one in deletions for span in one.entries)]
