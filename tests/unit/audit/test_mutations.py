"""A good journal, spoilt in one place: the auditor names the round and the record."""

from dataclasses import replace

import pytest

from pitledger.audit import Auditor, audit, render
from pitledger.journal.record import JournalRecord, Stored, headers_of, serialize
from tests.unit.audit.desk import PARTITIONS, Desk

DECISIONS = (
    "request_answered",
    "betting_closed",
    "hands_dealt",
    "hands_evaluated",
    "payout_due",
    "round_settled",
)


@pytest.fixture(scope="module")
def desk():
    """A settled round and, after it, a voided one."""
    desk = Desk()
    desk.open([1, 2], pot=500)
    desk.wager(1, ante=1000, bonus=500, pot=500)
    desk.wager(2, ante=1000, pot=500)
    desk.wager(2, ante=10**7)
    desk.close()
    desk.deal("Jk 8c 6d 5s 2h", "Ks Qd Tc 2d 3h", "Kc 2c 4c 3d 2s")
    desk.set(1, "Jk 6d 5s", "8c 2h")
    desk.set(2, "Ks Qd Tc", "2d 3h")
    desk.fact("dealer_exposed")
    desk.fact("round_closed", revision=1)
    desk.first_round = desk.round_id
    desk.open([1])
    desk.wager(1, ante=700, bonus=300)
    desk.fact("void_ordered", position=0)
    return desk


@pytest.fixture
def good(desk):
    return list(desk.records)


def at(records, body):
    """Index of the first record with this body."""
    return next(i for i, one in enumerate(records) if Desk.parse(one).WhichOneof("body") == body)


def renumbered(records):
    return [replace(stored, offset=offset) for offset, stored in enumerate(records)]


def without(records, index):
    return renumbered(records[:index] + records[index + 1 :])


def with_inserted(records, index, *more):
    return renumbered([*records[:index], *more, *records[index:]])


def changed(stored, change):
    """The same message with another content."""
    record = JournalRecord.FromString(stored.value)
    change(record)
    return replace(stored, headers=headers_of(record), value=serialize(record))


def the_only(report):
    assert len(report.findings) == 1, render(report)
    return report.findings[0]


def test_the_good_journal_is_sound(good):
    report = audit(good, PARTITIONS)
    assert report.sound, render(report)
    assert (report.counts["rounds_settled"], report.counts["rounds_voided"]) == (1, 1)
    assert "audit: sound" in render(report)


@pytest.mark.parametrize("body", DECISIONS)
def test_a_decision_that_is_not_there_is_missing(good, desk, body):
    index = at(good, body)
    findings = audit(without(good, index), PARTITIONS).findings
    (finding,) = (one for one in findings if one.kind == "missing")
    assert finding.round_id == desk.first_round
    assert body in finding.text
    cause = Desk.parse(good[index]).causation_id
    assert Desk.parse(good[finding.offset]).event_id == cause


def test_a_decision_that_is_not_there_yet_is_pending_in_a_journal_that_is_still_written(good):
    report = audit(without(good, at(good, "round_settled")), PARTITIONS, complete=False)
    assert report.sound
    assert report.counts["decisions_pending"] == 1
    assert report.counts["rounds_without_outcome"] == 1


@pytest.mark.parametrize("end", range(0, 60, 3))
def test_any_beginning_of_a_good_journal_is_sound_so_far(good, end):
    assert audit(good[:end], PARTITIONS, complete=False).sound


def test_an_outcome_recorded_twice_counts_once(good):
    index = at(good, "round_settled")
    for place in (index + 1, len(good)):
        report = audit(with_inserted(good, place, good[index]), PARTITIONS)
        assert report.sound
        assert report.counts["decisions_doubled"] == 1
        assert report.tables == audit(good, PARTITIONS).tables


def one_cent_more(record):
    body = getattr(record, record.WhichOneof("body"))
    body.lines[0].profit_minor += 1
    body.lines[0].returned_minor += 1


def one_refund_less(record):
    record.round_voided.lines.pop()


def another_winner(record):
    pots = [line for line in record.round_settled.lines if line.kind == 3]
    pots[0].position, pots[1].position = pots[1].position, pots[0].position


def a_larger_stake(record):
    record.betting_closed.circles[0].stake_minor += 1


def another_card(record):
    record.hands_dealt.hands[0].cards[0] = 13


def accepted_after_all(record):
    record.request_answered.answers[0].refusal = 0


def refused_after_all(record):
    record.request_answered.answers[0].refusal = 14


def another_count(record):
    record.hands_evaluated.hands[0].point_count -= 1


def another_cause(record):
    record.causation_id = record.round_id


def another_writer(record):
    record.source = "somebody"


@pytest.mark.parametrize(
    ("body", "change"),
    [
        ("round_settled", one_cent_more),
        ("payout_due", one_cent_more),
        ("round_settled", another_winner),
        ("round_voided", one_refund_less),
        ("betting_closed", a_larger_stake),
        ("hands_dealt", another_card),
        ("hands_evaluated", another_count),
        ("request_answered", refused_after_all),
        ("round_settled", another_cause),
        ("round_settled", another_writer),
    ],
)
def test_a_decision_that_says_something_else_is_named(good, body, change):
    index = at(good, body)
    spoilt = [*good]
    spoilt[index] = changed(good[index], change)
    report = audit(spoilt, PARTITIONS)
    finding = next(one for one in report.findings if one.kind == "differs")
    assert (finding.offset, finding.round_id) == (index, Desk.parse(good[index]).round_id)
    assert body in finding.text
    assert report.foreign


def test_of_a_decision_by_somebody_else_the_field_that_differs_is_named(good):
    index = at(good, "round_settled")
    spoilt = [*good]
    spoilt[index] = changed(good[index], another_writer)
    report = audit(spoilt, PARTITIONS)
    finding = next(one for one in report.findings if one.kind == "differs")
    assert "source: says 'somebody', should be 'settlement'" in finding.text


def test_a_refused_wager_that_is_answered_as_accepted_is_named(good):
    refused = next(
        index
        for index, stored in enumerate(good)
        if any(one.refusal for one in Desk.parse(stored).request_answered.answers)
    )
    spoilt = [*good]
    spoilt[refused] = changed(good[refused], accepted_after_all)
    assert the_only(audit(spoilt, PARTITIONS)).offset == refused


@pytest.mark.parametrize("body", DECISIONS)
@pytest.mark.parametrize("place", [0, 1])
def test_a_forgery_beside_the_true_decision_changes_nothing(good, body, place):
    index = at(good, body)

    def forge(record):
        record.source = "forger"

    spoilt = with_inserted(good, index + place, changed(good[index], forge))
    report = audit(spoilt, PARTITIONS)
    assert report.sound, render(report)
    assert [one.offset for one in report.foreign] == [index + place]
    assert report.tables == audit(good, PARTITIONS).tables


def test_a_second_payment_under_another_id_is_foreign(good, desk):
    index = at(good, "round_settled")

    def pay_again(record):
        record.event_id = record.event_id[:-1] + ("0" if record.event_id[-1] != "0" else "1")

    for place in (index, index + 1, len(good)):
        report = audit(with_inserted(good, place, changed(good[index], pay_again)), PARTITIONS)
        assert report.sound
        (forged,) = report.foreign
        assert (forged.round_id, forged.offset) == (desk.first_round, place)
        assert report.tables == audit(good, PARTITIONS).tables


def test_a_true_decision_before_its_fact_is_foreign(good):
    index = at(good, "betting_closed")
    report = audit(with_inserted(good, at(good, "no_more_bets"), good[index]), PARTITIONS)
    assert report.sound
    assert len(report.foreign) == 1


@pytest.mark.parametrize("place", [0, 1])
def test_two_versions_of_one_decision_are_found_even_if_they_say_the_same(good, place):
    index = at(good, "hands_evaluated")

    def rule_differently(record):
        record.hands_evaluated.dealer.rulings.append("nothing=nothing")

    spoilt = with_inserted(good, index + place, changed(good[index], rule_differently))
    finding = the_only(audit(spoilt, PARTITIONS))
    assert (finding.kind, finding.offset) == ("two_versions", index + 1)


def test_a_payout_before_the_hands_it_builds_on_is_out_of_turn(good):
    hands, payout = at(good, "hands_evaluated"), at(good, "payout_due")
    spoilt = [*good]
    spoilt[hands], spoilt[payout] = good[payout], good[hands]
    finding = the_only(audit(renumbered(spoilt), PARTITIONS))
    assert (finding.kind, finding.offset) == ("out_of_turn", hands)


@pytest.mark.parametrize("body", ["card_drawn", "wager_requested", "hand_set", "no_more_bets"])
def test_a_fact_taken_out_makes_the_decisions_wrong(good, body):
    report = audit(without(good, at(good, body)), PARTITIONS)
    assert not report.sound
    assert report.foreign


def test_a_card_changed_in_a_fact_makes_the_decisions_wrong(good, desk):
    index = at(good, "card_drawn")

    def swap(record):
        record.card_drawn.card = 13

    spoilt = [*good]
    spoilt[index] = changed(good[index], swap)
    report = audit(spoilt, PARTITIONS)
    assert {one.round_id for one in report.findings} <= {desk.first_round, ""}
    assert not report.sound


def test_a_hole_in_the_offsets_is_found(good):
    report = audit(good[:10] + good[11:], PARTITIONS)
    assert any(one.kind == "hole" and one.offset == 11 for one in report.findings)


def test_records_delivered_again_are_passed_over(good):
    report = audit([*good[:20], *good[5:]], PARTITIONS)
    assert report.sound
    assert report.counts["delivered_again"] == 15


def test_a_decision_for_a_round_never_opened_is_foreign(good):
    def elsewhere(record):
        record.round_id = "01a3185c-5000-7000-8000-00000000ffff"

    index = at(good, "round_settled")
    report = audit([*good, *renumber_last(good, changed(good[index], elsewhere))], PARTITIONS)
    assert report.sound
    assert "never opened" in report.foreign[0].text


def test_what_is_no_decision_though_its_type_says_so_is_foreign(good):
    index = at(good, "round_settled")
    junk = replace(good[index], value=b"\xff\xff")
    report = audit(with_inserted(good, index, junk), PARTITIONS)
    assert report.sound
    assert "no journal record" in report.foreign[0].text


def test_what_is_no_fact_is_listed_and_has_no_effect(good):
    index = at(good, "no_more_bets")
    first = good[index]
    spoilt = [
        replace(first, value=b"\xff"),
        replace(first, key=b"another"),
        replace(first, headers=tuple((name, b"x") for name, _ in first.headers)),
        replace(first, value=first.value + b"\xf8\x7f\x01"),
        changed(first, lambda record: setattr(record, "causation_id", "x")),
        changed(first, lambda record: setattr(record, "table_seq", 0)),
        changed(first, lambda record: setattr(record, "event_id", record.event_id.upper())),
    ]
    report = audit(with_inserted(good, index, *spoilt), PARTITIONS)
    assert report.sound, render(report)
    assert [one.offset for one in report.listed] == list(range(index, index + len(spoilt)))


def test_a_fact_in_another_partition_than_its_tables_is_no_fact(good):
    astray = replace(good[0], partition=(good[0].partition + 1) % PARTITIONS)
    report = audit([*good, astray], PARTITIONS)
    assert report.sound
    assert report.listed[0].partition == astray.partition


def test_a_round_of_an_unknown_version_is_listed_and_not_judged(good, desk):
    index = at(good, "round_opened")

    def later_version(record):
        record.round_opened.adjudication_version = 99

    spoilt = [*good]
    spoilt[index] = changed(good[index], later_version)
    report = audit(spoilt, PARTITIONS)
    assert report.sound
    assert report.counts["rounds_unjudged"] == 1
    assert (report.listed[0].kind, report.listed[0].round_id) == ("unjudged", desk.first_round)


def test_what_a_round_of_an_unknown_version_holds_is_not_called_no_fact(good):
    opened, drawn = at(good, "round_opened"), at(good, "card_drawn")

    def later_version(record):
        record.round_opened.adjudication_version = 99

    spoilt = [*good]
    spoilt[opened] = changed(good[opened], later_version)
    spoilt[drawn] = replace(good[drawn], value=good[drawn].value + b"\xf8\x7f\x01")
    report = audit(spoilt, PARTITIONS)
    assert [one.kind for one in report.listed] == ["unjudged"]
    assert report.counts["facts_unjudged"] == 1


def test_the_auditor_forgets_a_round_that_is_finished(good):
    auditor = Auditor(PARTITIONS)
    for stored in good:
        auditor.read(stored)
    assert not auditor._held
    assert not auditor._open


def renumber_last(records, stored: Stored):
    return [replace(stored, offset=len(records))]
