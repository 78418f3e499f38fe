"""What a round costs, process by process: where the CPU of a processor goes.

First the engine alone: a journal from a file goes through the engine of each processor, in this
process, with a stopwatch around each of its parts. Then the same engines at work on Apache Kafka:
the kernel's account of each thread.
"""

import re
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import spread
from bench.load import Load
from bench.processes import thread_cpu_seconds
from bench.stage import Stage, Worker
from pitledger.derive import Derived, TableFold
from pitledger.engine import Effect, Engine
from pitledger.journal.record import Stored
from pitledger.journal.vocabulary import Fact, read_fact
from pitledger.processors import chain
from pitledger.sources.file import read_file
from services.runtime.settings import OWNERS
from services.simulation import simulate

ROUNDS = 2_000
PARTITIONS = 48
RATES = (50, 100)
_WARMUP_S = 12
PARTS = ("decode", "derive", "encode", "compare", "rest")
_WIDTH = 24


def run_cost(runs: int, seconds: float) -> None:
    """Measure and print."""
    print("\nCost of a round in each processor's engine, one process, ms: min / median / max")
    _print_engine(_engines(runs))
    print(f"\nThe same on Apache Kafka, CPU ms a round by thread; {seconds:g} s, single runs")
    for rate in RATES:
        _live(rate, seconds)


# ---- The engine alone ----


class _Stopwatch:
    """Seconds by part; a part within another counts for itself alone."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._within = 0.0

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timing(*arguments: Any) -> Any:
            before, self._within = self._within, 0.0
            began = time.perf_counter()
            try:
                return function(*arguments)
            finally:
                took = time.perf_counter() - began
                self.spent[part] += took - self._within  # type: ignore[assignment]
                self._within = before + took

        return timing


class _Timed(Engine):
    """An engine whose parts are timed."""

    def __init__(self, owner: str, watch: _Stopwatch) -> None:
        read: Callable[..., Fact] = watch.timed("decode", read_fact)
        super().__init__(owner, PARTITIONS, read, lambda _table_id: _TimedFold(watch))
        self.compared = watch.timed("compare", super()._decision)

    def _decision(self, part: Any, record: Any) -> list[Effect]:
        effects: list[Effect] = self.compared(part, record)
        return effects


class _TimedFold(TableFold):
    __slots__ = ("_timed",)

    def __init__(self, watch: _Stopwatch) -> None:
        super().__init__()
        self._timed = watch.timed("derive", super().fact)

    def fact(self, offset: int, fact: Fact, broker_time: int) -> Derived:
        derived: Derived = self._timed(offset, fact, broker_time)
        return derived


def _engines(runs: int) -> dict[str, list[dict[str, float]]]:
    """By processor, of each run: ms a round by part."""
    with tempfile.TemporaryDirectory() as home:
        journal = Path(home) / "journal"
        games = ("saigon5", "five_card_hi_lo")
        report = simulate(games, 100, ROUNDS, 1, False, journal)
        records = list(read_file(journal))
    found: dict[str, list[dict[str, float]]] = {owner: [] for owner in OWNERS}
    for _ in range(runs):
        for owner in OWNERS:
            spent = _once(owner, records)
            found[owner].append({part: 1000 * spent[part] / report.rounds for part in PARTS})
    return found


def _once(owner: str, records: Sequence[Stored]) -> Counter[str]:
    watch = _Stopwatch()
    engine = _Timed(owner, watch)
    for partition in range(PARTITIONS):
        engine.on_assigned(partition, watermark=0, end=0)
    plain = vars(chain)["serialize"]
    vars(chain)["serialize"] = watch.timed("encode", plain)
    take = watch.timed("rest", engine.on_record)
    try:
        for each in records:
            place = each.partition, each.offset, each.broker_time
            take(*place, each.key, each.headers, each.value)
    finally:
        vars(chain)["serialize"] = plain
    return watch.spent


def _print_engine(found: dict[str, list[dict[str, float]]]) -> None:
    print(f"  {'':<10} {''.join(f'{part:>{_WIDTH}}' for part in (*PARTS, 'in all'))}")
    for owner, each in found.items():
        cells = [spread([run[part] for run in each], 2) for part in PARTS]
        cells.append(spread([sum(run.values()) for run in each], 2))
        print(f"  {owner:<10} {''.join(f'{cell:>{_WIDTH}}' for cell in cells)}", flush=True)
    print("  decode: parse a fact and check it; derive: its decisions; encode: their bytes;")
    print("  compare: a recorded decision with the derived one; rest: gates, what is due, counting")


# ---- At work ----


@dataclass(frozen=True, slots=True)
class _Look:
    """At a worker: seconds of CPU by thread, and rounds that it saw settled."""

    main: float
    others: float
    settled: float


def _live(rate: int, seconds: float) -> None:
    with Stage() as stage:
        stage.start_workers()
        with Load(stage, rate, warmup_s=_WARMUP_S) as load:
            time.sleep(_WARMUP_S)
            before = [_look(worker) for worker in stage.workers]
            time.sleep(seconds)
            after = [_look(worker) for worker in stage.workers]
            load.finish()
        print(f"  {rate} rounds/s asked")
        for worker, first, last in zip(stage.workers, before, after, strict=True):
            _print_live(worker.owner, first, last, seconds)


def _print_live(owner: str, first: _Look, last: _Look, seconds: float) -> None:
    rounds = last.settled - first.settled
    main, others = (
        1000 * (getattr(last, name) - getattr(first, name)) / rounds for name in ("main", "others")
    )
    print(
        f"    {owner:<10} {rounds / seconds:5.1f}/s: engine, sends and commits {main:.2f},"
        f" fetches (the consumer's thread) {others:.2f}, in all {main + others:.2f}",
        flush=True,
    )


def _look(worker: Worker) -> _Look:
    url = f"http://127.0.0.1:{worker.port}/metrics"
    with urllib.request.urlopen(url, timeout=10) as answer:
        text = answer.read().decode()
    main, others = thread_cpu_seconds(worker.process.pid)
    settled = 'pitledger_decisions_seen_total{type="round_settled"}'
    return _Look(main, others, _value(text, settled))


def _value(metrics: str, name: str) -> float:
    found = re.search(f"^{re.escape(name)} (.+)$", metrics, re.MULTILINE)
    return float(found[1]) if found else 0.0
