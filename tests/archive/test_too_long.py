"""A round that no leaf can hold lies in remainders, whole, and a document tells of it."""

from operator import attrgetter

import pytest

from pitledger.archive.deletions import Deletion
from pitledger.archive.in_order import own_records, records_in
from pitledger.archive.layout import leaf as leaf_key
from pitledger.archive.leaves import DATA_MAX, ENTRY_MAX
from pitledger.archive.log import About, LogWriter, manifests, newest
from pitledger.archive.long_rounds import is_long_round, manifest_of, round_of
from pitledger.archive.rederive import Rederivation, Unlike
from pitledger.journal.record import partition_of
from services.storage.folder import Folder
from services.storage.index import Index
from services.verify.archive import verify
from services.verify.files import Folder as Files
from services.verify.note import Key
from tests.archive.memory import KEY, sealed
from tests.kit.house import House
from tests.kit.log import PARTITIONS
from tests.kit.table import Table

ABOUT = About(KEY.name, "pitledger.journal.v1", PARTITIONS)


def long_gaming_day(table):
    table.open(gaming_day="x" * (ENTRY_MAX + 1))
    yield
    table.void()


def much_in_it(table):
    table.open()
    for _ in range(3):
        table.wager(1, ante=1000, patron="p" * (DATA_MAX // 3))
        yield
    table.void()


def ends_another(table):
    table.open()
    yield
    table.open(gaming_day="x" * (ENTRY_MAX + 1))
    yield
    table.void()


def ended_by_the_next(table):
    table.open(gaming_day="x" * (ENTRY_MAX + 1))
    yield
    table.open()
    yield
    table.void()


@pytest.fixture(params=[long_gaming_day, much_in_it, ends_another, ended_by_the_next])
def journal(request):
    """Beside it rounds of another table in the same partition, before, within and after."""
    table = Table()
    ids = (f"T{number}" for number in range(2, 100))
    same = next(i for i in ids if partition_of(i, PARTITIONS) == partition_of("T1", PARTITIONS))
    other = Table(table_id=same, log=table.log)
    other.play()
    for _ in request.param(table):
        other.play()
        other.open()
    other.void()
    table.play()
    House(table).run()
    return table.log.all()


def test_a_log_that_does_not_tell_of_it_is_named(journal, tmp_path):
    store = sealed(Folder(tmp_path), journal, about=ABOUT)
    again = Rederivation(store, journal[0].partition, PARTITIONS)
    for entry, leaf in enumerate(manifests(store, newest(store, ABOUT.origin).size)):
        if not leaf.HasField("document"):
            again.take(entry, leaf)
    with pytest.raises(Unlike, match="is too long for a leaf, and no document tells of it"):
        again.end()


def test_it_is_gone_with_the_remainder_in_which_it_lay(journal, tmp_path):
    store = sealed(Folder(tmp_path), journal, about=ABOUT)
    index = Index.open(store, tmp_path / "index")
    index.update()
    leaves = list(manifests(store, newest(store, ABOUT.origin).size))
    [entry] = [number for number, leaf in enumerate(leaves) if is_long_round(leaf)]
    name = manifest_of(store, entry, leaves[entry]).round.round_id
    assert not index.round(name).gone
    assert name in {each.round_id for each in index.rounds(patron="p1")}
    rest = [number for number, leaf in enumerate(leaves) if leaf.HasField("remainder")]
    spans = tuple((number, number) for number in rest)
    deletion = Deletion("2037-01-01T00:00:00Z", "j.doe", "its time is over", "10-years", spans)
    LogWriter(store, KEY, ABOUT).append([deletion.leaf()])
    for number in rest:
        store.delete(leaf_key(leaves[number].sha256))
    index.update()
    anew = Index.open(store, tmp_path / "anew")
    anew.update()
    assert index.round(name) == anew.round(name)
    assert index.round(name).gone
    assert name not in {each.round_id for each in index.rounds(patron="p1")}
    again = Rederivation(store, journal[0].partition, PARTITIONS, set(rest))
    for number, leaf in enumerate(leaves):
        if not leaf.HasField("document") or is_long_round(leaf):
            again.take(number, leaf)
    again.end()
    assert again.counts.deleted == 1
    judged = verify(Files(tmp_path), Key.parse(str(KEY.public)), ())
    assert judged.deleted == len(rest)


def test_it_lies_in_remainders_and_is_derived_again_wherever_it_was_cut(journal, tmp_path):
    for count, seal_at in enumerate((set(), {len(journal) // 2}, set(range(len(journal))))):
        store = sealed(Folder(tmp_path / str(count)), journal, seal_at, about=ABOUT)
        leaves = list(manifests(store, newest(store, ABOUT.origin).size))
        days = [leaf.round.gaming_day for leaf in leaves if leaf.HasField("round")]
        assert days
        assert not any(days)
        held = [
            stored
            for entry, leaf in enumerate(leaves)
            if not leaf.HasField("document")
            for stored in own_records(store, entry, leaf)
        ]
        assert sorted(held, key=attrgetter("offset")) == journal
        again = Rederivation(store, journal[0].partition, PARTITIONS)
        long = [(entry, leaf) for entry, leaf in enumerate(leaves) if is_long_round(leaf)]
        for entry, leaf in enumerate(leaves):
            if not leaf.HasField("document") or is_long_round(leaf):
                again.take(entry, leaf)
        [(entry, leaf)] = long
        with pytest.raises(Unlike, match="are no such round"):
            again.take(entry, leaf)
        again.end()
        assert again.counts.rounds == len(days) + 1
        manifest, data = round_of(store, len(leaves), entry, leaf)
        assert len(data) > DATA_MAX or manifest.round.gaming_day
        assert records_in(entry, manifest, data)
        judged = verify(Files(tmp_path / str(count)), Key.parse(str(KEY.public)), ())
        assert judged.records == len(journal)
