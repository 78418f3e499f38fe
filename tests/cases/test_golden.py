"""What cases of version 1 derived when it was released, every later build derives."""

from collections import Counter
from hashlib import sha256

from pitledger.cases.journal import Cases
from pitledger.journal.record import JournalRecord
from pitledger.pb import cases_pb2
from pitledger.sources.file import read_file
from tests.cases.golden import FILE
from tests.kit.log import PARTITIONS

SHA256 = "8f28af53cb7f777ff5b6a96f9504bffb614ed9e9f4582e085bddc829336a3b3f"


def read():
    cases = Cases(PARTITIONS)
    for stored in read_file(FILE):
        cases.take(stored)
    return cases


def test_the_golden_journal_is_what_it_was():
    assert sha256(FILE.read_bytes()).hexdigest() == SHA256


def test_every_answer_and_posting_is_derived_as_it_was_recorded_and_nothing_else():
    cases = read()
    assert len(cases.derived) > 40
    assert cases.unseen == {}
    assert cases.forged == []


def test_it_holds_most_of_what_a_case_may_be_told():
    bodies = [JournalRecord.FromString(one.concluded.value) for one in read().derived.values()]
    refusals = Counter(
        record.case_answered.refusal for record in bodies if record.HasField("case_answered"))
    assert len(refusals) > len(cases_pb2.CaseRefusal.values()) // 2
    assert refusals[0] > 10
    postings = [r.adjustment_posted for r in bodies if r.HasField("adjustment_posted")]
    assert {posting.form for posting in postings} == {0, 1, 2}
