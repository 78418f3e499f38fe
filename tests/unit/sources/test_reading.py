"""When reading a topic gives up: a partition that is asked in vain, not one that waits its turn."""

from collections import namedtuple

import pytest

from pitledger.sources import kafka as reading
from pitledger.sources.connection import Connection

Message = namedtuple("Message", "partition offset timestamp key value headers")
TOPIC = "journal"
NEVER = 10**9


class Broker:
    """Stands for a consumer and the clock: each poll takes its seconds and gives its records."""

    def __init__(self, polls, ends):
        self.now, self._polls, self._ends = 0.0, list(polls), ends

    def poll(self, timeout_ms):
        seconds, given = self._polls.pop(0) if self._polls else (timeout_ms / 1000, {})
        self.now += seconds
        return {
            self.tp(number): [Message(number, offset, 1, b"T", b"v", []) for offset in offsets]
            for number, offsets in given.items()
        }

    def tp(self, number):
        return reading.kafka.TopicPartition(TOPIC, number)

    def partitions_for_topic(self, topic):
        return set(self._ends)

    def highwater(self, tp):
        return self._ends[tp.partition]

    def position(self, tp):
        return 0

    def assign(self, tps): ...
    def assignment(self): return set()
    def seek(self, tp, offset): ...
    def seek_to_beginning(self, *tps): ...


@pytest.fixture
def read(monkeypatch):
    def call(polls, ends):
        broker = Broker(polls, ends)
        monkeypatch.setattr(reading.time, "monotonic", lambda: broker.now)
        connection = Connection.__new__(Connection)
        object.__setattr__(connection, "topic", TOPIC)
        begins = lambda consumer, tps: dict.fromkeys(tps, 0)  # noqa: E731
        found = reading._Reading(connection, broker, None, begins).records()
        return [(stored.partition, stored.offset) for stored in found]

    return call


def test_a_partition_is_not_given_up_while_another_ones_records_are_parsed(read):
    slow = 2 * reading.PATIENCE_S
    polls = [(slow, {0: [0]}), (slow, {0: [1]}), (1.0, {1: [0]})]
    assert read(polls, {0: 2, 1: 1}) == [(0, 0), (0, 1), (1, 0)]


def test_a_partition_that_gives_nothing_is_given_up(read):
    with pytest.raises(reading.HoleInJournal, match="partition 1: offset 0 could not be read"):
        read([(1.0, {0: [0]})], {0: 1, 1: 1})
