"""Every record of the journal is in exactly one leaf, however its reading was cut in pieces."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitledger.archive.collect import Collector, Hole, Memory
from pitledger.archive.leaves import remainder_leaves, round_leaf
from pitledger.archive.positions import Positions
from pitledger.journal.record import DECISION_TYPES
from pitledger.journal.stored import messages_from, stored_of
from pitledger.pb.archive_pb2 import ArchiveLeaf
from pitledger.replay import Replay
from tests.archive.conftest import PARTITIONS


class Archive:
    """A log in memory; `go_on` reads the journal from where the log says."""

    def __init__(self, records):
        self.records, self.leaves = records, []
        self.collector = None

    def go_on(self):
        self.collector = Collector(PARTITIONS)
        positions = Positions().take_all(ArchiveLeaf.FromString(leaf.entry) for leaf in self.leaves)
        memory, begun = {}, set()
        for stored in self.records:
            partition, position = stored.partition, positions.of(stored.partition)
            if stored.offset < (position.cut or 0):
                memory.setdefault(partition, []).append(stored)
                continue
            if partition not in begun:
                begun.add(partition)
                before = Memory(memory.get(partition, ()))
                self.collector.begin(partition, stored.offset, before, position.taken)
            yield stored
            self.leaves += map(round_leaf, self.collector.take(stored))

    def seal(self):
        for partition in range(PARTITIONS):
            if any(stored.partition == partition for stored in self.records):
                self.seal_one(partition)

    def seal_one(self, partition):
        try:
            remainder = self.collector.cut(partition)
        except KeyError:
            return  # not begun yet
        if remainder is not None:
            self.leaves += remainder_leaves(remainder)

    def places(self):
        """How often each place of the journal is in a leaf, copies left out."""
        found = Counter()
        for leaf in self.leaves:
            manifest = ArchiveLeaf.FromString(leaf.entry)
            copied = manifest.round.copied if manifest.round.HasField("copied") else None
            places = [(m.partition, m.offset) for m in messages_from(leaf.data)]
            assert places == sorted(places)
            found.update(place for place in places if place[1] != copied)
        return found


def test_all_records_are_in_exactly_one_leaf(records):
    archive = Archive(records)
    for _ in archive.go_on():
        pass
    archive.seal()
    assert archive.collector.waiting() == []
    manifests = [ArchiveLeaf.FromString(leaf.entry) for leaf in archive.leaves]
    assert any(manifest.round.HasField("copied") for manifest in manifests)
    assert archive.places() == Counter((s.partition, s.offset) for s in records)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.data())
def test_reading_in_pieces_seals_the_same_rounds_and_no_record_twice(records, data):
    whole = Archive(records)
    for _ in whole.go_on():
        pass
    whole.seal()
    archive = Archive(records)
    for _ in range(data.draw(st.integers(1, 4))):
        stop = data.draw(st.integers(1, len(records)))
        for count, _ in enumerate(archive.go_on()):
            if count == stop:
                break
        if data.draw(st.booleans()):  # else it was killed with what was sealed, and no remainder
            archive.seal()
    for _ in archive.go_on():
        pass
    archive.seal()
    assert archive.places() == whole.places()
    assert rounds_of(archive) == rounds_of(whole)


def rounds_of(archive):
    return {
        manifest.round.round_id: leaf.data
        for leaf in archive.leaves
        if (manifest := ArchiveLeaf.FromString(leaf.entry)).HasField("round")
    }


def test_a_transcript_alone_is_derived_again_as_it_was_recorded(records):
    archive = Archive(records)
    for _ in archive.go_on():
        pass
    for data in rounds_of(archive).values():
        replay = Replay(PARTITIONS)
        notes = {replay.take(stored_of(message)) for message in messages_from(data)}
        report = next(replay.reports())
        assert report.identical
        assert report.derived == report.recorded
        assert notes == {""}


def test_a_round_waits_as_long_as_a_decision_lacks(records):
    settled = next(s for s in records if dict(s.headers).get("ce_type", b"").endswith(b"Settled"))
    archive = Archive([s for s in records if s.partition == settled.partition])
    archive.records = [s if s.offset != settled.offset else no_fact(s) for s in archive.records]
    for _ in archive.go_on():
        pass
    archive.seal()
    (waiting,) = [w for w in archive.collector.waiting() if w.over]
    assert waiting.round_id == dict(settled.headers)["ce_subject"].decode()
    end = ArchiveLeaf.FromString(archive.leaves[-1].entry).remainder.end
    assert end == waiting.first_offset


def no_fact(stored):
    assert dict(stored.headers)["ce_type"] in DECISION_TYPES
    return type(stored)(stored.partition, stored.offset, stored.broker_time, b"", (), b"")


def test_a_hole_is_told(records):
    collector = Collector(PARTITIONS)
    first, second = (s for s in records[:200] if s.partition == records[0].partition), None
    stored = next(first)
    collector.begin(stored.partition, stored.offset)
    collector.take(stored)
    next(first)
    second = next(first)
    with pytest.raises(Hole, match=f"partition {stored.partition}: offset {second.offset}"):
        collector.take(second)
