"""A round that no leaf can hold stops nobody: it lies in remainders, whole."""

from operator import attrgetter

import pytest

from pitledger.archive.in_order import own_records
from pitledger.archive.leaves import DATA_MAX, ENTRY_MAX
from pitledger.archive.log import About, manifests, newest
from pitledger.archive.rederive import Rederivation
from pitledger.journal.record import partition_of
from services.archivist.folder import Folder
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
        for entry, leaf in enumerate(leaves):
            if not leaf.HasField("document"):
                again.take(entry, leaf)
        again.end()
        assert again.counts.rounds == len(days)
        judged = verify(Files(tmp_path / str(count)), Key.parse(str(KEY.public)), ())
        assert judged.records == len(journal)
