"""The memory below a watermark, read from real brokers."""

import asyncio

import kafka
import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.errors import NodeNotReadyError, OffsetOutOfRangeError

from pitledger.journal.record import TYPE_BYTES
from services.runtime import memory
from services.runtime.memory import CannotBeRead, read_memory

OPENED, OTHER = TYPE_BYTES["round_opened"], TYPE_BYTES["hands_dealt"]
CODECS = (None, "zstd", "gzip")


@pytest.fixture
def journal(rig):
    """300 records on each of two partitions, every seventh an opening, compressed and not."""
    rig.create()
    for codec in CODECS:
        if rig.connection.broker == "apache":
            rig.alter("compression.type", codec or "uncompressed")
        _write(rig, 100, codec)
    return rig


def test_every_opening_is_found_whatever_compressed_it(journal):
    assert _read(journal, {0: (0, 300), 1: (0, 300)}) == _openings(journal, 0, 300)


def test_answers_of_a_few_records_each_are_read_on_from_where_they_end(journal, monkeypatch):
    monkeypatch.setattr(memory, "REQUEST_BYTES", 3000)
    monkeypatch.setattr(memory, "PARTITION_BYTES", 2000)
    assert _read(journal, {0: (11, 290), 1: (11, 290)}) == _openings(journal, 11, 290)


def test_a_broker_that_is_not_there_is_asked_again(journal):
    failures = [NodeNotReadyError(), NodeNotReadyError()]

    def failing(send):
        async def fail_first(*arguments, **more):
            if failures:
                raise failures.pop()
            return await send(*arguments, **more)

        return fail_first

    assert _read(journal, {0: (0, 300)}, failing)[0] == _openings(journal, 0, 300)[0]
    assert failures == []


def test_an_offset_that_never_comes_ends_the_reading(journal, monkeypatch):
    monkeypatch.setattr(memory, "STANDSTILL_S", 1)
    with pytest.raises(CannotBeRead, match="partition 1 at offset 300"):
        _read(journal, {0: (0, 300), 1: (0, 301)})


def test_a_beginning_that_was_trimmed_is_told(journal):
    if journal.connection.broker == "embedded":
        pytest.skip("the embedded broker keeps all that it has")
    admin = journal.connection.admin()
    admin.delete_records({kafka.TopicPartition(journal.connection.topic, 0): 50})
    admin.close()
    with pytest.raises(OffsetOutOfRangeError):
        _read(journal, {0: (49, 300)})
    assert _read(journal, {0: (50, 300)})[0] == _openings(journal, 50, 300)[0]


def _write(rig, count, codec):
    producer = kafka.KafkaProducer(
        compression_type=codec, linger_ms=20, batch_size=2000, **rig.connection.client_settings()
    )
    for number in range(count):
        kind = OPENED if number % 7 == 3 else OTHER
        for partition in range(2):
            value = b"%d" % number * 20
            producer.send(rig.connection.topic, value, b"T1", [("ce_type", kind)], partition)
    producer.close()


def _openings(rig, first, end):
    found = {0: [], 1: []}
    for stored in rig.journal():
        if first <= stored.offset < end and dict(stored.headers)["ce_type"] == OPENED:
            found[stored.partition].append(stored)
    assert all(found.values())
    return found


def _read(rig, spans, wrapped=lambda send: send):
    async def read():
        consumer = AIOKafkaConsumer(**rig.connection.client_settings())
        await consumer.start()
        try:
            client = consumer._client
            client.send = wrapped(client.send)
            return await read_memory(client, rig.connection.topic, spans)
        finally:
            await consumer.stop()

    return asyncio.run(read())
