"""Kafka's journal from its very first record: what was trimmed is read from the archive.

Cases need it: what was settled a month ago may be claimed today, and a view as known at a moment
must know what was there then.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from services.cli import archived
from services.cli.output import Failed, fail
from services.cli.source import Journal, Some, open_journal

if TYPE_CHECKING:
    from pitledger.journal.record import Stored
    from pitledger.sources.connection import Connection


@dataclass(frozen=True, slots=True)
class _Whole(Journal):
    """Kafka's journal, and the archive that has what `firsts` says it begins after."""

    archive: str = ""
    firsts: tuple[int, ...] = ()
    """By partition: the first offset that Kafka has."""

    def raw(self, partitions: Some = None) -> "Iterator[Stored]":
        wanted = range(self.partitions) if partitions is None else partitions
        lacking = {number for number in wanted if self.firsts[number]}
        reached = dict.fromkeys(lacking, 0)
        if lacking:
            for stored in archived.records(self.archive, lacking):
                # Beyond its cut an archive has rounds alone, with gaps between them.
                if stored.offset == reached[stored.partition]:
                    reached[stored.partition] += 1
                    yield stored
        for number, offset in sorted(reached.items()):
            if offset < self.firsts[number]:
                fail(
                    f"{self.name} partition {number} begins at offset {self.firsts[number]}, and"
                    f" {self.archive} ends before offset {offset}"
                )
        for stored in Journal.raw(self, partitions):
            if stored.offset >= reached.get(stored.partition, 0):
                yield stored


def open_whole(source: str, partitions: int | None) -> Journal:
    """As `open_journal`; of Kafka with what was trimmed, by PITLEDGER_ARCHIVE. Raises Failed."""
    journal = open_journal(source, partitions)
    if journal.connection is None or journal.connection.broker == "embedded":
        return journal
    firsts = _firsts(journal.connection)
    if not any(firsts):
        return journal
    return _Whole(journal.name, journal.partitions, journal.connection, False, _archive(), firsts)


def _archive() -> str:
    from pitledger.sources.environment import Environment
    from services.runtime.settings import archive_place

    place = archive_place(Environment())
    if not place:
        fail("the journal was trimmed: let PITLEDGER_ARCHIVE name the archive that has the rest")
    if not archived.is_archive(place):
        fail(f"PITLEDGER_ARCHIVE={place}: there is no archive")
    return place


def _firsts(connection: "Connection") -> tuple[int, ...]:
    import kafka
    from kafka.errors import KafkaError

    from pitledger.sources.connection import ConnectionFailed

    tps = [kafka.TopicPartition(connection.topic, n) for n in range(connection.partitions)]
    try:
        consumer = connection.consumer()
        try:
            firsts = consumer.beginning_offsets(tps)
        finally:
            consumer.close()
    except ConnectionFailed as problem:
        raise Failed(str(problem)) from None
    except KafkaError as error:
        raise Failed(connection.explain(error)) from None
    return tuple(firsts[tp] for tp in tps)
