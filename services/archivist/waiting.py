"""Rounds that wait although they should not: each is named once, as long as it waits."""

from collections.abc import Callable, Iterable

from pitledger.archive.collect import Waiting
from services.runtime.logs import Log

UNJUDGED, LACKING = "unjudged", "lacking"
KINDS = (UNJUDGED, LACKING)


def kind_of(waiting: Waiting) -> str:
    return UNJUDGED if waiting.unjudged else LACKING


def why(waiting: Waiting) -> str:
    """Why a round is not sealed, in one line."""
    if waiting.unjudged:
        return f"is not judged by this build: {waiting.unjudged}"
    if waiting.over:
        return f"is over, and lacks {', '.join(waiting.lacks)}"
    return "is open"


def told(waiting: Waiting) -> dict[str, object]:
    """As log, `/healthz` and `pitledger archive` tell it."""
    return {
        "table": waiting.table_id,
        "number": waiting.round_number,
        "round": waiting.round_id,
        "partition": waiting.partition,
        "offset": waiting.first_offset,
        "why": why(waiting),
    }


class Watch:
    """`named`: at the last look, in the order of their opening."""

    def __init__(self, log: Log, wait_s: int) -> None:
        self.named: list[Waiting] = []
        self._log = log
        self._wait_ms = 1000 * wait_s
        self._told: set[tuple[str, str]] = set()

    def look(self, waiting: Iterable[Waiting], known_ms: Callable[[int], int]) -> None:
        """`known_ms`: up to which broker time a partition was read."""
        self.named = [each for each in waiting if each.unjudged or self._is_late(each, known_ms)]
        waits = {(each.table_id, each.round_id) for each in self.named}
        for each in self.named:
            if (each.table_id, each.round_id) not in self._told:
                self._log.warning("round waits", kind=kind_of(each), **told(each))
        for table_id, round_id in self._told - waits:
            self._log.info("round waits no more", table=table_id, round=round_id)
        self._told = waits

    def _is_late(self, waiting: Waiting, known_ms: Callable[[int], int]) -> bool:
        over_at = waiting.over_at_ms
        return over_at is not None and over_at < known_ms(waiting.partition) - self._wait_ms
