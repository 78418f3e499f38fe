"""Each partition's messages in the order of their offsets, none left out."""

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pitledger.journal.record import Stored


class InOrder:
    """Where a consumer of kafka-python stands in each partition (`TopicPartition` -> offset).

    An offset that was read before is passed over. At a hole the consumer is sought back: the
    embedded broker at times shows offset n + 1 before n.
    """

    def __init__(self, consumer: Any, starts: Mapping[Any, int]) -> None:
        self.next = dict(starts)
        self._holes: dict[Any, float] = {}
        self.read_from(consumer)

    def read_from(self, consumer: Any) -> None:
        """Go on with this consumer, to which the partitions are assigned."""
        self._consumer = consumer
        for tp, offset in self.next.items():
            consumer.seek(tp, offset)

    def take(self, tp: Any, messages: Iterable[Any]) -> Iterator[Stored]:
        """What of a partition's messages comes next."""
        for message in messages:
            expected = self.next[tp]
            if message.offset > expected:
                self._holes.setdefault(tp, time.monotonic())
                self._consumer.seek(tp, expected)
                return
            if message.offset == expected:
                self._holes.pop(tp, None)
                self.next[tp] = expected + 1
                yield stored_of(message)

    def hole_age(self, tp: Any) -> float:
        """Seconds since a partition first showed the hole that it shows; 0.0 if it shows none."""
        since = self._holes.get(tp)
        return 0.0 if since is None else time.monotonic() - since

    def hole(self) -> tuple[int, int, float] | None:
        """Partition, offset and age (s) of the oldest hole that has not healed."""
        holes = list(self._holes.items())  # at once: whoever serves metrics asks from its thread
        if not holes:
            return None
        tp, since = min(holes, key=lambda each: each[1])
        return tp.partition, self.next[tp], time.monotonic() - since


def stored_of(message: Any) -> Stored:
    """A message of kafka-python as the journal has it; what may be null in Kafka is empty."""
    return Stored(
        partition=message.partition,
        offset=message.offset,
        broker_time=message.timestamp,
        key=message.key or b"",
        headers=tuple([(name, value or b"") for name, value in message.headers]),
        value=message.value or b"",
    )
