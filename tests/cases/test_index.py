"""The index: cases go on from it after any end as if all had been read again."""

import sqlite3
from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitledger.archive.in_order import records_of
from pitledger.archive.leaves import DATA_MAX, Leaf
from pitledger.archive.log import LogWriter, manifests, newest
from pitledger.archive.store import BadArchive
from pitledger.journal.record import JournalRecord
from pitledger.journal.stored import to_bytes
from pitledger.pb import facts_pb2
from services.cases.from_archive import take_archive
from services.cases.index import BadIndex, CaseIndex
from services.cases.indexed_cases import IndexedCases
from tests.archive.memory import ABOUT, KEY, Memory, sealed
from tests.cases.desk import Desk
from tests.cases.test_laws import STEPS, Story
from tests.kit.house import House
from tests.kit.log import Log
from tests.kit.table import Table

TOPIC = "journal"


def values(cases):
    return [one.concluded.value for one in cases.derived.values()]


def stages(cases):
    return [
        (case.case_id, case.state, [one.stage for one in case.proposals.values()])
        for case in cases.cases()
    ]


@given(st.lists(STEPS, max_size=12), st.data())
@settings(max_examples=80, deadline=None)
def test_wherever_it_ends_it_goes_on_as_if_everything_had_been_read_again(steps, data):
    story = Story(steps)
    story.table.play()  # another round, so that one lies behind and one may be open
    records, whole = story.table.log.all(), story.desk.read()
    index = CaseIndex(":memory:", TOPIC, story.table.log.partitions)
    ends = sorted(data.draw(st.lists(st.integers(0, len(records)), max_size=3)))
    for end in [*ends, len(records)]:
        indexed = IndexedCases(index)
        for stored in records:
            if indexed.next[stored.partition] <= stored.offset < end:
                indexed.take(stored)
        indexed.save()
    assert values(indexed.cases) == values(whole)
    assert stages(indexed.cases) == stages(whole)
    assert set(indexed.cases.unseen) == set(whole.unseen)
    index.close()


def read_twice(log, first):
    """Cases after all records, of which the index had the first so many at a restart."""
    index = CaseIndex(":memory:", TOPIC, log.partitions)
    for end in (first, len(log.all())):
        indexed = IndexedCases(index)
        for stored in log.all()[:end]:
            if stored.offset >= indexed.next[stored.partition]:
                indexed.take(stored)
        indexed.save()
    return indexed.cases


def test_round_numbers_of_before_a_restart_are_known():
    desk = Desk(Table().play())
    desk.table.play()
    before = len(desk.log.all())
    desk.table.open(number=1)  # bears a number that was there: no round begins
    opened = desk.open()
    assert desk.refusal(opened) == "ROUND_UNKNOWN"
    assert values(read_twice(desk.log, before)) == values(desk.read())


def test_what_the_index_knows_of_later_is_not_known_to_a_fact_that_is_read_again():
    log = Log(partitions=1)
    Table(table_id="T2", log=log).open()  # stays open: after a restart all is read again
    table = Table(log=log)
    later = table.new_id()
    desk = Desk(table)
    opened = desk.open(settlement=facts_pb2.SettlementReference(round_id=later))
    table.new_id = lambda: later
    table.open()
    assert desk.refusal(opened) == "ROUND_UNKNOWN"
    assert values(read_twice(log, len(log.all()))) == values(desk.read())


def test_what_was_not_saved_before_an_end_is_read_again(tmp_path):
    desk = Desk(Table().play())
    desk.open()
    path = str(tmp_path / "index")
    index = CaseIndex(path, TOPIC, 4)
    indexed = IndexedCases(index)
    for stored in desk.log.all():
        indexed.take(stored)
    index.close()  # killed

    indexed = IndexedCases(CaseIndex(path, TOPIC, 4))
    assert set(indexed.next.values()) == {0}
    assert indexed.cases.derived == {}


def test_the_index_of_another_journal_is_made_anew_and_another_file_is_refused(tmp_path):
    path = tmp_path / "index"
    for topic, known in ((TOPIC, {}), (TOPIC, {0: 7}), ("another", {})):
        index = CaseIndex(str(path), topic, 4)
        assert index.resume() == known
        index.save({0: 7})
        index.close()
    other = tmp_path / "other"
    sqlite3.connect(other).execute("CREATE TABLE mine (a)").connection.close()
    with pytest.raises(BadIndex, match="is no index of cases"):
        CaseIndex(str(other), TOPIC, 4)
    other.write_text("not a database, but a text that is long enough to be taken for one" * 20)
    with pytest.raises(BadIndex, match="not a database"):
        CaseIndex(str(other), TOPIC, 4)


@pytest.mark.parametrize("leaf_max", [DATA_MAX, 100])
def test_what_the_journal_lost_is_taken_from_the_archive_and_gives_the_same(leaf_max, monkeypatch):
    """Of rounds in leaves, and of rounds too long for one."""
    monkeypatch.setattr("pitledger.archive.leaves.DATA_MAX", leaf_max)
    table = Table()
    desk = Desk(table.play())
    House(table).run()
    desk.open()
    desk.approve(desk.propose())
    first = table.round_id
    desk.record_what_is_missing()
    table.play()
    House(table).run()
    desk.propose(settlement=desk.reference(first))
    records, whole = table.log.all(), desk.read()
    store = sealed(Memory(), records, about=replace(ABOUT, partitions=4))

    index = CaseIndex(":memory:", ABOUT.topic, 4)
    assert take_archive(index, store, ABOUT.topic, 4) == 2
    assert values(IndexedCases(index).cases) == values(whole)
    assert take_archive(index, store, ABOUT.topic, 4) == 0
    indexed = IndexedCases(index)
    desk.approve(desk.propose(settlement=desk.reference(first), amount_minor=7))
    for stored in table.log.all():
        if stored.offset >= indexed.next[stored.partition]:
            indexed.take(stored)
    assert values(indexed.cases) == values(desk.read())
    with pytest.raises(BadArchive, match="this is the archive of"):
        take_archive(index, store, "another", 4)


def test_an_outcome_that_an_archive_has_is_no_input():
    """Whoever has the key can seal another one than the round's facts derive."""
    table = Table().play()
    House(table).run()
    about = replace(ABOUT, partitions=4)
    store = sealed(Memory(), table.log.all(), about=about)
    size = newest(store, about.origin).size
    leaves = enumerate(manifests(store, size))
    entry, leaf = next((entry, leaf) for entry, leaf in leaves if leaf.HasField("round"))
    records = records_of(store, entry, leaf)
    truth, told = CaseIndex(":memory:", about.topic, 4), CaseIndex(":memory:", about.topic, 4)
    take_archive(truth, store, about.topic, 4)
    changed = []
    for stored in records:
        record = JournalRecord.FromString(stored.value)
        for line in record.round_settled.lines if record.HasField("round_settled") else ():
            line.profit_minor += 1_000_000
        changed.append(replace(stored, value=record.SerializeToString(deterministic=True)))
    data = b"".join(map(to_bytes, changed))
    leaf.sha256, leaf.length = sha256(data).digest(), len(data)
    assert sum(each not in records for each in changed) == 1
    lying = Memory()
    LogWriter(lying, KEY, about).append([Leaf(leaf.SerializeToString(), leaf.sha256, data)])
    assert take_archive(told, lying, about.topic, 4) == 1
    rounds = [index.of("T1", table.round_id) for index in (truth, told)]
    assert rounds[0].settlement == rounds[1].settlement is not None
