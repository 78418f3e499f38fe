"""Whatever order messages come in, each offset is handed on once, and none is left out."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st
from kafka import TopicPartition

from pitledger.sources.in_order import InOrder

TP = TopicPartition("journal", 3)


class Partition:
    """A broker's partition, and a consumer that reads it as it was last sought."""

    def __init__(self, first, end):
        self.first, self.end, self.at = first, end, None

    def seek(self, tp, offset):
        self.at = offset

    def fetch(self, count, without=()):
        """The next messages; the consumer then stands after the last that it was shown."""
        offsets = range(self.at, min(self.at + count, self.end))
        shown = [message(offset) for offset in offsets if offset not in without]
        if shown:
            self.at = shown[-1].offset + 1
        return shown


def message(offset):
    return SimpleNamespace(
        partition=3, offset=offset, timestamp=1, key=b"k", headers=[], value=b"v"
    )


def taken(reader, messages):
    return [stored.offset for stored in reader.take(TP, messages)]


def test_a_hole_is_sought_back_and_nothing_after_it_is_handed_on():
    partition = Partition(5, 12)
    reader = InOrder(partition, {TP: 5})
    assert taken(reader, partition.fetch(4, without={6})) == [5]
    assert partition.at == 6
    assert taken(reader, partition.fetch(9)) == [6, 7, 8, 9, 10, 11]


def test_what_was_read_before_is_passed_over():
    reader = InOrder(Partition(0, 9), {TP: 4})
    assert taken(reader, [message(offset) for offset in (2, 3, 4, 4, 5, 3)]) == [4, 5]


@given(st.lists(st.tuples(st.integers(1, 5), st.sets(st.integers(0, 19), max_size=4))))
def test_each_offset_comes_once_and_in_order(fetches):
    partition = Partition(0, 20)
    reader = InOrder(partition, {TP: 0})
    found = []
    for count, without in fetches:
        found += taken(reader, partition.fetch(count, without))
    while len(found) < 20:
        found += taken(reader, partition.fetch(7))
    assert found == list(range(20))


def test_an_open_hole_is_named_until_it_heals():
    reader = InOrder(Partition(0, 5), {TP: 0})
    assert reader.hole() is None
    assert taken(reader, [message(1)]) == []
    number, offset, age_s = reader.hole()
    assert (number, offset) == (3, 0)
    assert age_s >= 0
    assert taken(reader, [message(0), message(1)]) == [0, 1]
    assert reader.hole() is None
