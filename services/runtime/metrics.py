"""What a process counts and times, for Prometheus.

The hot path adds to plain numbers, and to children whose labels were looked up once. What the
engine counts is read when it is asked for, not copied at each batch.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from services.runtime.exposition import build_info
from services.runtime.status import STUCK

if TYPE_CHECKING:
    from services.runtime.producer import Sent
    from services.runtime.shell import Shell

disable_created_metrics()  # type: ignore[no-untyped-call]

_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.5, 1, 2, 5, 10, 30)

_COUNTED = {
    "fact": ("pitledger_facts", "Facts read, by type.", "type"),
    "decision_seen": ("pitledger_decisions_seen", "Decisions read as derived, by type.", "type"),
    "emitted": ("pitledger_decisions", "Own decisions emitted, by type.", "type"),
    "refusal": ("pitledger_refusals", "Own refusals, by reason.", "reason"),
    "no_effect": ("pitledger_facts_without_effect", "Facts without effect, by reason.", "reason"),
    "foreign": ("pitledger_foreign_decisions", "Decisions that no fact derives.", "type"),
    "quarantined": ("pitledger_quarantined", "Records that are no facts, by reason.", "reason"),
    "blocked": ("pitledger_blocked_rounds", "Rounds this build does not judge.", "kind"),
    "duplicate": ("pitledger_duplicates", "Decisions read again, ignored.", ""),
}
"""What the engine counts: its kind -> metric, help, label."""

ALARMS = (
    "not_a_fact",
    "foreign_decision",
    "round_blocked",
    "unknown_version",
    "round_ignored",
    "long_in_coming",
)
"""Counted from 0 on: Prometheus takes no notice of the first of a series that begins with it."""


class Measures:
    """Numbers of one process, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.records = 0
        self.seconds = 0.0
        self.holes = self._counter("pitledger_holes", "Offsets that came too early.")
        self.resent = self._counter("pitledger_resent", "Decisions sent again.")
        self.rebalances = self._counter("pitledger_assignments", "Assignments of partitions.")
        self.catch_up = Histogram(
            "pitledger_catch_up_seconds",
            "From a partition's begin to live.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._cause_to_decision = Histogram(
            "pitledger_cause_to_decision_seconds",
            "From occurred_at of the fact to the decision's acknowledgement.",
            ["type"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._by_type = _Children(self._cause_to_decision)
        self._alarms = self._counter("pitledger_alarms", "What a person should look at.", "kind")
        for kind in ALARMS:
            self._alarms.labels(kind)

    def folded(self, records: int, seconds: float) -> None:
        self.records += records
        self.seconds += seconds

    def acknowledged(self, sent: "Sent") -> None:
        self._by_type[sent.emit.type].observe(time.time() - sent.emit.caused_at_us / 1e6)

    def alarm(self, kind: str) -> None:
        self._alarms.labels(kind).inc()

    def watch(self, shell: "Shell") -> None:
        self.registry.register(_OfShell(shell))

    def text(self) -> bytes:
        return generate_latest(self.registry)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, registry=self.registry)


class _Children(dict[str, Histogram]):
    """A histogram's children by their one label, each looked up once."""

    def __init__(self, histogram: Histogram) -> None:
        super().__init__()
        self._histogram = histogram

    def __missing__(self, label: str) -> Histogram:
        child = self[label] = self._histogram.labels(label)
        return child


class _OfShell(Collector):
    """What shell and engine know at the moment of the scrape."""

    def __init__(self, shell: "Shell") -> None:
        self._shell = shell

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterator[Metric]:
        yield from self._counted()
        yield from self._partitions()
        yield from self._identity()
        yield self._stuck()
        measures = self._shell.measures
        yield CounterMetricFamily(
            "pitledger_records", "Records handled.", value=float(measures.records)
        )
        yield SummaryMetricFamily(
            "pitledger_record_seconds",
            "Folding one record.",
            count_value=measures.records,
            sum_value=measures.seconds,
        )

    def _counted(self) -> Iterator[Metric]:
        by_kind: dict[str, dict[str, int]] = defaultdict(dict)
        counts = self._shell.counts + self._shell.engine.counts
        for (kind, what), count in counts.items():
            by_kind[kind][what] = count
        for kind, (name, text, label) in _COUNTED.items():
            family = CounterMetricFamily(name, text, labels=[label] if label else [])
            for what, count in by_kind[kind].items():
                family.add_metric([what] if label else [], count)
            yield family

    def _identity(self) -> Iterator[Metric]:
        settings = self._shell.settings
        yield GaugeMetricFamily(
            "pitledger_journal_partitions",
            "All of the journal, whoever has them.",
            value=settings.connection.partitions,
        )
        yield build_info(settings.owner)

    def _stuck(self) -> Metric:
        family = GaugeMetricFamily(
            "pitledger_stuck_rounds", "Rounds that this build does not judge now.", labels=["kind"]
        )
        for kind in STUCK:
            family.add_metric([kind], self._shell.noted.stuck_counts[kind])
        return family

    def _partitions(self) -> Iterator[Metric]:
        shell, engine, now = self._shell, self._shell.engine, time.monotonic()
        label = ["partition"]
        lag = GaugeMetricFamily("pitledger_lag", "Records not folded yet.", labels=label)
        uncommitted = GaugeMetricFamily(
            "pitledger_uncommitted", "Next offset less committable.", labels=label
        )
        live = open_rounds = shut_gates = 0
        oldest_round = oldest_decision = oldest_hole = 0.0
        for partition, standing in shell.standings.items():
            name = [str(partition)]
            lag.add_metric(name, shell.lag(partition))
            next_offset = engine.next_offset(partition)
            uncommitted.add_metric(name, next_offset - engine.committable(partition))
            open_rounds += engine.open_rounds(partition)
            shut_gates += engine.shut_gates(partition)
            if not standing.flowing:
                continue  # a rebalance: that nothing comes of it says nothing of what it waits for
            live += standing.live_at is not None
            if engine.open_rounds(partition):
                oldest_round = max(oldest_round, now - standing.open_since[1])
            if standing.waits_for:
                oldest_decision = max(oldest_decision, now - standing.waits_since)
            if standing.hole_at is not None:
                oldest_hole = max(oldest_hole, now - standing.hole_at)
        yield lag
        yield uncommitted
        for name_, text, value in (
            ("pitledger_ready", "1: caught up; 0: not.", shell.is_ready()),
            ("pitledger_silent_seconds", "The longest since an answer.", shell.silent_s()),
            ("pitledger_silent_partitions", "Without an answer.", len(shell.silent_partitions())),
            ("pitledger_live_partitions", "Partitions that are live.", live),
            ("pitledger_open_rounds", "Rounds not finished.", open_rounds),
            ("pitledger_gates_shut", "Decisions that wait for another's.", shut_gates),
            ("pitledger_oldest_round_seconds", "Since the watermark last moved.", oldest_round),
            ("pitledger_oldest_decision_seconds", "Derived, not on the journal.", oldest_decision),
            ("pitledger_oldest_hole_seconds", "Waiting for a record in between.", oldest_hole),
        ):
            yield GaugeMetricFamily(name_, text, value=float(value))
