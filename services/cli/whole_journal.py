"""`pitledger replay --all`: every round of a journal derived again, on all cores.

A file's or an archive's partitions are dealt out to processes: no round spans two. Kafka is read
by one.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from services.cli import archived
from services.cli.output import printable, say, say_json
from services.cli.workers import workers
from services.cores import cores, processes_for

if TYPE_CHECKING:
    from pitledger.replay import RoundReport
    from services.cli.source import Journal

DIFFERENCES_SHOWN_MAX = 20
ENTRIES_A_PROCESS_MIN = 200
"""A process of its own is not worth its start for less of an archive."""
NAMES = ("records", "rounds", "identical", "different", "not_recorded", "not_judged", "settled",
         "voided", "open", "decisions_derived", "decisions_recorded")


@dataclass(frozen=True, slots=True)
class Tally:
    """What a replay of some partitions came to."""

    counts: Counter[str] = field(default_factory=Counter)
    differences: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.counts.update(other.counts)
        self.differences.extend(other.differences)


def replay_all(journal: "Journal", as_json: bool) -> int:
    """Replay a journal and print the verdict; the exit code."""
    tally = _tally(journal)
    tally.differences.sort(key=lambda each: (each["table"], each["number"], each["round_id"]))
    counts = {name: tally.counts[name] for name in NAMES}
    if as_json:
        say_json(counts | {"differences": tally.differences})
    else:
        for line in _counted(counts, tally.differences):
            say(line)
    return 1 if tally.differences else 0


def _tally(journal: "Journal") -> Tally:
    processes = 1 if journal.live else _processes(journal)
    if processes == 1:
        return _fold(journal)
    tally = Tally()
    with workers(processes) as pool:
        for part in pool.map(partial(_fold_share, journal, processes), range(processes)):
            tally.add(part)
    return tally


def _processes(journal: "Journal") -> int:
    if journal.archived:
        return max(1, min(cores(), archived.size(journal.name) // ENTRIES_A_PROCESS_MIN))
    path = Path(journal.name)
    return processes_for(path.stat().st_size) if path.is_file() else 1


def _fold_share(journal: "Journal", shares: int, share: int) -> Tally:
    """In a process of its own: every `shares`-th partition."""
    return _fold(journal, range(share, journal.partitions, shares))


def _fold(journal: "Journal", partitions: range | None = None) -> Tally:
    from pitledger.replay import Replay

    folded = Replay(journal.partitions)
    tally = Tally()
    for stored in journal.records(partitions):
        tally.counts["records"] += 1
        folded.take(stored)
    for report in folded.reports():
        finding = _finding(journal, report)
        tally.counts.update(
            {
                "rounds": 1,
                finding: 1,
                # Of a round that it does not judge this build knows no end.
                report.state: int(finding != "not_judged"),
                "decisions_derived": report.derived,
                "decisions_recorded": report.recorded,
            }
        )
        if finding != "identical":
            tally.differences.append(_difference(report))
    return tally


def _finding(journal: "Journal", report: "RoundReport") -> str:
    """Identical also where it only waits for a decision that may still come."""
    if report.unjudged:
        return "not_judged"
    waits = journal.live and report.lacks
    if report.identical or (waits and journal.may_come(report.derived_at)):
        return "identical"
    return "not_recorded" if waits else "different"


def _difference(report: "RoundReport") -> dict[str, Any]:
    text = report.unjudged or (report.difference.text if report.difference else "")
    offset = report.difference.offset if report.difference else None
    return {
        "round_id": report.round_id,
        "table": report.table_id,
        "number": report.opened.round_opened.round_number,
        "offset": offset,
        "not_judged": bool(report.unjudged),
        "text": text,
    }


def _counted(counts: dict[str, int], different: list[dict[str, Any]]) -> Iterator[str]:
    yield (
        f"{counts['rounds']:,} rounds in {counts['records']:,} records: {counts['settled']:,}"
        f" settled, {counts['voided']:,} voided, {counts['open']:,} open"
    )
    yield (
        f"decisions: {counts['decisions_derived']:,} derived,"
        f" {counts['decisions_recorded']:,} of them recorded as derived"
    )
    for said in different[:DIFFERENCES_SHOWN_MAX]:
        name = f"{said['table']}/{said['number']}"
        text = f"not judged: {said['text']}" if said["not_judged"] else said["text"]
        yield printable(f"{name} {said['round_id']}: {text}")
    if len(different) > DIFFERENCES_SHOWN_MAX:
        yield f"and {len(different) - DIFFERENCES_SHOWN_MAX:,} more"
    from services.cli.transcript_text import BESIDES

    if counts["different"] and counts["decisions_recorded"] == counts["decisions_derived"]:
        yield BESIDES
    if not counts["rounds"]:
        yield "verdict: no round to replay"
    elif counts["different"]:
        yield f"verdict: DIFFERENT: {counts['different']:,} of {counts['rounds']:,} rounds"
    elif different:
        verdict = "NOT ALL RECORDED" if counts["not_recorded"] else "NOT ALL JUDGED"
        text = f"{counts['identical']:,} of {counts['rounds']:,} rounds are identical"
        if counts["not_recorded"]:
            text += (
                f", {counts['not_recorded']:,} lack decisions (pitledger doctor says whose they"
                " are)"
            )
        if counts["not_judged"]:
            text += f", {counts['not_judged']:,} are not judged by this build"
        yield f"verdict: {verdict}: {text}"
    else:
        yield f"verdict: identical: all {counts['rounds']:,} rounds"
