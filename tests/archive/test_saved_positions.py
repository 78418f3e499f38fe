"""What is kept of a log's positions saves reading, and never counts where it does not belong."""

import json
from hashlib import sha256

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitledger.archive import saved_positions
from pitledger.archive.log import LogWriter, manifests
from pitledger.archive.positions import Positions
from pitledger.archive.saved_positions import POSITIONS, Keeping, read_positions
from services.archivist.sealing import Sealing
from tests.archive.conftest import PARTITIONS
from tests.archive.memory import ABOUT, KEY, Memory


class Counting(Memory):
    """Knows which entries were read."""

    def __init__(self):
        super().__init__()
        self.bundles = []
        self.looks = 0

    def read(self, key):
        self.looks += key == POSITIONS
        if key.startswith("tile/entries/"):
            self.bundles.append(key)
        return super().read(key)


@pytest.fixture(autouse=True)
def _keeps_small_logs(monkeypatch):
    monkeypatch.setattr(saved_positions, "EVERY", 1)


@pytest.fixture
def grown(records):
    """A log that was sealed in thirds, its positions kept after the first; (store, sizes)."""
    store, sizes = Counting(), []
    writer = LogWriter(store, KEY, ABOUT)
    sealing, begun = Sealing(writer, PARTITIONS), set()
    for count, stored in enumerate(records, 1):
        if stored.partition not in begun:
            begun.add(stored.partition)
            sealing.begin(stored.partition, stored.offset)
        sealing.take(stored)
        if count % (len(records) // 3) == 0:
            sealing.seal()
            sizes.append(writer.size)
            if len(sizes) == 1:
                Keeping(store).keep(writer.size)
    sealing.seal()
    return store, [*sizes, writer.size]


def told(store):
    return json.loads(store.files[POSITIONS].partition(b"\n")[2])


def summed(body):
    return sha256(body).hexdigest().encode() + b"\n" + body


def plain(positions):
    return positions.documents, {
        partition: (position.cut, position.taken.ranges(), position.last_round,
                    position.last_remainder)
        for partition, position in positions.items()
    }


def whole(store, size):
    return plain(Positions().take_all(manifests(store, size)))


def test_from_what_is_kept_any_later_tree_has_the_positions_of_all_its_entries(grown):
    store, sizes = grown
    assert told(store)["size"] == sizes[0]
    for size in sizes:
        assert plain(read_positions(store, size)) == whole(store, size)
    Keeping(store).keep(sizes[-1])
    store.bundles.clear()
    assert plain(read_positions(store, sizes[-1])) == whole_without_counting(store, sizes[-1])
    assert store.bundles == []


def whole_without_counting(store, size):
    found, store.bundles = whole(store, size), []
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sets(st.integers(0, 30)), st.one_of(st.none(), st.integers(0, 9)))
def test_what_lies_beyond_a_cut_is_kept_as_it_is(taken, cut):
    positions = Positions()
    position = positions.of(3)
    position.cut = cut
    position.taken.update(taken)
    again = saved_positions._positions(
        json.loads(saved_positions._body(saved_positions._data(positions, 1, "")))
    )
    assert plain(again) == plain(positions)


def test_a_smaller_tree_than_what_is_kept_is_read_whole(grown):
    store, sizes = grown
    Keeping(store).keep(sizes[-1])
    assert plain(read_positions(store, sizes[0])) == whole(store, sizes[0])


@pytest.mark.parametrize(
    "damaged",
    [
        lambda kept: b"",
        lambda kept: b"\xff",
        lambda kept: summed(b"\xff"),
        lambda kept: summed(b"[]"),
        lambda kept: summed(b"{}"),
        lambda kept: json.dumps({**kept, "format": 1}).encode(),  # as an earlier build wrote it
        lambda kept: summed(json.dumps({**kept, "format": 1}).encode()),
        lambda kept: summed(json.dumps({**kept, "root": "00" * 32}).encode()),
        lambda kept: summed(json.dumps({**kept, "root": None, "size": 7}).encode()),
        lambda kept: summed(json.dumps({**kept, "partitions": {"0": {"cut": 1}}}).encode()),
        lambda kept: summed(json.dumps({**kept, "documents": ["no hex"]}).encode()),
    ],
)
def test_what_is_kept_wrongly_is_as_if_nothing_were(grown, damaged):
    store, sizes = grown
    store.files[POSITIONS] = damaged(told(store))
    assert plain(read_positions(store, sizes[-1])) == whole(store, sizes[-1])


def test_one_flipped_bit_anywhere_and_what_is_kept_does_not_count(grown):
    store, sizes = grown
    good = store.files[POSITIONS]
    assert saved_positions._kept(store, sizes[0])[0] == sizes[0]
    for at, byte in enumerate(good):
        for bit in (0, 5):  # another digit; another case
            flipped = bytes([byte ^ 1 << bit])
            store.files[POSITIONS] = good[:at] + flipped + good[at + 1 :]
            assert saved_positions._kept(store, sizes[0])[0] == 0, at


def test_while_the_log_grows_little_what_is_kept_is_not_read_again(grown, monkeypatch):
    store, sizes = grown
    monkeypatch.setattr(saved_positions, "EVERY", sizes[-1])
    store.looks, keeping = 0, Keeping(store)
    for size in sizes:
        keeping.keep(size)
    assert store.looks == 1
    monkeypatch.setattr(saved_positions, "EVERY", 1)
    keeping.keep(sizes[-1])
    keeping.keep(sizes[-1])
    assert (told(store)["size"], store.looks) == (sizes[-1], 2)


def test_it_is_kept_anew_only_where_the_log_has_grown_enough(grown, monkeypatch):
    store, sizes = grown
    before = store.files[POSITIONS]
    monkeypatch.setattr(saved_positions, "EVERY", sizes[-1] - sizes[0] + 1)
    Keeping(store).keep(sizes[-1])
    assert store.files[POSITIONS] == before
    monkeypatch.setattr(saved_positions, "EVERY", sizes[-1] - sizes[0])
    Keeping(store).keep(sizes[-1])
    assert told(store)["size"] == sizes[-1]
