"""What the cases' process shows Prometheus. Cases and tables are named in its log, never here."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from pitledger.cases.case import State
from services.runtime.exposition import Exposition
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


class Metrics(Exposition):
    """`standing`: asked at each scrape."""

    def __init__(self, standing: Callable[[], Standing]) -> None:
        super().__init__(CASES, lambda: _families(standing()))


def _families(standing: Standing) -> Iterator[Metric]:
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
