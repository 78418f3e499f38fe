"""What a producer may put on the journal that clients pass over or cannot read: no hole, no end."""

import asyncio

import kafka
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import MessageSizeTooLargeError

from pitledger.journal.record import TYPE_BYTES
from services.runtime.memory import read_memory
from tests.broker.rig import Rig, wait_until


@pytest.fixture
def rig(apache_broker, tmp_path):
    rig = Rig(apache_broker, "apache", tmp_path, partitions=1)
    yield rig.create()
    rig.close()


def test_a_transaction_that_ends_is_no_hole_nor_is_one_aborted_at_the_tail(rig):
    _write_transactions(rig, commit=True)
    rig.send(1)
    _write_transactions(rig, commit=False)  # its mark is the last record
    assert [stored.offset for stored in rig.journal()] == [0, 1, 2, 3, 4]
    _pass_over_all(rig, 5)


def test_a_header_whose_name_is_no_text_is_a_record_as_others(rig):
    rig.send(1)
    _write_named_header(rig)
    rig.send(1)
    assert rig.journal()[1].headers == (("\\xff\\xfe", b"1"),)
    _pass_over_all(rig, 3)


def test_such_a_header_does_not_hide_an_opening_of_its_batch(rig):
    rig.alter("compression.type", "gzip")
    _write_named_header(rig, ("ce_type", TYPE_BYTES["round_opened"]))
    (stored,) = rig.journal()
    assert _openings_of(rig) == [stored]


def test_a_batch_that_swells_as_it_is_read_is_refused_by_the_broker(rig):
    """Compressed, 20 MB of nothing are a few bytes, and would be as many MB in every reader."""
    with pytest.raises(MessageSizeTooLargeError):
        asyncio.run(_send_compressed(rig, "zstd", bytes(20_000_000)))


@pytest.mark.parametrize("codec", ["gzip", "zstd", "snappy", "lz4"])
def test_what_devices_compress_is_read_by_all(rig, codec):
    asyncio.run(_send_compressed(rig, codec, b"v" * 1000))
    assert [stored.value for stored in rig.journal()] == [b"v" * 1000]


def _pass_over_all(rig, count):
    """None of the records is a fact; nobody stops for them, and each has a copy."""
    processes = [rig.start(module=f"services.{name}", HOLE_S=2) for name in ("wagers", "auditor")]
    for process in processes:
        process.wait_ready()
    positions = {f"0:{offset}".encode() for offset in range(count)}
    wait_until(lambda: {stored.key for stored in rig.quarantined()} == positions, "copies")
    wait_until(lambda: rig.committed() == rig.ends(), "all committed")
    assert "hole" not in processes[0].events()


def _openings_of(rig):
    async def read():
        consumer = AIOKafkaConsumer(**rig.connection.client_settings())
        await consumer.start()
        try:
            return await read_memory(consumer._client, rig.connection.topic, {0: (0, 1)})
        finally:
            await consumer.stop()

    return asyncio.run(read())[0]


def _write_transactions(rig, *, commit):
    async def write():
        producer = AIOKafkaProducer(transactional_id=rig.group, **rig.connection.client_settings())
        await producer.start()
        await producer.begin_transaction()
        await producer.send_and_wait(rig.connection.topic, b"v", b"k", 0)
        await (producer.commit_transaction() if commit else producer.abort_transaction())
        await producer.stop()

    asyncio.run(write())


def _write_named_header(rig, *more):
    producer = kafka.KafkaProducer(**rig.connection.client_settings())
    headers = [(_NoText("xx"), b"1"), *more]
    producer.send(rig.connection.topic, b"v", b"k", headers, 0).get(20)
    producer.close()


class _NoText(str):
    __slots__ = ()

    def encode(self, *_):
        return b"\xff\xfe"


async def _send_compressed(rig, codec, value):
    producer = AIOKafkaProducer(
        compression_type=codec, max_request_size=1 << 30, **rig.connection.client_settings()
    )
    await producer.start()
    try:
        await producer.send_and_wait(rig.connection.topic, value, b"k", 0)
    finally:
        await producer.stop()
