"""The journal read out of an archive is the journal, in bounded memory."""

from collections import defaultdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitledger.archive import in_order as module
from pitledger.archive.in_order import in_order
from pitledger.archive.layout import leaf as leaf_key
from pitledger.archive.leaves import offsets_of
from pitledger.archive.log import manifests, newest
from pitledger.archive.store import BadArchive
from pitledger.pb.archive_pb2 import ArchivedRemainder, ArchiveLeaf
from tests.archive.memory import ABOUT, Memory, sealed


def leaves_of(store):
    return list(manifests(store, newest(store, ABOUT.origin).size))


def by_partition(records):
    found = defaultdict(list)
    for stored in records:
        found[stored.partition].append(stored)
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15,
          deadline=None)
@given(st.data())
def test_reading_by_remainders_gives_the_records_that_reading_all_gives(records, data):
    places = st.sets(st.integers(1, len(records)), max_size=6)
    end = data.draw(st.integers(1, len(records)))
    store = sealed(Memory(), records[:end], data.draw(places))
    leaves = leaves_of(store)
    found = by_partition(in_order(store, leaves))
    whole = by_partition(
        stored
        for entry, leaf in enumerate(leaves)
        if module.partition_of_leaf(leaf) is not None
        for stored in module.own_records(store, entry, leaf)
    )
    assert found == {p: sorted(rs, key=lambda r: r.offset) for p, rs in whole.items()}
    journal = {(stored.partition, stored.offset): stored for stored in records}
    for rs in found.values():
        assert all(journal[stored.partition, stored.offset] == stored for stored in rs)
    some = sorted(found)[::2]
    assert by_partition(in_order(store, leaves, some)) == {p: found[p] for p in some}


def test_an_archive_of_a_finished_journal_is_that_journal(records):
    store = sealed(Memory(), records, {len(records) // 2})
    assert by_partition(in_order(store, leaves_of(store))) == by_partition(records)


def test_no_more_rounds_are_held_than_were_open_side_by_side(records, monkeypatch):
    store = sealed(Memory(), records)
    leaves = leaves_of(store)
    spans = [
        (offsets_of(leaf.round)[0], offsets_of(leaf.round)[-1], leaf.round.partition)
        for leaf in leaves
        if leaf.HasField("round")
    ]
    side_by_side = max(
        sum(first <= at <= last and p == partition for first, last, p in spans)
        for at, _, partition in spans
    )
    held, most = set(), 0
    load = module.own_records

    def counted(store, entry, leaf):
        nonlocal most
        rs = load(store, entry, leaf)
        if leaf.HasField("round"):
            held.add((leaf.round.partition, rs[0].offset, rs[-1].offset))
            most = max(most, len(held))
        return rs

    monkeypatch.setattr(module, "own_records", counted)
    for stored in in_order(store, leaves):
        held = {span for span in held if (stored.partition, stored.offset) != (span[0], span[2])}
    assert most <= side_by_side + 1
    assert len(spans) > 10 * most


def test_a_leaf_that_is_missing_is_named(records):
    store = sealed(Memory(), records)
    leaves = leaves_of(store)
    entry, leaf = next((n, leaf) for n, leaf in enumerate(leaves) if leaf.HasField("round"))
    store.delete(leaf_key(leaf.sha256))
    with pytest.raises(BadArchive, match=f"entry {entry}: leaf/.* is missing"):
        list(in_order(store, leaves))


def test_an_offset_in_two_leaves_is_told(records):
    store = sealed(Memory(), records)
    leaves = leaves_of(store)
    entry = next(n for n, leaf in enumerate(leaves) if leaf.HasField("round"))
    with pytest.raises(BadArchive, match="lies in another leaf as well"):
        list(in_order(store, [*leaves[:entry], leaves[entry], *leaves[entry:]]))
    late = [*leaves, leaves[entry]]
    with pytest.raises(BadArchive, match=f"entry {len(leaves)}: offset .* below the remainder"):
        list(in_order(store, late))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15,
          deadline=None)
@given(st.data())
def test_what_was_deleted_is_left_out_and_all_else_is_read(records, data):
    store = sealed(Memory(), records, {len(records) // 2})
    leaves = leaves_of(store)
    held = [n for n, leaf in enumerate(leaves) if not leaf.HasField("document")]
    deleted = data.draw(st.sets(st.sampled_from(held)))
    gone = {
        (stored.partition, stored.offset)
        for entry in deleted
        for stored in module.own_records(store, entry, leaves[entry])
    }
    kept = {leaf.sha256 for entry, leaf in enumerate(leaves) if entry not in deleted}
    for entry in deleted:
        if leaves[entry].sha256 not in kept:
            store.delete(leaf_key(leaves[entry].sha256))
    left = [stored for stored in records if (stored.partition, stored.offset) not in gone]
    assert by_partition(in_order(store, leaves, deleted=deleted)) == by_partition(left)


@pytest.mark.parametrize("data", [bytes(1 << 20), b"\2\x10\5\2\x10\5", b"\2\x10\5\2\x10\4"])
def test_records_that_do_not_ascend_are_no_leaf(data):
    """Of a leaf that packs to nothing there were as many as it has bytes."""
    leaf = ArchiveLeaf(remainder=ArchivedRemainder(first=0, end=1 << 40))
    with pytest.raises(BadArchive, match="entry 7: out of order at offset"):
        module.records_in(7, leaf, data)
