"""Fetches in a session, of the pinned aiokafka with real brokers.

Against what a broker may make of them, see tests/unit/runtime/test_sessions.py.
"""

import asyncio

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from services.runtime.sessions import use_sessions
from tests.broker.rig import Rig

PARTITIONS, TURNS = 8, 6


@pytest.fixture
def rig(broker, kind, tmp_path):
    rig = Rig(broker, kind, tmp_path, partitions=PARTITIONS)
    yield rig.create()
    rig.close()


class Requests:
    """Between sessions and aiokafka's client: how many partitions each fetch names."""

    def __init__(self, client):
        self._client, self.named = client, []

    def __getattr__(self, name):
        return getattr(self._client, name)

    async def send(self, node_id, request, **options):
        if hasattr(request, "prepare") and hasattr(request, "_cut"):
            self.named.append(sum(len(each) for _topic, each in request._cut.topics))
        return await self._client.send(node_id, request, **options)


def test_every_record_is_read_in_order_and_the_broker_is_asked_for_what_moved(rig, kind):
    found, named = asyncio.run(read_by_turns(rig))
    for partition in range(PARTITIONS):
        assert found[partition] == list(range(TURNS))
    whole = named.count(PARTITIONS)
    print(f"partitions named by each fetch: {named}")
    if kind == "apache":
        assert whole <= 2  # a session's first, and one where assignment and start overlap
        assert len(named) > TURNS


async def read_by_turns(rig):
    """Offsets by partition, a record for each at a time; partitions that each fetch named."""
    settings = rig.connection.client_settings()
    consumer = AIOKafkaConsumer(
        group_id=None, enable_auto_commit=False, auto_offset_reset="earliest", **settings
    )
    await consumer.start()
    requests = consumer._fetcher._client = Requests(consumer._fetcher._client)
    use_sessions(consumer)
    topic = rig.connection.topic
    consumer.assign([TopicPartition(topic, each) for each in range(PARTITIONS)])
    found = {partition: [] for partition in range(PARTITIONS)}
    try:
        for turn in range(TURNS):
            for partition in range(PARTITIONS):
                await asyncio.to_thread(rig.send, 1, partition=partition)
                async with asyncio.timeout(60):
                    while len(found[partition]) <= turn:
                        for tp, records in (await consumer.getmany(timeout_ms=1000)).items():
                            found[tp.partition] += [record.offset for record in records]
    finally:
        await consumer.stop()
    return found, requests.named
