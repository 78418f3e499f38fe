"""How long a worker is away: `kill -9`, at once started again, until every partition is live.

One worker a processor, so that nobody takes its partitions over; the load goes on. A worker reads
the memory of round numbers (a quarter of an hour of journal before its watermark) and folds what
comes after it: so its start grows with the rate, with the age of the oldest open round, and with
how many partitions have one. What must lie on the journal for that is written in bulk before
(`prepared.py`), and takes the place of hours: 100 tables, 60 rounds an hour each, on the
partitions that have an open round; on the others nothing, a worker would skip it.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import mode

from bench.load import TABLES, Load
from bench.prepared import Bulk, commit_all, partitions_of_tables
from bench.stage import Stage, Worker
from pitledger.sources.environment import Environment
from services.runtime.settings import OWNERS, Settings

ROUNDS_AN_HOUR = 60
"""Of one table: a busy casino's."""
AIM_S = 3.0
AIM_RATE = 20
_SETTLE_S = 5.0
_BETWEEN_S = 2.0


@dataclass(frozen=True, slots=True)
class Case:
    """`memory_s`: seconds of journal at `rate` before the watermark; `hours`: after the opening of
    `left_open` rounds, which stay open."""

    rate: int
    static: bool
    memory_s: int = 0
    left_open: int = 0
    hours: int = 0

    @property
    def text(self) -> str:
        member = "static" if self.static else "dynamic"
        parts = [f"{self.rate}/s", member, f"memory of {self.memory_s} s"]
        if self.left_open:
            parts.append(f"{self.left_open:,} open")
        if self.hours:
            parts.append(f"since {self.hours} h")
        return ", ".join(parts)


RATES = (20, 100)
CASES = (
    *(Case(rate, static, memory_s=60) for rate in RATES for static in (False, True)),
    *(Case(rate, True, memory_s=900) for rate in RATES),
    *(Case(rate, True, left_open=many) for rate in RATES for many in (1, 100, 1_000)),
    *(
        Case(rate, True, left_open=many, hours=hours)
        for rate in RATES
        for many, hours in ((1, 1), (1, 8), (1_000, 1))
    ),
)
CASES_QUICK = (
    Case(20, False, memory_s=20),
    Case(20, True, memory_s=20),
    Case(20, True, left_open=100),
    Case(20, True, left_open=1, hours=1),
)


@dataclass(frozen=True, slots=True)
class Away:
    """Seconds from the kill to live: in all, and of it to the first log line, to the assignment,
    to the last partition's live."""

    owner: str
    total: float
    process: float
    group: float
    reading: float


def run_restart(*, quick: bool) -> None:
    """Measure and print."""
    print("\nRestart: kill -9 of the one worker of each processor in turn, under load, until every")
    print("partition is live. Seconds: in all (process + group + reading)")
    found = {case: _measure(case) for case in (CASES_QUICK if quick else CASES)}
    print(f"\n  live again within {AIM_S:g} s of a kill at {AIM_RATE} rounds/s")
    for case, each in found.items():
        if case.rate == AIM_RATE and not case.left_open:
            worst = max(away.total for away in each)
            verdict = "yes" if worst <= AIM_S else "NO"
            print(f"    {case.text}: {verdict}, at worst {worst:.1f} s")


def _measure(case: Case) -> list[Away]:
    with Stage() as stage:
        records = _prepare(stage, case)
        stage.start_workers(static=case.static)
        with Load(stage, case.rate) as load:
            time.sleep(_SETTLE_S)
            each = []
            for worker in stage.workers:
                each.append(_kill(stage, worker))
                time.sleep(_BETWEEN_S)
            load.finish()
    print(f"  {case.text}; {records:,} records prepared")
    for away in each:
        print(
            f"    {away.owner:<12} {away.total:6.1f}"
            f"   ({away.process:.1f} + {away.group:.1f} + {away.reading:.1f})",
            flush=True,
        )
    return each


def _prepare(stage: Stage, case: Case) -> int:
    """Write what lies on the journal before the workers start; how many records."""
    connection = stage.connection
    environment = Environment(stage.environment)
    groups = [Settings.from_environment(owner, environment).group for owner in OWNERS]
    with Bulk(connection) as bulk:
        if case.memory_s:
            bulk.below(TABLES, case.rate * case.memory_s)
    commit_all(connection, groups)
    with Bulk(connection) as after:
        if case.left_open:
            players, idle = held_back(case.left_open, connection.partitions)
            after.open_rounds(idle)
            if case.hours:
                after.rounds(players, case.hours * ROUNDS_AN_HOUR)
    return bulk.count + after.count


def held_back(left_open: int, partitions: int) -> tuple[Sequence[int], Sequence[int]]:
    """Which of the load's tables play for hours, and which beyond them leave a round open.

    One open round holds back one partition: its tables play. Many hold back all.
    """
    if left_open > 1:
        return range(TABLES), range(TABLES, TABLES + left_open)
    places = partitions_of_tables(2 * TABLES, partitions)
    fullest = mode(places[:TABLES])
    players, beyond = (
        [number for number in numbers if places[number] == fullest]
        for numbers in (range(TABLES), range(TABLES, 2 * TABLES))
    )
    return players, beyond[:1]


def _events(worker: Worker, begin: int) -> dict[str, float]:
    """When (seconds since 1970) it last logged each event, from a byte of its log on."""
    with worker.log.open("rb") as log:
        log.seek(begin)
        lines = [json.loads(line) for line in log if line.startswith(b"{")]
    return {line["event"]: datetime.fromisoformat(line["timestamp"]).timestamp() for line in lines}


def _kill(stage: Stage, worker: Worker) -> Away:
    logged = worker.log.stat().st_size
    began = time.time()
    worker.process.kill()
    worker.process.wait()
    worker.start()
    stage.wait_until_ready(worker)
    total = time.time() - began
    at = _events(worker, logged)
    return Away(
        worker.owner,
        total,
        at["starting"] - began,
        at["assigned"] - at["starting"],
        at["ready"] - at["assigned"],
    )
