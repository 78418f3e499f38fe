"""Journals written in bulk before anything runs: what a worker finds when it starts.

`Bulk` writes straight to the broker. `open_rounds` leaves rounds open; `rounds` are whole rounds
with all their decisions, as fast as the four engines make them in one process; `below` is what
lies before a watermark: there a worker reads headers and round numbers only, so that the same
rounds are written again and again under new ids.
"""

import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import kafka
from kafka.errors import KafkaError, NoError

from pitledger.engine import Engine
from pitledger.journal.ids import fact_id
from pitledger.journal.record import (
    TYPE_BYTES,
    JournalRecord,
    Stored,
    headers_of,
    partition_of,
    serialize,
)
from pitledger.pb import cards_pb2
from pitledger.processors.chain import OWNERS
from pitledger.sources.connection import Connection
from services.floor.faults import CLEAN
from services.floor.floor import Floor
from services.floor.pen import OutgoingFact
from services.simulation.journal import MemoryJournal
from services.simulation.sharing import shared_folds, shared_reader
from services.simulation.worker import NONE, Worker

_AUTOMATED = cards_pb2.DEALING_METHOD_AUTOMATED_SHOE
_OPENED = TYPE_BYTES["round_opened"]
_TICK_EVERY = 50
_COMMIT_S = 30
_SAMPLE_ROUNDS = 1_000
"""So many different rounds lie below a watermark, then the same again."""


class Bulk:
    """A producer on the journal; a context manager that waits for all acknowledgements."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.count = 0
        self._failures: list[BaseException] = []
        self._producer = kafka.KafkaProducer(
            acks="all",
            enable_idempotence=True,
            linger_ms=20,
            batch_size=512 << 10,
            compression_type="zstd",
            **connection.client_settings(),
        )

    def __enter__(self) -> "Bulk":
        return self

    def __exit__(self, *_error: object) -> None:
        self._producer.close()
        if self._failures:
            raise self._failures[0]

    def write(self, stored: Stored) -> None:
        self.count += 1
        self._producer.send(
            self._connection.topic,
            stored.value,
            stored.key,
            list(stored.headers),
            stored.partition,
        ).add_errback(self._failures.append)

    def open_rounds(self, tables: Sequence[int]) -> None:
        """A round at each of these tables, by their numbers from 0: opened, wagered on, left."""
        floor = floor_of(max(tables) + 1, 0)
        for script in (floor.scripts[n] for n in tables):
            while facts := script.step(_now_us()):
                for fact in facts:
                    self.write(_stored(fact, self._connection.partitions))

    def rounds(self, tables: Sequence[int], each: int) -> None:
        """`each` whole rounds at every one of these tables, by their numbers from 0."""
        floor = floor_of(max(tables) + 1, each)
        play(floor, set(tables), self._connection.partitions, self.write)

    def below(self, tables: int, rounds: int) -> None:
        """`rounds` rounds that a worker only remembers."""
        sample: list[Stored] = []
        each = -(-min(rounds, _SAMPLE_ROUNDS) // tables)
        play(floor_of(tables, each), set(range(tables)), self._connection.partitions, sample.append)
        for number in range(len(sample) * rounds // (each * tables)):
            copy, index = divmod(number, len(sample))
            self.write(renumbered(sample[index], copy, each) if copy else sample[index])


def commit_all(connection: Connection, groups: Sequence[str]) -> None:
    """Groups that never ran have read everything up to here."""
    tps = [kafka.TopicPartition(connection.topic, n) for n in range(connection.partitions)]
    admin = connection.admin()
    consumer = kafka.KafkaConsumer(group_id=None, **connection.client_settings())
    try:
        ends = consumer.end_offsets(tps)
        offsets = {tp: kafka.OffsetAndMetadata(end, "", -1) for tp, end in ends.items()}
        for group in groups:
            _commit(admin, group, offsets)
    finally:
        consumer.close()
        admin.close()


def _commit(admin: kafka.KafkaAdminClient, group: str, offsets: dict[Any, Any]) -> None:
    """Again and again: a new broker has no coordinator yet."""
    deadline = time.monotonic() + _COMMIT_S
    while True:
        try:
            outcomes = admin.alter_group_offsets(group, offsets)
            failed = [error for error in outcomes.values() if error is not NoError]
            if not failed:
                return
            raise failed[0]
        except KafkaError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.2)


def partitions_of_tables(tables: int, partitions: int) -> list[int]:
    """Of each of the floor's first tables the partition."""
    scripts = floor_of(tables, 1).scripts
    return [partition_of(script.terms.table_id, partitions) for script in scripts]


def floor_of(tables: int, each: int) -> Floor:
    rounds = each * tables if each else None
    return Floor(1, tables, rates=CLEAN, rounds=rounds, positions=6, method=_AUTOMATED, plain=True)


def play(floor: Floor, tables: set[int], partitions: int, sink: Callable[[Stored], None]) -> None:
    """Play some of a floor's tables; the time is now, so that nothing is stale on a broker."""
    journal = MemoryJournal(partitions, sink)
    read, folds = shared_reader(), shared_folds(len(OWNERS))
    workers = [
        Worker(o, journal, lambda owner: Engine(owner, partitions, read, folds), NONE, Random(1))
        for o in OWNERS
    ]
    scripts = [script for n, script in enumerate(floor.scripts) if n in tables]
    seen, turns = [0] * partitions, 0
    while not all(script.done for script in scripts):
        changed = set()
        for script in scripts:
            for fact in script.step(_now_us()):
                stored = _stored(fact, partitions)
                journal.append(
                    stored.partition, _now_us() // 1000, stored.key, stored.headers, stored.value
                )
                changed.add(stored.partition)
        for partition in changed:
            while any(worker.is_behind(partition) for worker in workers):
                for worker in workers:
                    worker.turn(partition, _now_us() // 1000)
            for stored in journal.read(partition, seen[partition]):
                floor.observe(stored.key, stored.headers, stored.value)
            seen[partition] = journal.end(partition)
        turns += 1
        if turns % _TICK_EVERY == 0:
            _tick(workers, journal, seen)


def _tick(workers: Sequence[Worker], journal: MemoryJournal, seen: Sequence[int]) -> None:
    """Commit, and drop what was committed: these workers never start again."""
    now_ms = _now_us() // 1000
    for worker in workers:
        worker.tick(now_ms)
    for partition in range(journal.partitions):
        lowest = min(worker.committed(partition) for worker in workers)
        journal.trim(partition, min(lowest, seen[partition]), now_ms + 1)


def _stored(fact: OutgoingFact, partitions: int) -> Stored:
    partition = partition_of(fact.table_id, partitions)
    return Stored(partition, 0, 0, fact.key, fact.headers, fact.value)


def renumbered(stored: Stored, copy: int, each: int) -> Stored:
    """An opening of another round, now; all else as it is, for nobody looks at it."""
    if dict(stored.headers).get("ce_type") != _OPENED:
        return stored
    record = JournalRecord.FromString(stored.value)
    record.round_opened.round_number += copy * each
    chance = copy << 40 | record.round_opened.round_number << 20 | stored.partition
    record.occurred_at = _now_us()
    record.event_id = record.round_id = fact_id(_now_us() // 1000, chance)
    return Stored(stored.partition, 0, 0, stored.key, headers_of(record), serialize(record))


def _now_us() -> int:
    return time.time_ns() // 1000
