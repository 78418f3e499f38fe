"""`pitledger gaps`: round numbers that are missing, and rounds that opened and are not sealed."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli import moments
from services.cli.archived import IndexPath, index_of, refuse_index
from services.cli.output import counted, fail, printable, say, say_json, warn
from services.cli.source import From, Partitions, open_journal, table_named

if TYPE_CHECKING:
    from services.cli.source import Journal


class Kind(StrEnum):
    """What is wrong with some numbers of a table."""

    MISSING = "missing"
    NOT_SEALED = "not sealed"
    SET_BACK = "set back"


@dataclass(frozen=True, slots=True)
class Numbered:
    """A round that opened. `complete`: over, and all its decisions recorded; sealed, in an archive.
    `next_number`: of the round whose opening ended it, as its own leaf tells.
    """

    table: str
    gaming_day: str
    number: int
    complete: bool = True
    next_number: int | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Numbers from `first` to `last`; set back: to `first`, after `last`.

    `gaming_day`: of the round after them; where none follows, of the one before, or their own.
    """

    table: str
    gaming_day: str
    kind: Kind
    first: int
    last: int

    def __str__(self) -> str:
        one = self.first == self.last
        which = f"round {self.first}" if one else f"rounds {self.first} to {self.last}"
        match self.kind:
            case Kind.MISSING:
                text = f"{which} {'is' if one else 'are'} missing"
            case Kind.NOT_SEALED:
                text = f"{which} opened and is not sealed"
            case Kind.SET_BACK:
                text = f"the numbers were set back from {self.last} to {self.first}"
        return f"{self.table}, gaming day {self.gaming_day or 'unknown'}: {text}"


def gaps(
    source: From,
    table: Annotated[
        str | None, typer.Option(help="Only this table's.", show_default=False)
    ] = None,
    gaming_day: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", show_default=False,
                                 help="Only this gaming day's gaps.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partitions: Partitions = None,
    index: IndexPath = None,
) -> None:
    """Report round numbers that are missing, table by table (58 Pa. Code 465a.3).

    A table's numbers rise by one. Told are those that no round bears; rounds that opened and are
    not sealed (of a file or Kafka: that are not over, or lack decisions); numbers that were set
    back. What a table is dealing on Kafka at the moment is no gap. Not known is what lies before
    the first round that is there, and of an archive what it has not reached yet.

    Exit 0: none; 1: gaps; 2: the journal cannot be read, or has no such table.
    """
    if table is not None:
        table_named(table)
    if gaming_day is not None:
        moments.gaming_day("--gaming-day", gaming_day)
    journal = open_journal(source, partitions)
    if journal.archived:
        rounds = _archived(journal, table, index)
    else:
        refuse_index(index)
        rounds = _of_journal(journal, table)
    if table is not None and not rounds:
        fail(f"{journal.name}: has no round of table {table}")
    found = [gap for gap in find_gaps(rounds) if gaming_day in (None, gap.gaming_day)]
    rounds = [each for each in rounds if gaming_day in (None, each.gaming_day)]
    if not rounds:
        day = f" of gaming day {gaming_day}" if gaming_day is not None else ""
        warn(f"pitledger: {journal.name}: no rounds{day}")
    tables = len({each.table for each in rounds})
    if as_json:
        say_json({"rounds": len(rounds), "tables": tables, "gaps": [asdict(gap) for gap in found]})
    else:
        for gap in found:
            say(printable(str(gap)))
        gaps_ = counted(len(found), "gap") if found else "no gaps"
        say(f"{counted(len(rounds), 'round')} of {counted(tables, 'table')}: {gaps_}")
    raise typer.Exit(1 if found else 0)


def find_gaps(rounds: Iterable[Numbered]) -> Iterator[Gap]:
    """Of rounds in the order in which they opened, each table's together."""
    for table, played in groupby(rounds, key=lambda each: each.table):
        before: Numbered | None = None
        for each in played:
            if before is not None:
                yield from _between(before, each)
            if not each.complete:
                yield Gap(table, each.gaming_day, Kind.NOT_SEALED, each.number, each.number)
            before = each
        if before is not None and before.next_number is not None:
            number = before.next_number
            yield from _missing(table, before.gaming_day, before.number + 1, number - 1)
            yield Gap(table, before.gaming_day, Kind.NOT_SEALED, number, number)


def _between(before: Numbered, after: Numbered) -> Iterator[Gap]:
    """What lies between two rounds of a table that follow each other."""
    table, day, first = after.table, after.gaming_day, before.number + 1
    if after.number <= before.number:
        yield Gap(table, day, Kind.SET_BACK, after.number, before.number)
        return
    opened = before.next_number
    if opened is not None and first <= opened < after.number:
        yield from _missing(table, day, first, opened - 1)
        yield Gap(table, day, Kind.NOT_SEALED, opened, opened)
        first = opened + 1
    yield from _missing(table, day, first, after.number - 1)


def _missing(table: str, gaming_day: str, first: int, last: int) -> Iterator[Gap]:
    if first <= last:
        yield Gap(table, gaming_day, Kind.MISSING, first, last)


def _archived(journal: "Journal", table: str | None, path: Path | None) -> list[Numbered]:
    with index_of(journal.name, path) as index:
        found = [
            (
                (round_.table_id, round_.first_offset),
                Numbered(
                    round_.table_id,
                    round_.gaming_day,
                    round_.number,
                    next_number=round_.next_number,
                ),
            )
            for round_ in index.rounds(table=table)
        ]
    found.sort(key=lambda each: each[0])
    return [numbered for _, numbered in found]


def _of_journal(journal: "Journal", table: str | None) -> list[Numbered]:
    from pitledger.journal.record import partition_of
    from pitledger.replay import OPEN, Replay

    partitions = None if table is None else [partition_of(table, journal.partitions)]
    replay = Replay(journal.partitions, only_table=table)
    for stored in journal.records(partitions):
        replay.take(stored)
    reports = sorted(replay.reports(), key=lambda each: (each.table_id, each.first_offset))
    dealing = {report.table_id: report.round_id for report in reports}
    return [
        Numbered(
            report.table_id,
            report.opened.round_opened.gaming_day,
            report.opened.round_opened.round_number,
            complete=(
                (report.state != OPEN and not report.missing)
                or (journal.live and dealing[report.table_id] == report.round_id)
                or journal.may_come(report.derived_at)
            ),
        )
        for report in reports
    ]
