"""When brokers last answered, as the consumer tells it of aiokafka's own state."""

import asyncio
import time
from types import SimpleNamespace

import pytest
from aiokafka import TopicPartition
from aiokafka.consumer.subscription_state import SubscriptionState

from services.runtime.consumer import JournalConsumer

PARTITIONS = 48
LONG_AGO_MS = 1_000


class Cluster:
    """Broker 0 leads the even partitions, broker 1 the odd ones."""

    asked = 0

    def leader_for_partition(self, tp):
        self.asked += 1
        return tp.partition % 2


@pytest.fixture
def aiokafka():
    """A consumer to which every partition was answered once, long ago."""
    subscription = asyncio.run(assigned())
    return SimpleNamespace(
        _subscription=subscription,
        _client=SimpleNamespace(cluster=Cluster()),
        _fetcher=SimpleNamespace(_records={}),
    )


async def assigned():
    state = SubscriptionState()
    tps = [TopicPartition("journal", n) for n in range(PARTITIONS)]
    state.assign_from_user(tps)
    for tp in tps:
        state.subscription.assignment.state_value(tp).timestamp = LONG_AGO_MS
    return state


def polled_ms(aiokafka):
    ours = SimpleNamespace(_thread=SimpleNamespace(_consumer=aiokafka))
    return JournalConsumer._polled_ms(ours)


def test_a_broker_whose_answer_lies_here_is_not_silent_on_any_partition(aiokafka):
    aiokafka._fetcher._records = {TopicPartition("journal", 3): "records"}
    before = int(time.time() * 1000)

    polled = polled_ms(aiokafka)

    assert polled.keys() == set(range(PARTITIONS))
    assert all((at >= before) == (n % 2 == 1) for n, at in polled.items())
    assert polled[0] == LONG_AGO_MS


def test_leaders_are_looked_up_twice_for_a_partition_at_most(aiokafka):
    tps = aiokafka._subscription.assigned_partitions()
    aiokafka._fetcher._records = dict.fromkeys(tps, "records")
    polled_ms(aiokafka)
    assert aiokafka._client.cluster.asked <= 2 * PARTITIONS


def test_what_was_never_answered_or_is_not_assigned_is_left_out(aiokafka):
    first = TopicPartition("journal", 0)
    aiokafka._subscription.subscription.assignment.state_value(first).timestamp = None
    assert polled_ms(aiokafka).keys() == set(range(1, PARTITIONS))
    aiokafka._subscription.unsubscribe()
    assert polled_ms(aiokafka) == {}
    assert polled_ms(None) == {}
