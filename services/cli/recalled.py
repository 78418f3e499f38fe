"""The rounds that a recall is of, each replayed: by an archive's index, or out of a journal."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pitledger.journal.record import Stored, partition_of
from services.cli import archived
from services.cli.output import fail
from services.cli.source import Journal, table_named
from services.cli.transcript import Transcript, find, replayed

if TYPE_CHECKING:
    from pitledger.replay import RoundReport


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rounds; None: any."""

    table: str | None
    position: int | None
    patron: str | None
    gaming_day: str | None
    round_: str | None
    last: int

    @property
    def asks_for_nothing(self) -> bool:
        return not any((self.table, self.patron, self.gaming_day, self.round_))

    @property
    def is_contradictory(self) -> bool:
        others = (self.table, self.position, self.patron, self.gaming_day)
        return self.round_ is not None and any(others)

    def fits(self, report: "RoundReport") -> bool:
        """A round of the table that is over."""
        opened = report.opened.round_opened
        return (
            report.state != "open"
            and self.gaming_day in (None, opened.gaming_day)
            and ((self.position is None and self.patron is None) or any(
                self.position in (None, seat.position) and self.patron in (None, seat.patron_id)
                for seat in opened.seats
            ))
        )

    def __str__(self) -> str:
        return self.of if self.round_ else f"the last {self.last} of {self.of}"

    @property
    def of(self) -> str:
        """What its rounds have in common."""
        parts = {
            "round": self.round_,
            "table": self.table,
            "position": self.position,
            "patron": self.patron,
            "gaming day": self.gaming_day,
        }
        return ", ".join(f"{name} {value}" for name, value in parts.items() if value is not None)


@dataclass(frozen=True, slots=True)
class Recalled:
    """`gone`: TABLE/NUMBER of rounds whose bytes an archive has no more."""

    of: str
    transcripts: tuple[Transcript, ...]
    gone: tuple[str, ...] = ()


def recalled(journal: Journal, wanted: Wanted, index: Path | None) -> Recalled:
    """The rounds in the order in which they opened. Raises Failed where there is none."""
    if wanted.round_ is not None:
        found = Recalled(str(wanted), (find(journal, wanted.round_, None, index),))
    elif journal.archived:
        found = _archived(journal, wanted, index)
    else:
        archived.refuse_index(index)
        found = Recalled(str(wanted), tuple(_of_journal(journal, wanted)))
    if not found.transcripts and not found.gone:
        fail(f"{journal.name}: has no finished round of {wanted.of}")
    return found


def _archived(journal: Journal, wanted: Wanted, path: Path | None) -> Recalled:
    from services.storage.about_round import records_about

    store = archived.store_of(journal.name)
    transcripts, gone = [], []
    with archived.index_of(journal.name, path) as index:
        for round_ in index.rounds(
            table=wanted.table,
            gaming_day=wanted.gaming_day,
            patron=wanted.patron,
            position=wanted.position,
            last=wanted.last,
        ):
            if round_.gone:
                gone.append(f"{round_.table_id}/{round_.number}")
                continue
            records = records_about(store, index, round_)
            transcript = replayed(journal, round_.round_id, round_.table_id, records, None)
            if transcript is not None:
                transcripts.append(transcript)
    return Recalled(str(wanted), tuple(transcripts), tuple(gone))


def _of_journal(journal: Journal, wanted: Wanted) -> Iterator[Transcript]:
    """Read twice: which rounds there are, and the records of their tables."""
    from pitledger.replay import Replay

    table = wanted.table
    partitions = None if table is None else [partition_of(table_named(table), journal.partitions)]
    replay = Replay(journal.partitions, only_table=table)
    for stored in journal.records(partitions):
        replay.take(stored)
    reports = [report for report in replay.reports(so_far=journal.live) if wanted.fits(report)]
    reports.sort(key=lambda report: report.opened.occurred_at)
    reports = reports[-wanted.last :]
    tables = {report.table_id.encode() for report in reports}
    records: defaultdict[bytes, list[Stored]] = defaultdict(list)
    for stored in journal.records({report.partition for report in reports}):
        if stored.key in tables:
            records[stored.key].append(stored)
    for report in reports:
        of_table = records[report.table_id.encode()]
        at_home = (stored for stored in of_table if stored.partition == report.partition)
        transcript = replayed(journal, report.round_id, report.table_id, at_home, None)
        if transcript is not None:
            yield transcript
