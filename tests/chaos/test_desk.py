"""What became of a desk's cases in a chaos run: a correction not paid, or paid twice, is named."""

import pytest

from pitledger.journal.record import JournalRecord, serialize
from tests.cases.desk import Desk
from tests.chaos.desk import Told, judge_cases
from tests.kit.table import Table


@pytest.fixture
def desk():
    table = Table()
    table.play()
    return Desk(table)


def paid(desk, amount=1500):
    """A correction proposed and approved: what the desk was told of it."""
    desk.open()
    proposal = desk.propose(amount_minor=amount)
    desk.approve(proposal)
    return Told(opened={desk.case_id}, approved={proposal: amount})


def judged(desk, told):
    return judge_cases(desk.log.all(), desk.log.partitions, told)


def test_a_correction_that_is_paid_once_is_as_it_should_be(desk):
    told = paid(desk)
    desk.record_what_is_missing()
    verdict = judged(desk, told)
    assert verdict.holds, verdict.exceptions
    assert "1 corrections" in verdict.text
    assert "15.00 in all" in verdict.text


def test_the_same_posting_written_again_is_counted_and_pays_nothing(desk):
    told = paid(desk)
    desk.record_what_is_missing()
    for concluded in [one.concluded for one in desk.read().derived.values()]:
        desk.put(concluded)
    verdict = judged(desk, told)
    assert verdict.holds, verdict.exceptions
    assert "15.00 in all (4 decisions written more than once)" in verdict.text


def test_a_correction_that_is_not_paid_is_named(desk):
    told = paid(desk)
    verdict = judged(desk, told)
    [proposal] = told.approved
    assert f"proposal {proposal}: 1500 approved, paid: []" in verdict.exceptions


def test_a_correction_that_is_paid_twice_is_named(desk):
    told = paid(desk)
    desk.record_what_is_missing()
    posting = next(one.concluded for one in desk.read().derived.values()
                   if one.concluded.body == "adjustment_posted")
    forged = JournalRecord.FromString(posting.value)
    forged.event_id = desk.table.new_id()
    desk.put(posting, serialize(forged))
    [proposal] = told.approved
    assert f"proposal {proposal}: 1500 approved, paid: [1500, 1500]" in judged(
        desk, told).exceptions


def test_a_case_that_the_desk_was_told_of_and_that_the_journal_lost_is_named(desk):
    told = paid(desk)
    desk.record_what_is_missing()
    told.opened.add("lost")
    assert judged(desk, told).exceptions == ("case lost: is not on the journal",)
