"""Quix Streams: one StreamingDataFrame from the journal through the engine to the journal.

Its own ways are kept: a record at a time, headers by `set_headers`, the partition by its
partitioner (murmur2 of the key, as the journal's), offsets by its checkpoints, which flush the
producer first. What cannot be had without going round it: an explicit partition, and a commit of
what the engine says (it commits what was read, past rounds that are open: a restart would lose
them).
"""

from collections.abc import Sequence
from typing import Any

from quixstreams import Application, message_context

from bench.rivals.place import COMMIT_S, Place, settle_memory
from pitledger.engine import Emit, Engine


class Fold:
    """The engine as a function of one record, with what it makes due."""

    def __init__(self, place: Place) -> None:
        self._engine = Engine(place.owner, place.partitions)
        self._begun: set[int] = set()

    def __call__(
        self, value: bytes, key: bytes, timestamp: int, headers: Sequence[tuple[str, bytes]] | None
    ) -> list[Emit]:
        context = message_context()
        partition = context.partition
        if partition not in self._begun:
            self._engine.on_assigned(partition, watermark=0, end=0)
            self._begun.add(partition)
        effects = self._engine.on_record(
            partition, context.offset, timestamp, key, headers or (), value
        )
        return [effect for effect in effects if isinstance(effect, Emit)]


def headers_of(emit: Emit, *_metadata: Any) -> list[tuple[str, bytes]]:
    return list(emit.headers)


def value_of(emit: Emit) -> bytes:
    return emit.value


def main() -> None:
    place = Place.from_arguments()
    application = Application(
        broker_address=place.bootstrap,
        consumer_group=place.group,
        auto_offset_reset="earliest",
        commit_interval=COMMIT_S,
        consumer_extra_config=place.consumer(),
        producer_extra_config=place.producer(),
        auto_create_topics=False,
        use_changelog_topics=False,
        loglevel="WARNING",
    )
    journal = application.topic(
        place.topic,
        key_deserializer="bytes",
        value_deserializer="bytes",
        key_serializer="bytes",
        value_serializer="bytes",
    )
    decisions = application.dataframe(journal).apply(Fold(place), expand=True, metadata=True)
    decisions.set_headers(headers_of).apply(value_of).to_topic(journal)
    settle_memory()
    application.run()


if __name__ == "__main__":
    main()
