"""After a look back every partition is read, whatever of it had come and was not wanted then."""

import time

import kafka
import pytest

from pitledger.sources.letting_go import let_go
from services.archivist import cuts
from services.cli import doctor
from tests.broker.conftest import apache_broker, broker  # noqa: F401
from tests.broker.rig import Rig

RECORDS = 3_000
"""Of each partition: a fetch has more of them than a poll gives out."""
POLL = 700
WAIT_S = 20


@pytest.fixture(params=["apache"])
def kind(request):
    return request.param


@pytest.fixture
def rig(broker, kind, tmp_path):  # noqa: F811
    rig = Rig(broker, kind, tmp_path, partitions=3).create()
    producer = kafka.KafkaProducer(
        bootstrap_servers=list(rig.connection.bootstrap), acks="all", enable_idempotence=False,
        linger_ms=50,
    )  # fmt: skip
    for number in range(3 * RECORDS):
        producer.send(rig.connection.topic, b"x" * 100, partition=number % 3)
    producer.flush()
    producer.close()
    yield rig
    rig.close()


@pytest.fixture
def consumer(rig):
    consumer = rig.connection.consumer(
        auto_offset_reset="none", fetch_max_wait_ms=200, max_poll_records=POLL
    )
    yield consumer
    consumer.close()


def places(rig):
    return [kafka.TopicPartition(rig.connection.topic, number) for number in range(3)]


def one_record_each(consumer, tps):
    return cuts._records_at(consumer, dict.fromkeys(tps, 10))


def up_to_an_offset(consumer, tps):
    return cuts._openings(consumer, dict.fromkeys(tps, 0), dict.fromkeys(tps, POLL + 5))


def times_of_each(consumer, tps):
    consumer.assign(tps)
    return doctor._times_below(consumer, dict.fromkeys(tps, 11))


def by_hand(consumer, tps):
    """All that may be of one partition is on its way when no more of it is wanted."""
    consumer.assign(tps)
    for tp in tps:
        consumer.seek(tp, 0)
    while len(consumer.assignment()) > 1:
        for tp in consumer.poll(timeout_ms=200):
            let_go(consumer, tp)
    return tps


@pytest.mark.parametrize("look", [one_record_each, up_to_an_offset, times_of_each, by_hand])
def test_after_a_look_back_each_partition_is_read_to_its_end(rig, consumer, look):
    tps = places(rig)
    assert len(look(consumer, tps)) == len(tps)
    consumer.assign(tps)
    for tp in tps:
        consumer.seek(tp, 0)
    read = {tp: [] for tp in tps}
    until = time.monotonic() + WAIT_S
    while min(map(len, read.values())) < RECORDS and time.monotonic() < until:
        for tp, messages in consumer.poll(timeout_ms=200).items():
            read[tp] += [message.offset for message in messages]
    assert read == {tp: list(range(RECORDS)) for tp in tps}
