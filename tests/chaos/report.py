"""What happened in a run: as JSON, on the terminal, and several runs as one document."""

import json
import os
import platform
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from services.broker.apache import RECIPES
from services.runtime.build import build
from tests.chaos.disk import Disk
from tests.chaos.floor import Floor
from tests.chaos.injector import Done
from tests.chaos.judge import Verdict
from tests.chaos.readers import Readers
from tests.chaos.watch import Watch
from tests.chaos.workers import Workers

if TYPE_CHECKING:
    from tests.chaos.run import Settings

GRACE_S = 2.0
"""A fault's harm may be seen so long after it was healed."""
FOUL_PLAY = {
    "facts_repeated": "facts repeated by devices",
    "facts_delayed": "facts that came more than 3 s late",
    "facts_of_another_time": "facts whose occurred_at is minutes or hours off",
    "undecodable": "undecodable messages",
    "no_facts": "messages that are no facts",
    "decisions_foreign": "forged and foreign decisions",
    "decisions_doubled": "decisions written more than once",
}


@dataclass(frozen=True, slots=True)
class Report:
    """A run, in plain values only, so that it can be kept as JSON."""

    seed: int
    seconds: float
    settings: dict[str, str]
    versions: dict[str, str]
    faults: list[dict]
    """number, kind, target, at_s, healed_s, live_s (None: never again), wait_s."""
    load_before: float
    """What else the machine did: its load average, when the run began."""
    counts: dict[str, int]
    floor: dict[str, int]
    ended_by_themselves: list[str]
    sentences: list[dict]

    @property
    def sound(self) -> bool:
        return all(not sentence["exceptions"] for sentence in self.sentences)


def make_report(
    settings: "Settings", load_before: float, done: Sequence[Done], watch: Watch,
    workers: Workers, readers: Readers, floor: Floor, disk: Disk, verdict: Verdict, clock: float,
) -> Report:
    """`load_before`: the machine's, when the run began. `clock`: what to add to a monotonic time
    for one since 1970, in seconds.
    """
    begun = min((one.injected_at - one.fault.at_s for one in done), default=0.0)
    return Report(
        seed=settings.seed,
        seconds=settings.seconds,
        settings={
            "cluster": "3 KRaft nodes, replication 3, min.insync.replicas 2, no unclean leader",
            "processors": "2 workers each, one static member and one dynamic",
            "readers": "an auditor, an archivist and cases; a desk that opens cases and corrects",
            "load": f"{settings.rate:g} rounds a second, {settings.tables} tables, with foul play",
            "full disk": disk.how,
        },
        versions=_versions(),
        faults=[_fault(one, begun, watch, verdict, clock) for one in done],
        load_before=round(load_before, 1),
        counts=verdict.counts,
        floor={
            "started": floor.starts,
            "workers started": workers.total_starts(),
            "readers started": readers.total_starts(),
            **floor.results,
        },
        ended_by_themselves=[
            *(f"{each.at - begun:.0f} s: {each.name}, exit code {each.code}: {each.reason}"
              for each in (*workers.deaths, *readers.deaths)),
            *(f"floor: {each}" for each in floor.deaths),
        ],
        sentences=[
            {"text": sentence.text, "exceptions": list(sentence.exceptions)}
            for sentence in verdict.sentences
        ],
    )


def _fault(one: Done, begun: float, watch: Watch, verdict: Verdict, clock: float) -> dict:
    live_s = watch.live_again_s(one.injected_at, one.healed_at + GRACE_S)
    since_ms = 1000 * (one.injected_at + clock)
    until_ms = 1000 * (one.healed_at + GRACE_S + clock)
    waits = [then - fact for fact, then in verdict.waits if since_ms <= fact <= until_ms]
    return {
        "number": one.fault.number,
        "kind": one.fault.kind.value,
        "target": one.target,
        "at_s": round(one.injected_at - begun, 1),
        "healed_s": round(one.healed_at - one.injected_at, 1),
        "live_s": None if live_s is None else round(live_s, 1),
        "wait_s": round(max(waits, default=0) / 1000, 1),
    }


def _versions() -> dict[str, str]:
    recipe = (RECIPES / "pom.xml").read_text()
    found = re.search(r"kafka_2\.13</artifactId>\s*<version>([^<]+)", recipe)
    return {
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.platform()}",
        "Apache Kafka": found[1] if found else "unknown",
        "CPython": platform.python_version(),
        "build": build(),
        **{name: version(name) for name in ("pitledger", "faust-streaming", "aiokafka")},
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


# ---- kept and read ---------------------------------------------------------------------------


def save(report: Report, path: Path) -> None:
    path.write_text(json.dumps(asdict(report), indent=1) + "\n")


def load(path: Path) -> Report:
    return Report(**json.loads(path.read_text()))


# ---- in words --------------------------------------------------------------------------------


def told(report: Report) -> str:
    """A run for the terminal."""
    lines = [*_table(_by_kind([report])), ""]
    lines += [f"  {report.counts.get(name, 0):>8,}  {text}" for name, text in FOUL_PLAY.items()]
    lines += ["", *(f"  ended by itself: {each}" for each in report.ended_by_themselves), ""]
    for sentence in report.sentences:
        holds = not sentence["exceptions"]
        lines.append(f"  {'holds ' if holds else 'BROKEN'}  {sentence['text']}")
        lines += [f"            {each}" for each in sentence["exceptions"]]
    verdict = "clean" if report.sound else "NOT CLEAN"
    lines += ["", f"seed {report.seed}: {verdict}: {len(report.faults)} faults of"
              f" {len({fault['kind'] for fault in report.faults})} kinds"]
    return "\n".join(lines)


def document(reports: Sequence[Report]) -> str:
    """Several runs as one Markdown document."""
    return "\n".join([*_head(reports), *_sums(reports), *_kinds(reports), *_runs(reports)]) + "\n"


def _head(reports: Sequence[Report]) -> Iterable[str]:
    first = reports[0]
    yield from (
        "# Chaos report",
        "",
        "Written by `make chaos`; not by hand. Each run is repeated by",
        f"`make chaos SEED=n MINUTES={first.seconds / 60:g}`: the seed fixes which faults come"
        " when; what the",
        "machine does meanwhile differs from run to run.",
        "",
    )
    texts: dict[str, dict[str, None]] = defaultdict(dict)
    for report in reports:
        for name, text in (report.settings | report.versions).items():
            texts[name][text] = None
    yield from (f"- {name}: {' or '.join(each)}" for name, each in texts.items())
    yield ""


def _sums(reports: Sequence[Report]) -> Iterable[str]:
    yield "## Runs"
    yield ""
    yield (
        "| seed | load before | faults | kinds | rounds | settled | voided | open | records"
        " | verdict |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for report in reports:
        counts = defaultdict(int, report.counts)
        row = (
            report.seed,
            report.load_before,
            len(report.faults),
            len({fault["kind"] for fault in report.faults}),
            *(f"{counts[f'rounds_{name}']:,}" for name in ("opened", "settled", "voided", "open")),
            f"{counts['records']:,}",
            "clean" if report.sound else "NOT CLEAN",
        )
        yield "| " + " | ".join(str(cell) for cell in row) + " |"
    yield ""
    yield "*Load before*: the machine's load average when the run began; 0 if nothing else ran."
    yield ""
    yield "On the journal besides:"
    yield ""
    yield f"| | {' | '.join(f'seed {report.seed}' for report in reports)} |"
    yield "|---|" + "---|" * len(reports)
    for name, text in FOUL_PLAY.items():
        figures = " | ".join(f"{report.counts.get(name, 0):,}" for report in reports)
        yield f"| {text} | {figures} |"
    yield ""


def _kinds(reports: Sequence[Report]) -> Iterable[str]:
    yield from (
        "## Faults injected and survived",
        "",
        "*Live again*: seconds from the fault until every partition was live for every processor"
        " and had a",
        "leader that runs (0.0: that never ceased). *Longest wait*: of a decision, among those"
        " whose fact was",
        "written between the fault and its healing. Faults overlap: a figure may hold another's"
        " harm too.",
        "",
        "| kind | faults | live again: min / median / max | longest wait: min / median / max |",
        "|---|---|---|---|",
    )
    for kind, faults in _by_kind(reports).items():
        yield f"| {kind} | {len(faults)} | {_spread(faults, 'live_s')} | " + (
            f"{_spread(faults, 'wait_s')} |"
        )
    yield ""


def _runs(reports: Sequence[Report]) -> Iterable[str]:
    for report in reports:
        yield f"## Seed {report.seed}"
        yield ""
        for sentence in report.sentences:
            yield f"- {'holds' if not sentence['exceptions'] else '**BROKEN**'}: {sentence['text']}"
            yield from (f"    - {each}" for each in sentence["exceptions"])
        ended = report.ended_by_themselves
        yield f"- processes that ended by themselves and were started again: {len(ended)}"
        yield from (f"    - {each}" for each in ended)
        yield ""
        yield "| at s | fault | whom | healed after s | live again s | longest wait s |"
        yield "|---|---|---|---|---|---|"
        for one in report.faults:
            live = "never" if one["live_s"] is None else one["live_s"]
            yield (
                f"| {one['at_s']} | {one['kind']} | {one['target']} | {one['healed_s']} | {live} |"
                f" {one['wait_s']} |"
            )
        yield ""


def _by_kind(reports: Iterable[Report]) -> dict[str, list[dict]]:
    kinds: dict[str, list[dict]] = defaultdict(list)
    for report in reports:
        for fault in report.faults:
            kinds[fault["kind"]].append(fault)
    return dict(sorted(kinds.items()))


def _table(kinds: dict[str, list[dict]]) -> Iterable[str]:
    yield f"  {'fault':<50} {'survived':>8}   {'live again s':>22}   {'longest wait s':>22}"
    for kind, faults in kinds.items():
        live, wait = _spread(faults, "live_s"), _spread(faults, "wait_s")
        yield f"  {kind:<50} {len(faults):>8}   {live:>22}   {wait:>22}"


def _spread(faults: Sequence[dict], name: str) -> str:
    figures = [fault[name] for fault in faults if fault[name] is not None]
    if len(figures) < len(faults):
        return "NEVER"
    return f"{min(figures):.1f} / {median(figures):.1f} / {max(figures):.1f}"
