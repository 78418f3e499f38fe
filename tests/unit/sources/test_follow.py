"""What a reader knows of a journal that grows, and what it does not know."""

from types import SimpleNamespace

import kafka
import pytest
from kafka.errors import KafkaError, KafkaTimeoutError, UnknownBrokerIdError

from pitledger.sources import follow
from pitledger.sources.connection import BrokersAway, Connection
from pitledger.sources.follow import ASK_S, SILENT_S, STILL_S, Follower


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


class Forgetful(Idle):
    """A consumer that gives records of its two partitions; what it forgot it never gives again."""

    def __init__(self, **_settings):
        super().__init__()
        self.at, self.forgotten, self.fails, self.closed = {}, set(), [], False
        self.end = {0: 1000, 1: 1000}

    def seek(self, tp, offset):
        self.at[tp] = offset

    def highwater(self, tp):
        return self.end[tp.partition]

    def poll(self, timeout_ms):
        if self.fails:
            raise self.fails.pop()
        found = {}
        for tp in set(self.at) - self.forgotten:
            if self.at[tp] < self.end[tp.partition]:
                found[tp] = [SimpleNamespace(
                    partition=tp.partition, offset=self.at[tp], timestamp=1, key=b"T", headers=[],
                    value=b"v")]
                self.at[tp] += 1
        return found

    def close(self):
        self.closed = True


@pytest.fixture
def consumers(monkeypatch, clock):
    """Those that a follower makes, in their order; an exception is raised instead."""
    made, awaited = [], []

    def make(**_settings):
        if awaited:
            raise awaited.pop()
        made.append(Forgetful())
        return made[-1]

    monkeypatch.setattr(Connection, "consumer", lambda _self, **settings: make(**settings))
    return SimpleNamespace(made=made, awaited=awaited)


def read(follower, clock, seconds):
    """What comes within so many seconds, by partition."""
    found = {0: [], 1: []}
    for _ in range(int(seconds)):
        for stored in follower.poll():
            found[stored.partition].append(stored.offset)
        clock.now += 1
    return found


def test_a_partition_that_stands_still_though_it_goes_on_is_read_with_another_consumer(
    consumers, clock, caplog
):
    follower = Follower(Connection(partitions=2))
    first = read(follower, clock, 10)
    tp = next(tp for tp in consumers.made[0].at if tp.partition == 1)
    consumers.made[0].forgotten.add(tp)
    after = read(follower, clock, STILL_S + 10)
    old, new = consumers.made
    assert old.closed
    assert not new.closed
    for partition in (0, 1):  # each offset once, in order
        offsets = first[partition] + after[partition]
        assert offsets == list(range(len(offsets)))
    assert len(after[1]) > 5
    assert "partition 1: nothing came from offset 10 on for" in caplog.text


def test_a_partition_at_its_end_or_of_a_silent_broker_does_not_stand_still(consumers, clock):
    follower = Follower(Connection(partitions=2))
    follower.poll()
    [consumer] = consumers.made
    consumer.end = {0: 1, 1: 1}
    read(follower, clock, 10 * STILL_S)
    assert consumers.made == [consumer]


def test_after_an_error_another_consumer_goes_on_where_the_old_one_stood(consumers, clock):
    """kafka-python asks a broker never again that it did not know when it was to ask it."""
    follower = Follower(Connection(partitions=2))
    first = read(follower, clock, 3)
    consumers.made[0].fails.append(UnknownBrokerIdError(3))
    with pytest.raises(UnknownBrokerIdError):
        follower.poll()
    consumers.awaited.append(BrokersAway("no answer"))
    with pytest.raises(KafkaError, match="no answer"):
        follower.poll()
    assert not consumers.made[0].closed
    assert read(follower, clock, 3) == {p: [n + 3 for n in first[p]] for p in (0, 1)}
    assert [each.closed for each in consumers.made] == [True, False]
