"""What the archivist shows Prometheus. Rounds and tables are named in its log, never here."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from services.archivist.waiting import KINDS
from services.runtime.build import build
from services.runtime.settings import ARCHIVIST


@dataclass(frozen=True, slots=True)
class Standing:
    """How things are at the moment of a scrape; what is counted counts from the start."""

    records: int
    rounds: int
    remainders: int
    checkpoints: int
    size: int
    """Entries under the newest checkpoint."""
    open_rounds: int
    waiting: Mapping[str, int]
    """Rounds that wait although they should not, by kind."""
    caught_up: bool
    unsealed_s: float
    """Since all that was complete on the journal was sealed."""
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
        for name, text, count in (
            ("records", "Records read.", standing.records),
            ("rounds", "Rounds sealed.", standing.rounds),
            ("remainders", "Remainder leaves sealed.", standing.remainders),
            ("checkpoints", "Checkpoints signed.", standing.checkpoints),
        ):
            yield CounterMetricFamily(f"pitledger_archive_{name}", text, value=count)
        for name, text, value in (
            ("entries", "Entries under the newest checkpoint.", standing.size),
            ("open_rounds", "Rounds read and not sealed.", standing.open_rounds),
            ("caught_up", "1: the journal was read to its end.", standing.caught_up),
            (
                "unsealed_seconds",
                "Since all that was complete on the journal was sealed.",
                standing.unsealed_s,
            ),
            ("silent_seconds", "Since a broker last answered.", standing.silent_s),
            ("lag_records", "Records on the journal and not read yet.", standing.lag_records),
        ):
            yield GaugeMetricFamily(f"pitledger_archive_{name}", text, value=float(value))
        waiting = GaugeMetricFamily(
            "pitledger_archive_waiting_rounds",
            "Rounds that wait although they should not; the log names them.",
            labels=["kind"],
        )
        for kind in KINDS:
            waiting.add_metric([kind], standing.waiting.get(kind, 0))
        yield waiting
        info = GaugeMetricFamily("pitledger_build_info", "1.", labels=["processor", "build"])
        info.add_metric([ARCHIVIST, build()], 1)
        yield info
