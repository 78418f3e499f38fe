"""A round replayed from its leaf and what names it is the round replayed from the journal."""

from collections import Counter, defaultdict

import pytest

from services.cli.source import Journal
from services.cli.transcript import as_object, replayed
from services.storage.about_round import records_about
from services.storage.index import Index
from tests.archive.conftest import PARTITIONS
from tests.archive.memory import Memory, sealed


@pytest.fixture(scope="module")
def archive(records):
    return sealed(Memory(), records, {len(records) // 2})


@pytest.fixture(scope="module")
def index(archive, tmp_path_factory):
    index = Index.open(archive, tmp_path_factory.mktemp("index") / "index")
    index.update()
    return index


@pytest.fixture(scope="module")
def by_partition(records):
    found = defaultdict(list)
    for stored in records:
        found[stored.partition].append(stored)
    return found


def test_every_round_is_told_as_the_whole_journal_tells_it(index, archive, by_partition):
    journal = Journal("journal", PARTITIONS, None)
    notes = Counter()
    for number, round_ in enumerate(index.rounds()):
        name = round_.round_id, round_.table_id
        few = records_about(archive, index, round_)
        told = as_object(replayed(journal, *name, few, None))
        odd = {step["note"] for step in told["steps"]} - {"", "repeat", "foreign"}
        if odd or number % 5 == 0:
            whole = replayed(journal, *name, by_partition[round_.partition], None)
            assert told == as_object(whole)
            notes.update(step["note"] for step in told["steps"])
    assert notes["repeat"]
    assert notes["foreign"]
    assert notes["other_round"]
    assert notes["no_open_round"]


def test_as_of_an_offset_too(index, archive, by_partition):
    journal = Journal("journal", PARTITIONS, None)
    for round_ in list(index.rounds())[::40]:
        name = round_.round_id, round_.table_id
        few = records_about(archive, index, round_)
        for until in range(round_.first_offset, round_.last_offset, 9):
            told = as_object(replayed(journal, *name, few, until))
            whole = replayed(journal, *name, by_partition[round_.partition], until)
            assert told == as_object(whole)
        assert replayed(journal, *name, few, round_.first_offset - 1) is None


def test_few_records_are_read_for_it(index, archive, by_partition):
    for round_ in list(index.rounds())[::10]:
        few = records_about(archive, index, round_)
        assert len(few) < len(by_partition[round_.partition]) // 4
