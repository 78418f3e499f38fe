"""A bare loop on confluent-kafka: consume, fold, produce, commit."""

import signal
import sys
import time
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from bench.rivals.place import COMMIT_S, Place, settle_memory
from pitledger.engine import Emit, Engine

BATCH = 500


class Loop:
    """Everything in one thread; librdkafka has its own."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._engine = Engine(place.owner, place.partitions)
        self._committed: dict[int, int] = {}
        self._stopping = False
        servers = {"bootstrap.servers": place.bootstrap}
        self._producer = Producer(
            servers
            | place.producer()
            | {"delivery.report.only.error": True, "on_delivery": _undelivered}
        )
        self._consumer = Consumer(
            servers
            | place.consumer()
            | {
                "group.id": place.group,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
            }
        )

    def stop(self, *_signal: object) -> None:
        self._stopping = True

    def run(self) -> None:
        consumer, producer = self._consumer, self._producer
        consumer.subscribe([self._place.topic], on_assign=self._begin)
        commit_at = time.monotonic() + COMMIT_S
        while not self._stopping:
            first = consumer.poll(0.1)
            if first is not None:
                self._take(first)
                for message in consumer.consume(BATCH, 0):
                    self._take(message)
            producer.poll(0)
            if time.monotonic() >= commit_at:
                self._commit()
                commit_at = time.monotonic() + COMMIT_S
        producer.flush(10)
        consumer.close()

    def _begin(self, _consumer: Any, assigned: list[TopicPartition]) -> None:
        for each in assigned:
            self._engine.on_assigned(each.partition, watermark=0, end=0)

    def _take(self, message: Message) -> None:
        if message.error():
            sys.exit(f"consumer: {message.error()}")
        effects = self._engine.on_record(
            message.partition(),
            message.offset(),
            message.timestamp()[1],
            message.key(),
            message.headers() or (),
            message.value(),
        )
        for effect in effects:
            if isinstance(effect, Emit):
                self._producer.produce(
                    self._place.topic,
                    effect.value,
                    effect.key,
                    effect.partition,
                    headers=list(effect.headers),
                )

    def _commit(self) -> None:
        assigned = [each.partition for each in self._consumer.assignment()]
        due = {partition: self._engine.committable(partition) for partition in assigned}
        moved = {p: offset for p, offset in due.items() if offset > self._committed.get(p, 0)}
        if moved:
            offsets = [TopicPartition(self._place.topic, p, offset) for p, offset in moved.items()]
            self._consumer.commit(offsets=offsets, asynchronous=True)
            self._committed |= moved


def _undelivered(error: KafkaError | None, _message: Message) -> None:
    if error is not None:
        sys.exit(f"producer: {error}")


if __name__ == "__main__":
    loop = Loop(Place.from_arguments())
    signal.signal(signal.SIGTERM, loop.stop)
    settle_memory()
    loop.run()
