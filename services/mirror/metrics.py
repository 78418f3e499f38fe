"""What a mirror that follows its source shows Prometheus."""

from prometheus_client import CollectorRegistry, Gauge, generate_latest

from services.mirror.copying import Copied


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._size = Gauge(
            "pitledger_mirror_entries",
            "Entries of the log that the mirror holds.",
            registry=self.registry,
        )
        self._at = Gauge(
            "pitledger_mirror_updated_seconds",
            "When the mirror was last up to date, since 1970.",
            registry=self.registry,
        )

    def note(self, copied: Copied) -> None:
        self._size.set(copied.size)
        self._at.set_to_current_time()

    def text(self) -> bytes:
        return generate_latest(self.registry)
