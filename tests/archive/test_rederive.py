"""An archive's leaves must be those that its own records derive."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitledger.archive.in_order import partition_of_leaf
from pitledger.archive.log import manifests, newest
from pitledger.archive.rederive import Rederivation, Unlike
from pitledger.journal.record import JournalRecord, serialize
from tests.archive.conftest import PARTITIONS
from tests.archive.lies import Book, kind_of
from tests.archive.memory import ABOUT, Memory, sealed


@pytest.fixture(scope="module")
def archive(records):
    return sealed(Memory(), records, {len(records) // 2})


@pytest.fixture
def book(archive):
    return Book(archive)


def derived(store, deleted=()):
    """How many rounds were derived again, and how many records were folded."""
    parts = {}
    for entry, leaf in enumerate(manifests(store, newest(store, ABOUT.origin).size)):
        partition = partition_of_leaf(leaf)
        if partition is None:
            continue
        if partition not in parts:
            parts[partition] = Rederivation(store, partition, PARTITIONS, deleted)
        parts[partition].take(entry, leaf)
    for part in parts.values():
        part.end()
    counts = [part.counts for part in parts.values()]
    return [sum(getattr(c, name) for c in counts) for name in ("rounds", "records", "deleted")]


def unlike(book):
    """The entry that is named, what is said of it."""
    with pytest.raises(Unlike) as told:
        derived(book.sealed(Memory()))
    assert "\n" not in str(told.value)
    return told.value.entry, str(told.value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=8,
          deadline=None)
@given(st.data())
def test_what_an_honest_archivist_sealed_is_derived_again(records, data):
    end = data.draw(st.integers(1, len(records)))
    store = sealed(Memory(), records[:end], data.draw(st.sets(st.integers(1, end), max_size=5)))
    size = newest(store, ABOUT.origin).size
    rounds = sum(leaf.HasField("round") for leaf in manifests(store, size))
    assert derived(store)[0] == rounds


def test_a_book_that_was_not_falsified_is_derived_again(book, records):
    assert derived(book.sealed(Memory())) == [len(book.rounds()), len(records), 0]


@pytest.mark.parametrize(
    "kind", ["WagerRequested", "CardDrawn", "NoMoreBets", "BettingClosed", "RoundSettled"]
)
def test_a_record_with_effect_that_is_hidden_in_a_remainder_gives_its_round_away(book, kind):
    number, stored = book.find(kind)
    book.hide(number, stored)
    assert unlike(book) == (number, f"offset {stored.offset} has effect in it, and lies outside")


@pytest.mark.parametrize("kind", ["RoundSettled", "RoundVoided", "BettingClosed", "HandsDealt"])
def test_a_decision_that_was_changed_gives_its_round_away(book, kind):
    number, stored = book.find(kind)
    record = JournalRecord.FromString(stored.value)
    record.occurred_at += 1
    for held in book.records.values():  # its repeats too, or one of them were the first true one
        held[:] = [
            replace(each, value=serialize(record)) if each.value == stored.value else each
            for each in held
        ]
    entry, text = unlike(book)
    assert entry == number
    assert text == f"is derived otherwise than it is recorded: {kind}"


def test_a_record_without_effect_that_is_claimed_for_a_round_gives_it_away(book):
    for number in book.rounds():
        first, last = book.records[number][0], book.records[number][-1]
        rest = book.records[book.remainder_at(first.partition, first.offset)]
        within = [r for r in rest if first.offset < r.offset < last.offset and kind_of(r)]
        if within:
            book.claim(number, within[0])
            assert unlike(book) == (number, f"offset {within[0].offset} has no effect in it")
            return
    raise AssertionError("no such record")


def hidden_whole(book):
    """Hide a round in a remainder; its manifest, its records, the remainder's number then."""
    number = next(n for n in book.rounds() if not book.manifests[n].round.HasField("copied"))
    round_, records = book.manifests[number].round, list(book.records[number])
    for stored in records:
        book.hide(number, stored)
    rest = book.remainder_at(round_.partition, records[0].offset)
    del book.manifests[number]
    book.records = {n - (n > number): r for n, r in book.records.items() if n != number}
    book.documents = {n - (n > number): d for n, d in book.documents.items()}
    return round_, records, rest - 1


def test_a_round_that_is_hidden_whole_in_a_remainder_is_told(book):
    round_, records, rest = hidden_whole(book)
    name = f"{round_.table_id}/{round_.round_number}"
    assert unlike(book) == (
        rest,
        f"round {name}, which opened at offset {records[0].offset}, is in no leaf of its own",
    )


def test_a_round_that_is_hidden_whole_and_without_its_outcome_is_told(book):
    round_, records, rest = hidden_whole(book)
    outcome = next(r for r in reversed(records) if kind_of(r).startswith("Round"))
    held = book.records[rest]
    held[held.index(outcome)] = replace(outcome, value=b"")
    name = f"{round_.table_id}/{round_.round_number}"
    line = f"offset {records[0].offset} opens round {name}, which is in no leaf of its own"
    assert unlike(book) == (rest, line)


def test_what_is_not_derived_is_told_at_the_next_remainder_already(book):
    number, stored = book.find("RoundSettled")
    at = book.records[number].index(stored)
    book.records[number][at] = replace(stored, value=b"")
    store = book.sealed(Memory())
    part = Rederivation(store, stored.partition, PARTITIONS)
    leaves = enumerate(manifests(store, newest(store, ABOUT.origin).size))
    own = [(n, leaf) for n, leaf in leaves if partition_of_leaf(leaf) == stored.partition]
    remainder = next(n for n, (_, leaf) in enumerate(own) if leaf.HasField("remainder"))
    for entry, leaf in own[:remainder]:
        part.take(entry, leaf)
    with pytest.raises(Unlike):
        part.take(*own[remainder])


@pytest.mark.parametrize("field", ["round_number", "gaming_day", "opened_at_ms", "sealed_at_ms"])
def test_a_manifest_that_says_otherwise_than_its_records_is_told(book, field):
    number = book.rounds()[3]
    round_ = book.manifests[number].round
    value = getattr(round_, field)
    setattr(round_, field, value + 1 if isinstance(value, int) else value + "0")
    assert unlike(book) == (number, f"its manifest has another {field} than its records")


def test_a_copy_that_is_not_the_next_rounds_opening_is_told(book):
    number = next(n for n in book.rounds() if book.manifests[n].round.HasField("copied"))
    copied = book.manifests[number].round.copied
    records = book.records[number]
    at = next(n for n, stored in enumerate(records) if stored.offset == copied)
    records[at] = replace(records[at], broker_time=records[at].broker_time + 1)
    expected = "its bytes are not the records that lie at its offsets"
    assert unlike(book) == (number, expected)


def test_an_offset_that_lies_in_no_leaf_is_told(book):
    number = next(n for n, leaf in enumerate(book.manifests) if leaf.HasField("remainder")
                  and len(book.records[n]) > 1)
    missing = book.records[number].pop(1)
    assert unlike(book) == (number, f"offset {missing.offset} lies in no leaf")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=8,
          deadline=None)
@given(st.data())
def test_what_is_left_after_a_deletion_is_derived_again(archive, data):
    leaves = list(manifests(archive, newest(archive, ABOUT.origin).size))
    held = [n for n, leaf in enumerate(leaves) if not leaf.HasField("document")]
    first = data.draw(st.integers(0, len(leaves)))
    last = data.draw(st.integers(0, len(leaves)))
    kept = data.draw(st.sets(st.sampled_from(held), max_size=40))  # as under a legal hold
    deleted = {n for n in held if first <= n <= last} - kept
    gone = sum(leaves[n].HasField("round") for n in deleted)
    rounds = sum(leaf.HasField("round") for leaf in leaves)
    found = derived(archive, deleted)
    assert (found[0], found[2]) == (rounds - gone, gone)
