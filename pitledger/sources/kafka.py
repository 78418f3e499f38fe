"""The journal as it lies on Kafka, read in bulk, whole partitions, up to where it ends now."""

import time
from collections.abc import Iterable, Iterator
from typing import Any

import kafka
from kafka.errors import KafkaError

from pitledger.journal.record import Stored
from pitledger.sources.connection import Connection, ConnectionFailed
from pitledger.sources.every_record import read_every_record
from pitledger.sources.follow import Begins, from_the_beginning
from pitledger.sources.in_order import InOrder
from pitledger.sources.letting_go import let_go

PATIENCE_S = 20.0
"""How long a partition may be asked in vain, or show the same hole, before reading fails."""


class HoleInJournal(Exception):
    """An offset that the broker does not show: nothing after it can be trusted."""


def read_topic(
    connection: Connection,
    partitions: Iterable[int] | None = None,
    begins: Begins = from_the_beginning,
) -> Iterator[Stored]:
    """Yield the journal's records, each partition's in order of offset and without a gap.

    `begins`: from where on; by default all that is there.

    Every partition is read up to its high watermark as the first fetch answers it: what comes
    later is left out, so that a live journal has an end too. (ListOffsets would not do: the
    embedded broker answers it short by the last batch.) Partitions are interleaved as they come.

    Raises ConnectionFailed, HoleInJournal.
    """
    read_every_record()
    consumer = connection.consumer(
        auto_offset_reset="earliest",
        max_poll_records=20_000,
        max_partition_fetch_bytes=8 << 20,
        fetch_max_bytes=64 << 20,
    )
    try:
        yield from _Reading(connection, consumer, partitions, begins).records()
    except KafkaError as error:
        raise connection.failure(error) from None
    finally:
        consumer.close()


class _Reading:
    """Where each partition stands, and where it ends."""

    def __init__(
        self,
        connection: Connection,
        consumer: Any,
        partitions: Iterable[int] | None,
        begins: Begins,
    ) -> None:
        self._consumer = consumer
        topic = connection.topic
        known = consumer.partitions_for_topic(topic)
        if not known:
            raise ConnectionFailed(f"{topic} does not exist; make it: pitledger topics create")
        wanted = sorted(known if partitions is None else partitions)
        missing = [number for number in wanted if number not in known]
        if missing:
            raise ConnectionFailed(f"{topic}: has no partition {missing[0]}")
        self._tps = [kafka.TopicPartition(topic, number) for number in wanted]
        consumer.assign(self._tps)
        self._stand = InOrder(consumer, begins(consumer, self._tps))
        self._end: dict[Any, int] = {}
        # Asked in vain, not since it last gave something: whoever takes the records may be slow,
        # and while another partition's records are parsed this one was not asked.
        self._in_vain = dict.fromkeys(self._tps, 0.0)

    def records(self) -> Iterator[Stored]:
        open_tps = set(self._tps)
        while open_tps:
            asked_at = time.monotonic()
            batches = self._consumer.poll(timeout_ms=200)
            in_vain = 0.0 if batches else time.monotonic() - asked_at
            for tp in list(open_tps):
                self._in_vain[tp] += in_vain
                if tp not in self._end and self._consumer.highwater(tp) is not None:
                    self._end[tp] = self._consumer.highwater(tp)
                yield from self._in_order(tp, batches.get(tp, ()))
                if tp in self._end and self._stand.next[tp] >= self._end[tp]:
                    open_tps.discard(tp)
                    let_go(self._consumer, tp)
                elif max(self._in_vain[tp], self._stand.hole_age(tp)) > PATIENCE_S:
                    raise HoleInJournal(
                        f"{tp.topic} partition {tp.partition}: offset {self._stand.next[tp]} "
                        f"could not be read for {PATIENCE_S:.0f} s"
                    )

    def _in_order(self, tp: Any, messages: Iterable[Any]) -> Iterator[Stored]:
        end = self._end.get(tp)
        for stored in self._stand.take(tp, messages):
            if end is not None and stored.offset >= end:
                return
            self._in_vain[tp] = 0.0
            yield stored
