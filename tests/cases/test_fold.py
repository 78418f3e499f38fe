"""What a case's facts derive: answers, postings, refusals."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitledger.cases import rulings
from pitledger.cases.case import Stage, State
from pitledger.cases.round_money import HOUSE
from pitledger.cases.round_money import POT as POT_ITSELF
from pitledger.journal.ids import decision_id
from pitledger.journal.record import JournalRecord
from pitledger.pb import facts_pb2
from tests.cases.desk import DAY_MS, Desk
from tests.kit.table import ANTE, BONUS, POT, Table

NOBODY = "01a3185c-5000-7001-8c33-238c0000ffff"


@pytest.fixture
def desk():
    """A settled round: both positions lost an Ante of 1000."""
    return Desk(Table().play())


def test_a_claim_is_accepted_with_its_window_and_the_settlement_that_it_is_about(desk):
    opened = desk.open()
    answer, settlement = desk.answer(opened), desk.settlement()
    assert desk.refusal(opened) == ""
    assert (answer.settlement_event_id, len(answer.settlement_sha256)) == (settlement.event_id, 32)
    assert answer.window_days == 30
    assert answer.window_ends_ms == settlement.at_ms + 30 * DAY_MS
    assert desk.case().state is State.OPEN


def test_an_approved_adjustment_is_posted_once_as_a_line_with_an_id_of_its_own(desk):
    desk.open()
    proposal = desk.propose(amount_minor=1500)
    assert desk.posted() == []
    approval = desk.approve(proposal)

    [posting] = desk.posted()
    [line] = posting.lines
    assert (line.position, line.kind, line.counterparty) == (1, ANTE, HOUSE)
    assert (line.amount_minor, line.before_minor) == (1500, -1000)
    assert line.line_id == decision_id("T1", desk.case_id, "line-1", proposal)
    assert (posting.positions_net_minor, posting.house_net_minor) == (1500, -1500)
    assert (posting.proposed_by, posting.approved_by) == ("agent-1", "manager-1")
    assert desk.answer(approval).posting_id == desk.case().proposals[proposal].posting_id


def test_what_was_adjusted_on_a_circle_before_is_in_the_next_proposals_answer(desk):
    desk.open()
    desk.approve(desk.propose(amount_minor=300))
    answer = desk.answer(desk.propose(amount_minor=200))
    assert (answer.settled_minor, answer.adjusted_minor) == (-1000, 300)


def test_a_roll_back_takes_everything_back_and_a_new_settlement_books_it_as_it_was(desk):
    desk.open()
    desk.approve(desk.propose(amount_minor=300))
    desk.approve(desk.roll_back())
    desk.approve(desk.resettle((1, ANTE, 1000), (2, ANTE, -1000)))

    _, back, anew = desk.posted()
    assert [(x.position, x.amount_minor) for x in back.lines] == [(1, 700), (2, 1000)]
    assert [(x.position, x.amount_minor) for x in anew.lines] == [(1, 1000), (2, -1000)]
    assert back.positions_net_minor + back.house_net_minor + back.pot_net_minor == 0


def test_after_a_new_settlement_nothing_of_what_was_adjusted_before_is_left(desk):
    desk.open()
    desk.approve(desk.propose(amount_minor=300))
    desk.approve(desk.roll_back())
    anew = desk.answer(desk.approve(desk.resettle((1, ANTE, 900)))).posting_id
    answer = desk.answer(desk.propose(amount_minor=1))
    assert (answer.settled_minor, answer.adjusted_minor) == (900, 0)
    desk.approve(desk.roll_back(anew))
    assert [x.amount_minor for x in desk.posted()[-1].lines] == [-900]


def test_what_goes_to_or_from_the_pot_is_told_apart_and_sums_to_zero(desk):
    desk.open()
    desk.approve(desk.roll_back())
    desk.approve(desk.resettle((1, POT, 500, True), (2, POT, -500, True), (1, ANTE, 70)))
    posting = desk.posted()[-1]
    assert (posting.positions_net_minor, posting.house_net_minor, posting.pot_net_minor) == (
        70, -70, 0)
    assert [x.counterparty for x in posting.lines] == [HOUSE, POT_ITSELF, POT_ITSELF]


def test_a_repeated_roll_back_has_the_same_answer_and_moves_no_money_twice(desk):
    desk.open()
    first, second = desk.roll_back(), desk.roll_back(by="agent-2")
    done = desk.answer(desk.approve(first)).posting_id
    again = desk.approve(second)
    once_more = desk.roll_back(desk.settlement().event_id)
    over_again = desk.approve(first, by="manager-2")

    assert len(desk.posted()) == 1
    for fact in (again, once_more, over_again):
        assert (desk.refusal(fact), desk.answer(fact).posting_id) == ("", done)
    assert desk.case().proposals[second].stage is Stage.DONE_BEFORE


def test_a_roll_back_of_an_unknown_settlement_is_refused(desk):
    desk.open()
    assert desk.refusal(desk.roll_back(NOBODY)) == "SETTLEMENT_UNKNOWN"


def test_a_new_settlement_can_be_rolled_back_by_the_id_of_its_posting(desk):
    desk.open()
    desk.approve(desk.roll_back())
    anew = desk.answer(desk.approve(desk.resettle((1, ANTE, 900)))).posting_id
    desk.approve(desk.roll_back(anew))
    assert [x.amount_minor for x in desk.posted()[-1].lines] == [-900]


def test_what_overtakes_its_settlement_is_remembered_and_answered_when_that_comes():
    table = Table()
    desk = Desk(table.to_payout())
    opened = desk.open()
    proposal = desk.propose()
    approval = desk.approve(proposal)
    assert desk.case().state is State.WAITS
    assert [desk.answer(fact) for fact in (opened, proposal, approval)] == [None] * 3
    assert desk.posted() == []

    table.close_round()
    # It named no settlement at all, for it knew none: that is refused only where there is one.
    assert desk.refusal(opened) == "SETTLEMENT_DIFFERS"

    table = Table()
    desk = Desk(table.to_payout())
    event_id = decision_id("T1", table.round_id, "outcome", table.round_id)
    named = facts_pb2.SettlementReference(settlement_event_id=event_id, round_id=table.round_id)
    opened = desk.open(settlement=named)
    approval = desk.approve(desk.propose(settlement=named))
    ended = table.close_round()
    assert [desk.refusal(fact) for fact in (opened, approval)] == ["", ""]
    [posting] = desk.posted()
    assert posting.settlement_event_id == event_id
    concluded = [one.concluded for one in desk.read().derived.values()]
    assert {one.offset for one in concluded} == {table.written[ended].offset}


def test_a_repeated_fact_has_no_effect(desk):
    desk.open()
    proposal = desk.propose()
    approval = desk.approve(proposal)
    before = list(desk.read().derived)
    for fact in (proposal, approval):
        desk.table.again(fact)
    assert list(desk.read().derived) == before


@pytest.mark.parametrize(("changes", "refusal"), [
    ({"position": 5}, "NO_SUCH_POSITION"),
    ({"amount_minor": 0}, "AMOUNT_NOT_DEFINITE"),
    ({"amount_minor": -5}, "AMOUNT_NOT_DEFINITE"),
    ({"currency_code": "EUR"}, "OTHER_CURRENCY"),
    ({"currency_code": ""}, "OTHER_CURRENCY"),
    ({"claim": " "}, "TEXT_MISSING"),
    ({"claimant_id": ""}, "TEXT_MISSING"),
    ({"window_days": 0}, "WINDOW_OVER"),
    ({"by": ""}, "NO_ACTOR"),
    ({"by": "a" * 300}, "NO_ACTOR"),
])  # fmt: skip
def test_a_claim_is_refused(desk, changes, refusal):
    opened = desk.open(**changes)
    assert desk.refusal(opened) == refusal
    assert desk.case().state is State.REFUSED
    assert desk.refusal(desk.propose()) == "CASE_REFUSED"
    assert desk.refusal(desk.hold()) == "CASE_REFUSED"
    assert desk.posted() == []


def test_a_claim_after_thirty_days_is_refused_and_one_on_the_last_day_is_not(desk):
    at = desk.settlement().at_ms
    desk.log.clock = at + 30 * DAY_MS - 1
    assert desk.refusal(desk.open()) == ""
    assert desk.refusal(desk.open()) == "WINDOW_OVER"


@pytest.mark.parametrize(("days", "refusal"), [
    (0, "WINDOW_OVER"), (1, ""), (3650, ""), (3651, "WINDOW_OVER"), (2**32 - 1, "WINDOW_OVER"),
])  # fmt: skip
def test_a_window_is_one_to_3650_days_whoever_wrote_the_claim(days, refusal):
    table = Table()
    desk = Desk(table.to_payout())
    event_id = decision_id("T1", table.round_id, "outcome", table.round_id)
    named = facts_pb2.SettlementReference(settlement_event_id=event_id, round_id=table.round_id)
    overtook = desk.open(settlement=named, window_days=days)
    table.close_round()
    after = desk.open(window_days=days)
    assert [desk.refusal(overtook), desk.refusal(after)] == [refusal, refusal]


@pytest.mark.parametrize(("changes", "refusal"), [
    ({"round_id": NOBODY}, "ROUND_UNKNOWN"),
    ({"record": b""}, "SETTLEMENT_MISSING"),
    ({"record": b"\x0a\x01x"}, "SETTLEMENT_DIFFERS"),
    ({"settlement_event_id": NOBODY}, "SETTLEMENT_DIFFERS"),
])  # fmt: skip
def test_a_settlement_is_believed_only_as_its_round_derives_it(desk, changes, refusal):
    reference = desk.reference()
    for name, value in changes.items():
        setattr(reference, name, value)
    assert desk.refusal(desk.open(settlement=reference)) == refusal


def test_a_changed_byte_in_the_embedded_record_is_noticed_when_adjusting_too(desk):
    desk.open()
    reference = desk.reference()
    reference.record = reference.record[:-1] + bytes([reference.record[-1] ^ 1])
    assert desk.refusal(desk.propose(settlement=reference)) == "SETTLEMENT_DIFFERS"
    first = desk.table.round_id
    desk.table.play()
    other = desk.reference()
    assert other.round_id != first
    assert desk.refusal(desk.propose(settlement=other)) == "OTHER_SETTLEMENT"


@pytest.mark.parametrize(("changes", "refusal"), [
    ({"position": 0}, "NO_SUCH_POSITION"),
    ({"kind": 0}, "NO_SUCH_WAGER"),
    ({"amount_minor": 0}, "AMOUNT_NOT_DEFINITE"),
    ({"amount_minor": 2**63 - 1}, "AMOUNT_TOO_LARGE"),
    ({"amount_minor": -(2**63)}, "AMOUNT_TOO_LARGE"),
    ({"currency_code": "EUR"}, "OTHER_CURRENCY"),
    ({"reason": ""}, "TEXT_MISSING"),
    ({"form": 3}, "OUTSIDE_VOCABULARY"),
    ({"kind": 99}, "OUTSIDE_VOCABULARY"),
    ({"rolls_back_id": "x"}, "OUTSIDE_VOCABULARY"),
    ({"by": " "}, "NO_ACTOR"),
])  # fmt: skip
def test_a_proposal_is_refused(desk, changes, refusal):
    desk.open()
    proposal = desk.propose(**changes)
    assert desk.refusal(proposal) == refusal
    assert desk.refusal(desk.approve(proposal)) == "PROPOSAL_REFUSED"
    assert desk.posted() == []


@pytest.mark.parametrize(("circles", "refusal"), [
    ([], "AMOUNT_NOT_DEFINITE"),
    ([(4, ANTE, 5)], "NO_SUCH_POSITION"),
    ([(1, 0, 5)], "NO_SUCH_WAGER"),
    ([(1, ANTE, 5), (1, ANTE, 6)], "CIRCLE_REPEATED"),
    ([(1, POT, 5, True), (2, POT, -4, True)], "POT_UNBALANCED"),
    ([(1, ANTE, 1 << 62), (2, ANTE, 1 << 62)], "AMOUNT_TOO_LARGE"),
    ([(1, POT, 5, True), (2, POT, -5, True), (1, BONUS, 7)], ""),
])  # fmt: skip
def test_a_new_settlement_is_judged(desk, circles, refusal):
    desk.open()
    assert desk.refusal(desk.resettle((1, ANTE, 5))) == "NOT_ROLLED_BACK"
    desk.approve(desk.roll_back())
    assert desk.refusal(desk.propose()) == "ROLLED_BACK"
    assert desk.refusal(desk.resettle(*circles)) == refusal


def test_a_window_beyond_all_times_ends_with_them():
    desk = Desk(Table().to_payout())
    desk.table.close_round()
    last_ms = (1 << 63) - 1
    opened = desk.open(window_days=30)
    *before, ending, claim = desk.log.all()
    late = [*before, replace(ending, broker_time=last_ms), replace(claim, broker_time=last_ms)]
    derived = desk.read(late).derived.values()
    answers = [JournalRecord.FromString(one.concluded.value).case_answered for one in derived]
    assert [(one.fact_event_id, one.window_ends_ms) for one in answers] == [(opened, last_ms)]


@pytest.mark.parametrize("by", ["agent-1", "AGENT-1", " agent-1 ", "agent -1"])
def test_nobody_approves_what_he_proposed(desk, by):
    desk.open()
    proposal = desk.propose(by="agent-1")
    assert desk.refusal(desk.approve(proposal, by=by)) == "SAME_PERSON"
    assert desk.posted() == []
    assert desk.refusal(desk.approve(proposal)) == ""


def test_an_approval_is_refused(desk):
    desk.open()
    proposal = desk.propose()
    assert desk.refusal(desk.approve(NOBODY)) == "PROPOSAL_UNKNOWN"
    for day in ("today", "2026-02-30", "20261130", "2026-W49-1", "2100-02-29", "2026-13-01"):
        assert desk.refusal(desk.approve(proposal, gaming_day=day)) == "NO_GAMING_DAY"
    for by in ("\u200b", "agent-1\u200b", "agent-\uff11", "agent-1\0", "\u0430gent-1"):
        assert desk.refusal(desk.approve(proposal, by=by)) == "NO_ACTOR"
    assert desk.refusal(desk.approve(proposal)) == ""
    assert desk.refusal(desk.approve(proposal, by="manager-2")) == "ALREADY_APPROVED"
    assert desk.refusal(desk.decline(proposal)) == "ALREADY_APPROVED"
    declined = desk.propose()
    assert desk.refusal(desk.decline(declined, reason="")) == "TEXT_MISSING"
    assert desk.refusal(desk.decline(declined)) == ""
    assert desk.refusal(desk.approve(declined)) == "DECLINED"
    assert len(desk.posted()) == 1


@pytest.mark.parametrize(("of_round", "booked", "refusal"), [
    ("2027-01-10", "2027-01-09", "NO_GAMING_DAY"),
    ("2027-01-10", "2026-12-31", "NO_GAMING_DAY"),
    ("2027-01-10", "2027-01-10", ""),
    ("2027-01-10", "2027-01-16", ""),
    ("2027-01-10", "2027-01-17", "NO_GAMING_DAY"),
    ("2027-01-10", "9999-12-31", "NO_GAMING_DAY"),
    ("2027-02-01", "2027-02-01", ""),  # a round of a day that is to come
    ("2027-02-01", "2027-02-02", "NO_GAMING_DAY"),
    ("", "1970-01-01", ""),
    ("", "2027-01-17", "NO_GAMING_DAY"),
    ("the first", "2027-01-16", ""),
])  # fmt: skip
def test_a_gaming_day_is_from_the_rounds_to_the_day_after_the_brokers(of_round, booked, refusal):
    desk = Desk(Table().play(gaming_day=of_round))  # the broker has 2027-01-15
    desk.open()
    assert desk.refusal(desk.approve(desk.propose(), gaming_day=booked)) == refusal


@given(st.dates())
def test_days_are_counted_as_the_calendar_does(day):
    assert rulings._day_number(day.isoformat()) == (day - date(1970, 1, 1)).days


def test_what_was_proposed_before_a_roll_back_is_not_booked_after_it(desk):
    desk.open()
    plain = desk.propose()
    desk.approve(desk.roll_back())
    assert desk.refusal(desk.approve(plain)) == "ROLLED_BACK"


def test_what_was_proposed_for_one_settlement_is_not_booked_beside_the_next(desk):
    """Who settles anew pays what is due: an amount of before would pay it a second time."""
    desk.open()
    plain = desk.propose(amount_minor=2000)
    desk.approve(desk.roll_back())
    anew = desk.resettle((1, ANTE, 1000), (2, ANTE, -1000))
    desk.approve(anew)
    assert desk.refusal(desk.approve(plain)) == "ROLLED_BACK"
    assert sum(posting.positions_net_minor for posting in desk.posted()) == 2000
    assert desk.refusal(desk.approve(desk.propose(amount_minor=2000))) == ""


def test_two_cases_about_one_round_share_its_money(desk):
    desk.open()
    desk.approve(desk.propose(amount_minor=300))
    desk.open(position=2, claimant_id="p2")
    assert desk.answer(desk.propose()).adjusted_minor == 300
    desk.approve(desk.roll_back())
    assert [x.amount_minor for x in desk.posted()[-1].lines] == [700, 1000]


def test_a_case_is_opened_once_held_and_resolved_once(desk):
    desk.open()
    assert desk.refusal(desk.open(case_id=desk.case_id)) == "CASE_EXISTS"
    assert desk.refusal(desk.hold(preserve_until_us=0)) == "NO_SPAN"
    assert desk.refusal(desk.hold(reason="")) == "TEXT_MISSING"
    assert desk.refusal(desk.hold()) == ""
    assert desk.refusal(desk.resolve(finding=0)) == "NO_FINDING"
    assert desk.refusal(desk.resolve(resolution="")) == "TEXT_MISSING"
    assert desk.refusal(desk.resolve()) == ""
    assert desk.case().state is State.RESOLVED
    assert desk.refusal(desk.resolve()) == "ALREADY_RESOLVED"
    assert desk.refusal(desk.propose()) == ""


def test_facts_of_a_case_that_nobody_opened_are_refused(desk):
    desk.case_id = NOBODY
    assert desk.refusal(desk.propose()) == "CASE_UNKNOWN"
    assert len(list(desk.read().strays())) == 1


def test_a_case_of_before_there_were_answers_is_on_record_and_never_answered(desk):
    opened = desk.open(case_version=0)
    proposal = desk.propose()
    assert desk.answer(opened) is desk.answer(desk.approve(proposal)) is None
    assert desk.case().state is State.RECORDED
    desk.open(case_version=9)
    assert desk.case().state is State.UNJUDGED


def test_the_refund_of_a_void_round_can_be_disputed():
    desk = Desk(Table())
    desk.table.to_dealt()
    desk.table.void()
    assert desk.refusal(desk.open()) == ""
    desk.approve(desk.roll_back())
    [posting] = desk.posted()
    assert list(posting.lines) == []
