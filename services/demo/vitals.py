"""How the processors are, as their own `/metrics` say."""

import http.client
from collections import defaultdict
from dataclasses import dataclass

from services.demo.house import Child

_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class Vitals:
    """One processor; counts are since its start."""

    name: str
    pid: int
    state: str = "starting"  # or "live", "catching up", "no answer"
    records: int = 0
    decisions: int = 0
    lag: int = 0

    @property
    def live(self) -> bool:
        return self.state == "live"


class Ward:
    """Asks the processors one after the other: one at each `visit`."""

    def __init__(self, processors: list[Child]) -> None:
        self._processors = processors
        self._ports: dict[str, int] = {}
        self._turn = 0
        self.latest = {child.name: Vitals(child.name, child.pid) for child in processors}

    @property
    def all_live(self) -> bool:
        return all(vitals.live for vitals in self.latest.values())

    @property
    def lag(self) -> int:
        """Records that some processor has still to fold."""
        return sum(vitals.lag for vitals in self.latest.values())

    def visit(self) -> None:
        child = self._processors[self._turn % len(self._processors)]
        self._turn += 1
        self.latest[child.name] = self._ask(child)

    def visit_all(self) -> None:
        for _ in self._processors:
            self.visit()

    def _ask(self, child: Child) -> Vitals:
        port = self._ports.get(child.name) or child.http_port()
        if port is None:
            return Vitals(child.name, child.pid)
        self._ports[child.name] = port
        try:
            found = _metrics(port)
        except (OSError, http.client.HTTPException):
            return Vitals(child.name, child.pid, "no answer")
        return Vitals(
            child.name,
            child.pid,
            "live" if found["pitledger_ready"] else "catching up",
            found["pitledger_records_total"],
            found["pitledger_decisions_total"],
            found["pitledger_lag"],
        )


def _metrics(port: int) -> dict[str, int]:
    """Metric to the sum over its labels, in Prometheus' text format."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    finally:
        connection.close()
    sums: dict[str, int] = defaultdict(int)
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            sums[name.partition("{")[0]] += int(float(value))
    return sums
