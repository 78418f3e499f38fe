"""Between exposure and RoundClosed a supervisor may change what is paid: a new revision."""

import pytest

from pitledger.pb import decisions_pb2 as pb
from tests.kit.laws import check_money
from tests.kit.reading import read
from tests.kit.table import ANTE, HI_LO, SAIGON, Table, cards

# No joker; position 1 shows 9 and qualifies, position 2 shows 4 and qualifies, the dealer 6.
HANDS = ("Tc Td Th 4c 5c", "Jc Jd Jh 2c 2d", "Qc Qd Qh 3c 3d")


def payouts(table: Table) -> list[tuple[int, dict]]:
    return [
        (due.revision, {(line.position, line.kind): line.profit_minor for line in due.lines})
        for due in read(table).bodies("payout_due")
    ]


def test_a_correction_after_the_exposure_gives_a_new_payout_with_the_next_revision():
    table = Table().to_payout((1, 2), *HANDS)
    assert payouts(table) == [(1, {(1, ANTE): 1000, (2, ANTE): -1000})]
    correction = table.correct(13, "Ks")  # position 1's last card: 4 + 10 shows 4
    reading = read(table)
    assert reading.refusals(correction) == [""]
    assert payouts(table)[1:] == [(2, {(1, ANTE): -1000, (2, ANTE): -1000})]
    old, new = table.close_round(1), table.close_round(2)
    reading = read(table)
    assert reading.refusals(old) == ["WRONG_REVISION"]
    [item] = reading.answer(old).answers
    assert (item.asked_minor, item.limit_minor) == (1, 2)
    assert reading.refusals(new) == [""]
    [settled] = reading.bodies("round_settled")
    assert settled.revision == 2
    check_money(reading)


def test_a_correction_overtakes_a_payout_that_was_only_recorded_late():
    """80 deal; 85 CardCorrected; 86 the payout of 80 arrives: facts alone say what is due."""
    table = Table().to_payout((1, 2), *HANDS)
    table.correct(13, "Ks")
    stale = table.close_round(1)
    assert read(table).refusals(stale) == ["WRONG_REVISION"]
    assert read(table).outcomes() == []


def test_a_correction_takes_back_the_sets_of_the_hands_it_changes_only():
    table = Table().to_dealt((1, 2), *HANDS)
    table.set_all()
    table.correct(13, "Ks")
    table.hands[1] = cards("Tc Td Th 4c Ks")
    again, other = table.set(1), table.set(2)
    reading = read(table)
    assert reading.refusals(again) == [""]
    assert reading.refusals(other) == ["ALREADY_SET"]
    table.expose()
    [judged] = read(table).bodies("hands_evaluated")
    assert [hand.set_by for hand in judged.hands] == [pb.SET_BY_PLAYER] * 2


def test_a_hand_changed_after_the_exposure_is_set_by_rule():
    table = Table().to_payout((1, 2), *HANDS)
    table.correct(13, "Ks")
    *_, judged = read(table).bodies("hands_evaluated")
    assert [hand.set_by for hand in judged.hands] == [pb.SET_BY_RULE, pb.SET_BY_PLAYER]


def test_a_correction_that_breaks_a_paid_deal_takes_the_payout_back():
    table = Table().to_payout((1, 2), *HANDS)
    table.correct(13, "Tc")
    closed = table.close_round(2)
    reading = read(table)
    assert reading.refusals(closed) == ["NO_PAYOUT_DUE"]
    assert [d.revision for d in reading.bodies("deal_irregular")] == [2]
    table.correct(13, "5c")
    assert [revision for revision, _ in payouts(table)] == [1, 3]
    table.close_round(3)
    assert read(table).outcomes() == ["round_settled"]


def test_a_void_of_a_position_after_the_payout_returns_its_stakes_in_a_new_revision():
    table = Table().to_payout((1, 2), *HANDS)
    table.void(2)
    assert payouts(table)[1:] == [(2, {(1, ANTE): 1000, (2, ANTE): 0})]
    again, gone = table.void(2), table.set(2)
    reading = read(table)
    assert reading.refusals(again) == ["ALREADY_VOID"]
    assert reading.refusals(gone) == ["HAND_VOID"]


def test_an_irregularity_reported_on_a_due_payout_takes_it_back_until_it_is_ruled():
    table = Table().to_payout((1, 2), *HANDS)
    table.report(position=1)
    early = table.close_round(2)
    assert read(table).refusals(early) == ["NO_PAYOUT_DUE"]
    table.rule_deal()
    assert [revision for revision, _ in payouts(table)] == [1, 3]
    table.close_round(3)
    assert read(table).outcomes() == ["round_settled"]


def test_a_correction_that_changes_no_hand_leaves_the_payout_as_it_is():
    table = Table().to_payout((1, 2), *HANDS)
    table.correct(13, "5c")
    assert len(payouts(table)) == 1
    closed = table.close_round(1)
    assert read(table).refusals(closed) == [""]


def test_a_correction_after_the_rounds_end_has_no_effect():
    table = Table().play((1, 2), *HANDS)
    late = table.correct(13, "Ks")
    assert read(table).no_effect == {late: ["no_open_round"]}


def test_a_void_that_comes_before_the_close_of_the_round_wins_and_after_it_is_too_late():
    before = Table().to_payout((1, 2), *HANDS)
    before.void()
    before.close_round()
    assert read(before).outcomes() == ["round_voided"]
    after = Table().to_payout((1, 2), *HANDS)
    after.close_round()
    after.void()
    assert read(after).outcomes() == ["round_settled"]


@pytest.mark.parametrize("position", [1, 2])
def test_a_void_of_a_position_returns_exactly_its_stakes_the_pots_too(position):
    table = Table()
    table.open((1, 2, 3), pot=500)
    for seat in (1, 2, 3):
        table.wager(seat, ante=1000, bonus=200, pot=500)
    table.no_more_bets()
    table.deal()
    table.void(position)
    table.set_all()
    table.expose()
    reading = read(table)
    [due] = reading.bodies("payout_due")
    back = [line for line in due.lines if line.position == position]
    assert [(line.stake_minor, line.returned_minor) for line in back] == [
        (1000, 1000), (200, 200), (500, 500)]
    assert due.pot.amount_minor == 1000
    check_money(reading)


@pytest.mark.parametrize(
    ("position", "refusal"), [(3, "NO_HAND_THERE"), (2**32 - 1, "NO_HAND_THERE")])
def test_a_void_of_a_position_without_a_hand_is_refused(position, refusal):
    table = Table().to_dealt((1, 2))
    void = table.void(position)
    assert read(table).refusals(void) == [refusal]


def test_before_the_close_only_the_whole_round_can_be_void():
    table = Table()
    table.open()
    table.wager(1, ante=500)
    one, all_ = table.void(1), table.void()
    reading = read(table)
    assert reading.refusals(one) == ["BETTING_OPEN"]
    assert reading.refusals(all_) == [""]


def test_all_positions_void_leave_a_payout_of_refunds():
    table = Table().to_dealt((1, 2))
    table.void(1)
    table.void(2)
    table.expose()
    assert payouts(table) == [(1, {(1, ANTE): 0, (2, ANTE): 0})]


# ---- players who leave


@pytest.mark.parametrize(("reading", "profit"), [(1, 1000), (2, -1000), (3, 0)])
def test_a_player_who_left_waits_for_a_ruling_and_is_paid_by_it(reading, profit):
    table = Table().to_dealt((1, 2), *HANDS)
    table.left(1)
    table.set(2)
    table.expose()
    assert payouts(table) == []
    ruling = table.abandon(1, reading)
    assert read(table).refusals(ruling) == [""]
    assert payouts(table) == [(1, {(1, ANTE): profit, (2, ANTE): -1000})]


def test_an_unset_hand_of_a_player_who_left_does_not_make_the_exposure_early():
    table = Table().to_dealt((1, 2))
    table.left(1)
    table.set(2)
    table.expose()
    assert "deal_irregular" not in read(table).names()


def test_a_ruling_is_needed_also_where_the_hand_was_set_before_the_player_left():
    table = Table().to_dealt((1, 2))
    table.set_all()
    table.left(1)
    table.expose()
    assert payouts(table) == []
    table.abandon(1, 1)
    assert len(payouts(table)) == 1


def test_a_later_ruling_on_the_same_hand_replaces_the_earlier():
    table = Table().to_dealt((1, 2), *HANDS)
    table.set_all()
    table.left(1)
    table.expose()
    for ruling in (1, 2, 3):
        table.abandon(1, ruling)
    assert [(r, p[1, ANTE]) for r, p in payouts(table)] == [(1, 1000), (2, -1000), (3, 0)]


def test_a_player_who_leaves_while_the_payout_is_due_takes_nothing_back():
    table = Table().to_payout((1, 2), *HANDS)
    table.left(1)
    table.close_round(1)
    assert read(table).outcomes() == ["round_settled"]


@pytest.mark.parametrize(
    ("position", "reading", "prepare", "refusal"),
    [
        (1, 1, lambda t: None, "PLAYER_HAS_NOT_LEFT"),
        (3, 1, lambda t: t.left(3), "NO_HAND_THERE"),
        (1, 0, lambda t: t.left(1), "READING_NOT_FILED"),
        (1, 1, lambda t: (t.left(1), t.void(1)), "HAND_VOID"),
    ],
)
def test_a_ruling_on_an_abandoned_hand_that_cannot_be_is_refused(
    position, reading, prepare, refusal
):
    table = Table().to_dealt((1, 2))
    prepare(table)
    ruling = table.abandon(position, reading)
    assert read(table).refusals(ruling) == [refusal]


def test_a_void_settles_a_player_who_left_without_a_ruling():
    table = Table().to_dealt((1, 2), *HANDS)
    table.left(1)
    table.void(1)
    table.set(2)
    table.expose()
    assert payouts(table) == [(1, {(1, ANTE): 0, (2, ANTE): -1000})]


@pytest.mark.parametrize("position", [0, 3, 9, 2**32 - 1])
def test_nobody_waits_for_a_player_who_left_without_a_hand(position):
    table = Table().to_dealt((1, 2), *HANDS)
    table.left(position)
    table.set_all()
    table.expose()
    assert len(payouts(table)) == 1


# ---- conduct, payments


@pytest.mark.parametrize("game", [SAIGON, HI_LO])
def test_conduct_and_payments_change_no_decision(game):
    def played(noted: bool) -> list[str]:
        table = Table(game)
        for step in (
            table.to_betting_closed, table.deal, table.set_all, table.expose, table.close_round,
        ):
            step()
            if noted and table.round_id not in read(table).ended:
                table.note_conduct(1)
                table.note_conduct(9)
                table.paid(1, ANTE, -(2**63))
        return [(d.body, d.gates == ()) for d in read(table).decisions]

    assert played(True) == played(False)
