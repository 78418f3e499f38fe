"""What the archivist shows Prometheus. Rounds and tables are named in its log, never here."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from services.archivist.waiting import KINDS
from services.runtime.exposition import Exposition
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


class Metrics(Exposition):
    """`standing`: asked at each scrape."""

    def __init__(self, standing: Callable[[], Standing]) -> None:
        super().__init__(ARCHIVIST, lambda: _families(standing()))


def _families(standing: Standing) -> Iterator[Metric]:
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
