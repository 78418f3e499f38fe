"""What the cases' process shows Prometheus. Cases and tables are named in its log, never here."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from pitledger.cases.case import State
from services.runtime.build import build
from services.runtime.settings import CASES

KINDS = ("case_answered", "adjustment_posted")


@dataclass(frozen=True, slots=True)
class Standing:
    """How things are at the moment of a scrape; what is counted counts from the start."""

    states: Mapping[str, int]
    """Cases by what became of them."""
    written: Mapping[str, int]
    forged: int
    unanswered: int
    """Answers and postings that are derived and not on the journal."""
    unanswered_s: float
    """Since the oldest of them is derived."""
    caught_up: bool
    silent_s: float
    lag_records: int


class Metrics:
    """`text` is what /metrics answers."""

    def __init__(self, standing: Callable[[], Standing]) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._registry.register(_Collector(standing))

    def text(self) -> bytes:
        return generate_latest(self._registry)


class _Collector(Collector):
    def __init__(self, standing: Callable[[], Standing]) -> None:
        self._standing = standing

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterator[Metric]:
        standing = self._standing()
        cases = GaugeMetricFamily("pitledger_cases", "Cases by state.", labels=["state"])
        for state in State:
            cases.add_metric([state.value], standing.states.get(state.value, 0))
        yield cases
        written = CounterMetricFamily(
            "pitledger_cases_written", "Answers and postings written.", labels=["kind"]
        )
        for kind in KINDS:
            written.add_metric([kind], standing.written.get(kind, 0))
        yield written
        yield CounterMetricFamily(
            "pitledger_cases_forged",
            "Records that claim to be answers or postings and are none; the log names them.",
            value=standing.forged,
        )
        for name, text, value in (
            ("unanswered", "Answers that are derived, not on the journal.", standing.unanswered),
            ("unanswered_seconds", "Since the oldest of them is due.", standing.unanswered_s),
            ("caught_up", "1: the journal was read to its end.", standing.caught_up),
            ("silent_seconds", "Since a broker last answered.", standing.silent_s),
            ("lag_records", "Records on the journal and not read yet.", standing.lag_records),
        ):
            yield GaugeMetricFamily(f"pitledger_cases_{name}", text, value=float(value))
        info = GaugeMetricFamily("pitledger_build_info", "1.", labels=["processor", "build"])
        info.add_metric([CASES, build()], 1)
        yield info
