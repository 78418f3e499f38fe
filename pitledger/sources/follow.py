"""The journal as it grows, for whoever watches: read only, in no group."""

import logging
import time
from collections.abc import Mapping
from typing import Any, Protocol

import kafka
from kafka.errors import KafkaConnectionError, KafkaError

from pitledger.journal.record import Stored
from pitledger.sources.connection import Connection, ConnectionFailed
from pitledger.sources.every_record import read_every_record
from pitledger.sources.in_order import InOrder

ASK_S = 2.0
"""A partition of which nothing came for so long: its end is asked for, to hear whether its broker
is there at all (a consumer does not tell)."""
ANSWER_MS = 2_000
SILENT_S = 10.0
"""So long without an answer, and nobody can say where a partition ends by now."""
POLL_RECORDS_MAX = 5_000
STILL_S = 30.0
"""A partition goes on, its broker answers, and nothing comes of it for so long: another consumer is
made. One of kafka-python may forget a partition, and say nothing."""

_log = logging.getLogger("services.follow")


class Begins(Protocol):
    """Says where to begin: offsets by partition, looked up with a consumer."""

    def __call__(self, consumer: Any, tps: list[Any]) -> Mapping[Any, int]:
        """Raises KafkaError."""


def from_the_beginning(consumer: Any, tps: list[Any]) -> Mapping[Any, int]:
    """Each partition's first offset that is still there."""
    found: Mapping[Any, int] = consumer.beginning_offsets(tps)
    return found


class Follower:
    """Reads all partitions; each in the order of its offsets, without a gap.

    It reconnects by itself. Every call may raise KafkaError; after one, it may be called again.
    """

    def __init__(self, connection: Connection, begins: Begins = from_the_beginning) -> None:
        read_every_record()
        self._connection = connection
        self._consumer = self._connected()
        tps = [kafka.TopicPartition(connection.topic, n) for n in range(connection.partitions)]
        self._consumer.assign(tps)
        self._in_order = InOrder(self._consumer, begins(self._consumer, tps))
        self._not_reached = set(tps)
        self._ends: dict[Any, int] = {}
        self._heard_at = dict.fromkeys(tps, time.monotonic())
        self._asked_at = time.monotonic()
        self._moved_at = dict.fromkeys(tps, time.monotonic())
        self._is_sound = True
        """Whether this consumer may be asked again."""

    def poll(self, timeout_ms: int = 50) -> list[Stored]:
        """What is there now; [] where nothing is."""
        if not self._is_sound:
            self._begin_anew()
        try:
            batches = self._consumer.poll(timeout_ms=timeout_ms)
        except KafkaError:
            self._is_sound = False
            raise
        now = time.monotonic()
        self._heard_at.update(dict.fromkeys(batches, now))
        if now - self._asked_at > ASK_S:
            self._asked_at = now
            self._ask([tp for tp, heard_at in self._heard_at.items() if now - heard_at > ASK_S])
        found = [
            stored for tp, batch in batches.items() for stored in self._in_order.take(tp, batch)
        ]
        self._not_reached = {tp for tp in self._not_reached if self._lag(tp) != 0}
        self._look_for_still(batches, now)
        return found

    def close(self) -> None:
        self._consumer.close()

    def lag(self) -> int | None:
        """Records on the journal that were not read yet; None as long as it is not known."""
        lags = [self._lag(tp) for tp in self._in_order.next]
        return None if None in lags else sum(lag for lag in lags if lag)

    def behind(self) -> list[int]:
        """Partitions that were not read to their end, and those whose broker is silent."""
        latest = time.monotonic() - SILENT_S
        return [
            tp.partition
            for tp in self._in_order.next
            if self._lag(tp) or self._heard_at[tp] < latest
        ]

    def is_caught_up(self) -> bool:
        """Whether each partition was read to its end at some time, if not now."""
        return not self._not_reached

    def silent_s(self) -> float:
        """Since a broker last answered, of the partition that has waited longest."""
        return time.monotonic() - min(self._heard_at.values())

    def hole(self) -> tuple[int, int, float] | None:
        """Partition, offset and age (s) of the oldest hole that has not healed."""
        return self._in_order.hole()

    def _connected(self) -> Any:
        return self._connection.consumer(
            auto_offset_reset="none", fetch_max_wait_ms=200, max_poll_records=POLL_RECORDS_MAX
        )

    def _begin_anew(self) -> None:
        """Another consumer, that goes on where this one stood."""
        try:
            consumer = self._connected()
        except ConnectionFailed as problem:
            raise KafkaConnectionError(str(problem)) from None
        self._consumer.close()
        self._consumer, self._is_sound = consumer, True
        consumer.assign(list(self._in_order.next))
        self._in_order.read_from(consumer)
        self._moved_at = dict.fromkeys(self._moved_at, time.monotonic())

    def _look_for_still(self, batches: Mapping[Any, Any], now: float) -> None:
        for tp, moved_at in self._moved_at.items():
            if tp in batches or not self._lag(tp):
                self._moved_at[tp] = now
            elif now - moved_at > STILL_S:
                self._is_sound = False
                _log.warning(
                    "partition %s: nothing came from offset %s on for %.0f s; read with another"
                    " consumer", tp.partition, self._in_order.next[tp], now - moved_at,
                )  # fmt: skip

    def _lag(self, tp: Any) -> int | None:
        # Of the two the higher: the embedded broker answers ListOffsets short by a batch, and a
        # highwater is as old as the last fetch.
        ends = (self._consumer.highwater(tp), self._ends.get(tp))
        known = [end for end in ends if end is not None]
        return max(0, max(known) - self._in_order.next[tp]) if known else None

    def _ask(self, silent: list[Any]) -> None:
        """Where those partitions end; all of them, or no answer counts."""
        try:
            ends = self._consumer.end_offsets(silent, timeout_ms=ANSWER_MS) if silent else {}
        except KafkaError:
            return
        self._ends |= ends
        self._heard_at.update(dict.fromkeys(ends, time.monotonic()))
