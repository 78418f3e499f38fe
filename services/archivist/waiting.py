"""Rounds that wait although they should not: each is named once, as long as it waits."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pitledger.archive.collect import Waiting
from services.runtime.logs import Log

UNJUDGED, LACKING = "unjudged", "lacking"
KINDS = (UNJUDGED, LACKING)


def why(waiting: Waiting) -> str:
    """Why a round is not sealed, in one line."""
    if waiting.unjudged:
        return f"is not judged by this build: {waiting.unjudged}"
    if waiting.over:
        return f"is over, and lacks {', '.join(waiting.lacks)}"
    return "is open"


@dataclass(frozen=True, slots=True)
class Named:
    """A round, and why it waits."""

    kind: str
    waiting: Waiting

    def told(self) -> dict[str, object]:
        """As `/healthz` and the log tell it."""
        waits = self.waiting
        return {
            "table": waits.table_id,
            "number": waits.round_number,
            "round": waits.round_id,
            "partition": waits.partition,
            "offset": waits.first_offset,
            "why": why(waits),
        }


class Watch:
    """`named`: at the last look, in the order of their opening."""

    def __init__(self, log: Log, wait_s: int) -> None:
        self.named: list[Named] = []
        self._log = log
        self._wait_ms = 1000 * wait_s
        self._told: set[tuple[str, str]] = set()

    def look(self, waiting: Iterable[Waiting], known_ms: Callable[[int], int]) -> None:
        """`known_ms`: up to which broker time a partition was read."""
        self.named = [
            Named(UNJUDGED if each.unjudged else LACKING, each)
            for each in waiting
            if each.unjudged or self._is_late(each, known_ms)
        ]
        waits = {(each.waiting.table_id, each.waiting.round_id) for each in self.named}
        for named in self.named:
            key = named.waiting.table_id, named.waiting.round_id
            if key not in self._told:
                self._log.warning("round waits", kind=named.kind, **named.told())
        for table_id, round_id in self._told - waits:
            self._log.info("round waits no more", table=table_id, round=round_id)
        self._told = waits

    def _is_late(self, waiting: Waiting, known_ms: Callable[[int], int]) -> bool:
        over_at = waiting.over_at_ms
        return over_at is not None and over_at < known_ms(waiting.partition) - self._wait_ms
