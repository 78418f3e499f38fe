"""Bulk reads of the journal: whole, in order, to the end, and never past a hole."""

import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from pitledger.journal.record import Stored
from pitledger.sources import kafka as source
from pitledger.sources.connection import ConnectionFailed
from pitledger.sources.in_order import stored_of
from pitledger.sources.kafka import HoleInJournal, read_topic


def test_a_journal_is_read_whole_each_partition_in_order(rig):
    rig.create()
    ids = [fact for _ in range(7) for fact in rig.send(30)]
    found = list(read_topic(rig.connection))
    assert {dict(record.headers)["ce_id"].decode() for record in found} == set(ids)
    for partition in (0, 1):
        offsets = [record.offset for record in found if record.partition == partition]
        assert offsets == list(range(105))


def test_the_last_batch_is_read_too(rig):
    rig.create().send(5, partition=0)
    rig.send(50, partition=0)
    assert len(list(read_topic(rig.connection))) == 55


def test_an_empty_journal_is_empty(rig):
    assert list(read_topic(rig.create().connection)) == []


def test_some_partitions_only(rig):
    rig.create().send(10)
    assert {record.partition for record in read_topic(rig.connection, [1])} == {1}


def test_a_record_is_read_as_it_lies_there(rig):
    rig.create().send(1, value=b"\x00\xff", partition=1, ids=["x-1"])
    (record,) = read_topic(rig.connection)
    assert (record.partition, record.offset) == (1, 0)
    assert record.key == b"table"
    assert record.value == b"\x00\xff"
    assert record.headers[1] == ("ce_id", b"x-1")
    assert record.broker_time > 1_700_000_000_000


def test_what_is_null_on_kafka_is_empty():
    message = SimpleNamespace(
        partition=1, offset=2, timestamp=3, key=None, headers=[("ce_id", None)], value=None
    )
    assert stored_of(message) == Stored(1, 2, 3, b"", (("ce_id", b""),), b"")


def test_a_hole_that_heals_is_read_again(rig, monkeypatch):
    rig.create().send(20, partition=0)
    in_order, once = source._Reading._in_order, []

    def holed(self, tp, messages):
        messages = list(messages)
        if len(messages) > 5 and not once:
            once.append(messages.pop(3))
        yield from in_order(self, tp, messages)

    monkeypatch.setattr(source._Reading, "_in_order", holed)
    assert [record.offset for record in read_topic(rig.connection, [0])] == list(range(20))
    assert once


def test_a_hole_that_does_not_heal_is_an_error(rig, monkeypatch):
    rig.create().send(20, partition=0)
    in_order = source._Reading._in_order

    def gapped(self, tp, messages):
        yield from in_order(self, tp, [m for m in messages if m.offset != 3])

    monkeypatch.setattr(source._Reading, "_in_order", gapped)
    monkeypatch.setattr(source, "PATIENCE_S", 1.0)
    read = read_topic(rig.connection, [0])
    assert [next(read).offset for _ in range(3)] == [0, 1, 2]
    with pytest.raises(HoleInJournal, match="partition 0: offset 3 could not be read"):
        next(read)


class TwoPolls:
    """A consumer whose second partition comes with the second poll only."""

    def __init__(self):
        self.polls = 0

    def partitions_for_topic(self, topic):
        return {0, 1}

    def assign(self, tps):
        self.tps = tps

    def poll(self, timeout_ms):
        self.polls += 1
        return {tp: [message(tp.partition)] for tp in self.tps if tp.partition < self.polls}

    def highwater(self, tp):
        return 1 if tp.partition < self.polls else None

    def seek(self, tp, offset):
        pass

    def assignment(self):
        return set(self.tps)


def message(partition):
    return SimpleNamespace(
        partition=partition, offset=0, timestamp=1, key=b"k", headers=[], value=b"v"
    )


def test_whoever_takes_the_records_may_be_slow(rig, monkeypatch):
    """Given two partitions, when the records of the one take their taker longer than a partition
    is asked in vain, then the other is read all the same."""
    monkeypatch.setattr(source, "PATIENCE_S", 0.05)
    reading = source._Reading(
        rig.connection, TwoPolls(), None, lambda _consumer, tps: dict.fromkeys(tps, 0)
    )
    read = reading.records()
    assert next(read).partition == 0
    time.sleep(0.1)
    assert next(read).partition == 1


def test_a_topic_that_is_not_there_is_one_line(rig):
    with pytest.raises(ConnectionFailed, match="does not exist"):
        list(read_topic(rig.connection))


def test_a_partition_that_is_not_there_is_one_line(rig):
    with pytest.raises(ConnectionFailed, match="has no partition 9"):
        list(read_topic(rig.create().connection, [9]))


def test_a_broker_that_is_not_there_is_one_line(rig, monkeypatch):
    nowhere = replace(rig.connection, bootstrap=("127.0.0.1:1",))
    monkeypatch.setattr("pitledger.sources.connection.CONNECT_TIMEOUT_MS", 1500)
    with pytest.raises(ConnectionFailed, match="nobody listens there"):
        list(read_topic(nowhere))
