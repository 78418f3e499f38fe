"""Which RoundOpened has effect: fresh, with a number above, and an id unlike, the recent ones."""

from collections import deque
from dataclasses import dataclass

from pitledger.journal.ids import time_of_fact_id
from pitledger.pb.journal_pb2 import JournalRecord

FRESH_MS = 5 * 60 * 1000
MEMORY_MS = 10 * 60 * 1000
REMEMBERED = 500  # far more rounds than a table plays in ten minutes; a forger may write more
REMEMBERED_MS = 60 * 60 * 1000  # and these are kept however many there are


@dataclass(frozen=True, slots=True)
class _Opening:
    broker_time: int
    number: int
    round_id: str


class Openings:
    """The recent openings of one table, whether they had effect or not."""

    def __init__(self) -> None:
        self._seen: deque[_Opening] = deque()

    def has_effect(self, record: JournalRecord, broker_time: int) -> bool:
        """Whether this opening has effect; times are the broker's, in milliseconds."""
        if stale(record, broker_time):
            return False
        number = record.round_opened.round_number
        # One read before this one counts also where the broker's clock has gone back since.
        recent = [one for one in self._seen if one.broker_time >= broker_time - MEMORY_MS]
        self._seen.append(_Opening(broker_time, number, record.event_id))
        if len(self._seen) > REMEMBERED and self._seen[0].broker_time < broker_time - REMEMBERED_MS:
            self._seen.popleft()
        return all(number > other.number for other in recent) and all(
            record.event_id != other.round_id for other in recent
        )

    def forget(self, before: int) -> None:
        """Drop the oldest as far as they are of before a broker time (ms)."""
        while self._seen and self._seen[0].broker_time < before:
            self._seen.popleft()


def stale(record: JournalRecord, broker_time: int) -> bool:
    """Whether the fact's time, or the time in its id, is over five minutes off the broker's."""
    off_us = abs(record.occurred_at - broker_time * 1000)
    off_ms = abs(time_of_fact_id(record.event_id) - broker_time)
    return off_us > FRESH_MS * 1000 or off_ms > FRESH_MS
