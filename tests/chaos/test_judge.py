"""The judge of a chaos run sees what is wrong, and says which sentence does not hold."""

import re
from dataclasses import replace
from random import Random

import pytest

from services.floor.receipts import Receipt, ReceiptFile, Receipts, digest_of, read_receipts
from tests.chaos.break_journal import WAYS, break_journal
from tests.chaos.conftest import PARTITIONS
from tests.chaos.judge import _lines, _read, judge
from tests.chaos.test_other_build import with_other_build


@pytest.fixture(scope="module")
def receipts(journal, audited):
    """As if all had been acknowledged, and the floor had written what is foreign."""
    places = {(one.partition, one.offset) for one in audited.foreign}
    digests = [(one, digest_of(one.key, one.headers, one.value)) for one in journal]
    return Receipts(
        tuple(Receipt(one.partition, one.offset, digest) for one, digest in digests),
        frozenset(digest for one, digest in digests if (one.partition, one.offset) in places),
    )


def broken(verdict):
    return " / ".join(one.text for one in verdict.sentences if not one.holds)


def test_a_sound_journal_makes_every_sentence_true(journal, receipts):
    verdict = judge(journal, PARTITIONS, receipts)
    assert verdict.sound, broken(verdict)
    assert verdict.counts["facts_repeated"] > 0
    assert verdict.counts["facts_of_another_time"] > 0
    assert verdict.counts["undecodable"] > 0
    assert verdict.waits
    assert all(then >= fact for fact, then in verdict.waits)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_broken_on_purpose_breaks_a_sentence(journal, audited, receipts, way):
    spoilt, _ = break_journal(journal, audited, way, Random(1))
    verdict = judge(spoilt, PARTITIONS, replace(receipts, acknowledged=()))
    assert not verdict.sound


@pytest.mark.parametrize("way", ["skip-refund", "other-stake"])
def test_a_void_whose_lines_are_not_the_circles_with_their_stakes_is_named(
    journal, audited, way
):
    spoilt, said = break_journal(journal, audited, way, Random(1))
    book = _read(spoilt, {(one.partition, one.offset) for one in audited.foreign})
    assert _lines(book).exceptions == (f"round {said.round_id}: round_voided",)


def test_of_replays_that_differ_none_is_counted_as_identical(journal, audited, receipts):
    spoilt, _ = break_journal(journal, audited, "pay-double", Random(1))
    verdict = judge(spoilt, PARTITIONS, replace(receipts, acknowledged=()))
    [replays] = (one for one in verdict.sentences if "replays are identical" in one.text)
    identical, all_of_them = re.findall("[0-9,]+", replays.text)[:2]
    rounds = int(all_of_them.replace(",", ""))
    assert len(replays.exceptions) == 1
    assert int(identical.replace(",", "")) == rounds - 1


def test_an_acknowledged_fact_that_lies_elsewhere_is_named(journal, receipts):
    told = receipts.acknowledged[40]
    for wrong in (replace(told, offset=told.offset + 1), replace(told, digest="0" * 24),
                  replace(told, offset=-1, digest="0" * 24)):
        verdict = judge(journal, PARTITIONS, replace(receipts, acknowledged=(wrong,)))
        assert "acknowledged" in broken(verdict)
    unplaced = replace(told, offset=-1)
    assert judge(journal, PARTITIONS, replace(receipts, acknowledged=(unplaced,))).sound


def test_a_system_that_did_not_come_to_rest_is_not_clean(journal, receipts):
    verdict = judge(journal, PARTITIONS, receipts, ["a group is behind"])
    assert "came to rest" in broken(verdict)


def test_a_foreign_decision_that_nobody_owns_up_to_is_named(journal, receipts):
    verdict = judge(journal, PARTITIONS, replace(receipts, foul=frozenset()))
    assert "foreign decisions" in broken(verdict)


def test_a_foreign_decision_of_the_other_build_is_known(journal, receipts):
    verdict = judge(list(with_other_build(journal)), PARTITIONS, replace(receipts, acknowledged=()))
    assert verdict.sound, broken(verdict)
    assert not any("0 of the other build" in one.text for one in verdict.sentences)


def test_receipts_are_read_as_written_and_a_torn_line_counts_for_nothing(tmp_path):
    path = tmp_path / "receipts"
    receipt = Receipt(3, -1, "ab" * 12)
    with ReceiptFile(path) as file:
        file.acknowledged(receipt)
        file.foul("cd" * 12)
    with path.open("a") as out:
        out.write("acknowledged 1 7 abc")
    assert read_receipts(path) == Receipts((receipt,), frozenset({"cd" * 12}))
