"""One run: a stage, a load, and what it came to within a window of time."""

import time
from dataclasses import dataclass
from typing import Any

from bench.figures import percentile
from bench.journal import judge, keep
from bench.load import TABLES, Load
from bench.processes import cpu_seconds
from bench.shells import PRODUCT, Shell
from bench.stage import Stage

KEEPS_UP = 0.97
"""A rate is sustained if this share of it was settled, with a payout's p99 below a second."""

LATENCIES = {
    "exposed_to_payout_ms": "DealerExposed sent, PayoutDue read",
    "exposed_acked_to_payout_ms": "DealerExposed acknowledged, PayoutDue read",
    "exposed_to_payout_journal_ms": "DealerExposed to PayoutDue on the journal",
    "closed_to_settled_ms": "RoundClosed sent, RoundSettled read",
    "closed_acked_to_settled_ms": "RoundClosed acknowledged, RoundSettled read",
    "closed_to_settled_journal_ms": "RoundClosed to RoundSettled on the journal",
}
"""The first two of each three are the load's, with all its own delays; the third is the broker's:
between the appends of both records."""


@dataclass(frozen=True, slots=True)
class Run:
    """`cpu`: ms a round by process, of the window; `latency`: p50 and p99 by name, ms."""

    rate: float
    settled_per_s: float
    latency: dict[str, tuple[float, float]]
    cpu: dict[str, float]
    wrong: str
    """What replay or audit found; "" if the journal is right and complete."""

    @property
    def sustained(self) -> bool:
        p99 = self.latency["exposed_to_payout_ms"][1]
        return not self.wrong and self.settled_per_s >= KEEPS_UP * self.rate and p99 < 1000

    def line(self) -> str:
        """For a table of runs."""
        p50, p99 = self.latency["exposed_to_payout_ms"]
        settled = self.latency["closed_acked_to_settled_ms"][1]
        processors = sum(ms for name, ms in self.cpu.items() if name not in ("broker", "load"))
        return (
            f"{self.settled_per_s:6.1f}/s settled; payout p50 {p50:.0f} p99 {p99:.0f} ms,"
            f" settlement p99 {settled:.0f} ms; CPU ms a round: processors {processors:.1f},"
            f" broker {self.cpu['broker']:.1f}, load {self.cpu['load']:.1f}"
            f"{'   WRONG: ' + self.wrong if self.wrong else ''}"
        )


def measure(
    rate: float,
    seconds: float,
    warmup_s: float,
    shell: Shell = PRODUCT,
    *,
    workers: int = 1,
    tables: int = TABLES,
    positions: int = 6,
) -> Run:
    """On a stage of its own, judged at the end."""
    with Stage() as stage:
        stage.start_workers(shell, workers)
        return load_stage(stage, rate, seconds, warmup_s, tables=tables, positions=positions)


def load_stage(
    stage: Stage,
    rate: float,
    seconds: float,
    warmup_s: float,
    *,
    tables: int = TABLES,
    positions: int = 6,
    judged: bool = True,
) -> Run:
    """On a stage whose workers are ready; they are stopped. `judged`: all rounds are to be over."""
    shape = {"tables": tables, "positions": positions}
    with Load(stage, rate, warmup_s=warmup_s, **shape) as load:
        pids = stage.pids | {"load": [load.pid]}
        time.sleep(warmup_s)
        since_ms, before = _now_ms(), _cpu(pids)
        time.sleep(seconds)
        until_ms, after = _now_ms(), _cpu(pids)
        told = load.finish()
    stage.stop_workers()
    path = stage.home / "journal"
    timeline = keep(stage.connection, path)
    settled = timeline.settled(since_ms, until_ms)
    latency = _told(told) | {
        "exposed_to_payout_journal_ms": _ranks(timeline.payouts(since_ms, until_ms)),
        "closed_to_settled_journal_ms": _ranks(timeline.settlements(since_ms, until_ms)),
    }
    return Run(
        rate,
        1000 * settled / (until_ms - since_ms),
        {name: latency[name] for name in LATENCIES},
        {name: 1000 * (after[name] - before[name]) / max(settled, 1) for name in pids},
        judge(path, stage.environment) if judged else "",
    )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _cpu(pids: dict[str, list[int]]) -> dict[str, float]:
    return {name: sum(map(cpu_seconds, each)) for name, each in pids.items()}


def _told(result: dict[str, Any]) -> dict[str, tuple[float, float]]:
    never = float("inf")
    return {
        name: (result[name].get("p50", never), result[name].get("p99", never))
        for name in LATENCIES
        if name in result
    }


def _ranks(values: list[int]) -> tuple[float, float]:
    return percentile(values, 50), percentile(values, 99)
