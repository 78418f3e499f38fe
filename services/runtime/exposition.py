"""What a process that follows the journal answers at /metrics."""

from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from services.runtime.build import build


class Exposition:
    """`families`: asked at each scrape. With them go what the process takes, and its build."""

    def __init__(self, owner: str, families: Callable[[], Iterable[Metric]]) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._registry.register(_Collector(owner, families))

    def text(self) -> bytes:
        return generate_latest(self._registry)


class _Collector(Collector):
    def __init__(self, owner: str, families: Callable[[], Iterable[Metric]]) -> None:
        self._owner, self._families = owner, families

    def describe(self) -> Iterable[Metric]:
        return ()  # or it would be asked before there is anything to tell

    def collect(self) -> Iterator[Metric]:
        yield from self._families()
        yield build_info(self._owner)


def build_info(owner: str) -> Metric:
    info = GaugeMetricFamily("pitledger_build_info", "1.", labels=["processor", "build"])
    info.add_metric([owner, build()], 1)
    return info
