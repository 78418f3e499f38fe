"""What a reader knows of a journal that grows, and what it does not know."""

import kafka
import pytest
from kafka.errors import KafkaTimeoutError

from pitledger.sources import follow
from pitledger.sources.connection import Connection
from pitledger.sources.follow import ASK_S, SILENT_S, Follower


class Idle:
    """A consumer of two partitions on which nothing comes; a silent one's end is not told."""

    def __init__(self, **_settings):
        self.end = {0: 0, 1: 0}
        self.silent = set()

    def assign(self, tps):
        pass

    def seek(self, tp, offset):
        pass

    def poll(self, timeout_ms):
        return {}

    def highwater(self, tp):
        return 0

    def beginning_offsets(self, tps):
        return dict.fromkeys(tps, 0)

    def end_offsets(self, tps, timeout_ms):
        if any(tp.partition in self.silent for tp in tps):
            raise KafkaTimeoutError
        return {tp: self.end[tp.partition] for tp in tps}


class Clock:
    now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(follow, "time", Clock())
    return follow.time


@pytest.fixture
def consumer(monkeypatch, clock):
    consumer = Idle()
    monkeypatch.setattr(kafka, "KafkaConsumer", lambda **_settings: consumer)
    return consumer


@pytest.fixture
def follower(consumer):
    follower = Follower(Connection(partitions=2))
    follower.poll()
    return follower


def test_on_a_quiet_journal_nothing_is_behind_however_long_it_lasts(follower, clock):
    for _ in range(20):
        clock.now += ASK_S + 1
        follower.poll()
        assert follower.behind() == []
    assert follower.silent_s() == 0


def test_what_was_written_meanwhile_is_known_as_soon_as_a_suspended_reader_goes_on(
    follower, consumer, clock
):
    clock.now += 300
    consumer.end[1] = 5
    follower.poll()
    assert follower.behind() == [1]


def test_of_a_partition_that_is_silent_nobody_can_say_that_it_was_read(follower, consumer, clock):
    consumer.silent = {1}
    clock.now += SILENT_S - 1
    follower.poll()
    assert follower.behind() == []
    clock.now += 2
    follower.poll()
    assert 1 in follower.behind()
    consumer.silent = set()
    clock.now += ASK_S + 1
    follower.poll()
    assert follower.behind() == []
