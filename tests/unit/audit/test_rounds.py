"""Rounds written by hand: the auditor's money, worked out on paper, is the journal's."""

import pytest

from pitledger.audit import audit, render
from tests.unit.audit.desk import (
    ANTE,
    AUTOMATED,
    BONUS,
    POT,
    TIE,
    Desk,
    card,
    cards,
)

QUALIFIES_TEN = "Jk 8c 6d 5s 2h"  # shows 10
QUALIFIES_FIVE = "Ks Qd Tc 2d 3h"  # shows 5
NO_DEALER = "Kc 2c 4c 3d 2s"  # no three make 10, 20 or 30
DEALER_SEVEN = "Kd Qh Th 4d 3s"  # shows 7


def money(desk):
    """Positions' net of the desk's table, after a sound audit without forgeries."""
    report = audit(desk.records, 4)
    assert report.sound, render(report)
    assert not report.foreign, render(report)
    (table,) = report.tables
    assert table.positions_net + table.house_net + table.pot_net == 0
    return table.positions_net


def saigon(hand, dealer, split, *, ante=1000, pot=0, **wagers):
    """One player against the dealer."""
    desk = Desk()
    desk.open([1], pot=pot)
    desk.wager(1, ante=ante, **wagers)
    desk.close()
    desk.deal(hand, dealer)
    if split:
        desk.set(1, *split)
    desk.fact("dealer_exposed")
    desk.fact("round_closed", revision=1)
    return desk


@pytest.mark.parametrize(
    ("hand", "split", "dealer", "net"),
    [
        (QUALIFIES_TEN, ("Jk 6d 5s", "8c 2h"), DEALER_SEVEN, 1000),
        (QUALIFIES_TEN, ("Jk 6d 5s", "8c 2h"), NO_DEALER, 1000),
        (QUALIFIES_FIVE, ("Ks Qd Tc", "2d 3h"), NO_DEALER, 500),
        (QUALIFIES_FIVE, ("Ks Qd Tc", "2d 3h"), DEALER_SEVEN, -1000),
        ("Ac 2c 4c 8d 6s", ("Ac 2c 4c", "8d 6s"), "Kd Qh Th 3c 4h", -1000),
        ("Kc 2c 4c 3d 2s", ("Kc 2c 4c", "3d 2s"), "Kd 2d 4d 3s 2h", 0),
        ("Ks Qd Tc 4c 3h", ("Ks Qd Tc", "4c 3h"), DEALER_SEVEN, 0),
    ],
)
def test_the_ante_is_paid_as_680a_11_d_says(hand, split, dealer, net):
    assert money(saigon(hand, dealer, split)) == net


def test_the_bonus_is_paid_whatever_the_ante_did():
    desk = saigon("Ks Kd Kc 2d 2h", "Qd Qh Th 4d 6s", ("Ks Kd Kc", "2d 2h"), bonus=100)
    assert money(desk) == -1000 + 60 * 100


def test_the_highest_two_card_hand_takes_the_pot():
    desk = Desk()
    desk.open([1, 2], pot=500)
    desk.wager(1, ante=1000, pot=500)
    desk.wager(2, ante=1000, pot=500)
    desk.close()
    desk.deal(QUALIFIES_TEN, QUALIFIES_FIVE, NO_DEALER)
    desk.set(1, "Jk 6d 5s", "8c 2h")
    desk.set(2, "Ks Qd Tc", "2d 3h")
    desk.fact("dealer_exposed")
    desk.fact("round_closed", revision=1)
    assert money(desk) == 1500
    settled = [r for r in map(desk.parse, desk.records) if r.HasField("round_settled")]
    pots = [line for line in settled[0].round_settled.lines if line.kind == POT]
    assert [(line.position, line.profit_minor) for line in pots] == [(2, -500), (1, 500)]


def test_a_position_without_its_compulsory_pot_is_left_out():
    desk = saigon(QUALIFIES_TEN, DEALER_SEVEN, None, pot=500)
    desk.fact("table_closed")
    assert money(desk) == 0
    assert audit(desk.records, 4).tables[0].staked == 0


def test_refused_wagers_move_nothing():
    desk = Desk()
    desk.open([1])
    desk.wager(1, ante=600_000)
    desk.wager(1, ante=600_000)  # over the maximum, together
    desk.wager(1, bonus=99)  # under the minimum: goes back at the close
    desk.wager(2, ante=1000)
    desk.wager(1, instrument="verbal_with_cash", ante=1000)
    desk.wager(1, tie=1000)
    desk.wager(1, ante=-5)
    desk.close()
    desk.wager(1, ante=1000)
    desk.fact("void_ordered", position=0)
    report = audit(desk.records, 4)
    assert report.sound
    assert report.tables[0].staked == 600_000


def test_withdrawing_the_ante_takes_the_side_wagers_with_it():
    desk = Desk()
    desk.open([1])
    desk.wager(1, ante=1000, bonus=500)
    desk.withdraw(1, ANTE)
    desk.withdraw(1, BONUS)
    desk.close()
    desk.fact("table_closed")
    report = audit(desk.records, 4)
    assert report.sound
    assert report.tables[0].staked == 0


def hilo(*, dealer="Ks Qd 9c 8d 7h", policies=None):
    desk = Desk("five_card_hi_lo", **(policies or {}))
    desk.open([1, 2], method=AUTOMATED)
    desk.wager(1, ante=1000, tie=500)
    desk.wager(2, ante=1000, poker=100)
    desk.close()
    desk.packets("Kc Kd Ah 9d Ts", "6c 6d 2h 3h Jc", dealer)
    return desk


def test_hi_lo_pays_the_ante_for_both_hands_and_the_bonus_for_sixes():
    desk = hilo()
    desk.set(1, "Kc Kd Ah", "9d Ts")
    desk.set(2, "6c 6d 2h", "3h Jc")
    desk.fact("dealer_exposed")
    desk.fact("round_closed", revision=1)
    net = money(desk)
    lines = {
        (line.position, line.kind): line.profit_minor
        for record in map(desk.parse, desk.records)
        for line in record.round_settled.lines
    }
    # The dealer's K Q 9 8 7 has no three cards within 21: he is busted, and ties nobody.
    assert lines[1, TIE] == -500
    assert lines[2, 5] == 100
    assert sum(lines.values()) == net


def test_a_correction_before_the_close_of_the_round_gives_a_new_revision():
    desk = hilo()
    desk.set(1, "Kc Kd Ah", "9d Ts")
    desk.set(2, "6c 6d 2h", "3h Jc")
    desk.fact("dealer_exposed")
    desk.fact("card_corrected", ordinal=1, card=card("2c"))
    desk.fact("round_closed", revision=1)
    desk.fact("round_closed", revision=2)
    money(desk)
    assert audit(desk.records, 4).counts["rounds_settled"] == 1


def test_a_void_of_a_position_returns_its_stakes_and_the_others_play_on():
    desk = hilo()
    desk.fact("void_ordered", position=1)
    desk.set(2, "6c 6d 2h", "3h Jc")
    desk.fact("dealer_exposed")
    desk.fact("round_closed", revision=1)
    money(desk)
    report = audit(desk.records, 4)
    assert report.tables[0].staked == 2600


def test_a_player_who_left_waits_for_a_ruling():
    desk = hilo()
    desk.set(2, "6c 6d 2h", "3h Jc")
    desk.fact("player_left", position=1)
    desk.fact("dealer_exposed")
    desk.fact("round_closed", revision=1)  # refused: no payout is due
    desk.fact("abandonment_ruled", position=1, reading=2)
    desk.fact("round_closed", revision=1)
    assert money(desk) <= -1500 + 1100


def test_a_broken_deal_pays_nothing_until_it_is_ruled():
    desk = hilo(dealer="Ks Qd 9c 8d 6d")  # the six of diamonds lies in two hands
    desk.set(1, "Kc Kd Ah", "9d Ts")
    desk.set(2, "6c 6d 2h", "3h Jc")
    desk.fact("dealer_exposed")
    desk.fact("round_closed", revision=1)
    before = audit(desk.records, 4)
    desk.fact("deal_ruled")
    desk.fact("round_closed", revision=2)
    assert before.open_rounds == ((desk.table, desk.round_id),)
    assert before.counts.get("rounds_settled", 0) == 0
    money(desk)


@pytest.mark.parametrize(
    ("antes", "first"), [((1000, 900), 1), ((900, 1000), 2), ((900, 900), 2)]
)
def test_of_two_hands_the_larger_ante_is_set_first_else_the_higher_position(antes, first):
    desk = Desk("five_card_hi_lo", adjacent_positions=True)
    desk.open({1: "both", 2: "both"}, method=AUTOMATED)
    for position, ante in zip((1, 2), antes, strict=True):
        desk.wager(position, "both", ante=ante)
    desk.close()
    desk.packets("Kc Kd Ah 9d Ts", "6c 6d 2h 3h Jc", "Ks Qd 9c 8d 7h")
    splits = {1: ("Kc Kd Ah", "9d Ts"), 2: ("6c 6d 2h", "3h Jc")}
    second = 3 - first
    for position in (second, first, second):
        desk.set(position, *splits[position], patron="both")
    answers = [
        record.request_answered.answers[0].refusal
        for record in map(desk.parse, desk.records)
        if record.HasField("request_answered")
    ]
    desk.fact("dealer_exposed")
    desk.fact("round_closed", revision=1)
    money(desk)
    assert [bool(refusal) for refusal in answers] == [False, False, True, False, False]


def test_whatever_ends_a_round_it_has_one_outcome():
    desk = Desk()
    desk.open([1])
    desk.wager(1, ante=1000)
    desk.open([1])
    desk.wager(1, ante=1000)
    desk.fact("table_closed")
    desk.fact("no_more_bets")
    report = audit(desk.records, 4)
    assert report.sound
    assert report.counts["rounds_voided"] == 2
    assert report.tables[0].returned == report.tables[0].staked == 2000


def test_a_round_with_invalid_rules_is_voided_without_lines():
    desk = Desk()
    desk.open([1], submission_digest=b"another")
    desk.wager(1, ante=1000)
    desk.close()
    desk.draw(1, 5)
    desk.fact("round_closed", revision=1)
    desk.fact("table_closed")
    report = audit(desk.records, 4)
    assert report.sound
    assert (report.counts["rounds_voided"], report.tables[0].staked) == (1, 0)


def test_the_dealer_exposed_with_other_cards_than_dealt_breaks_the_deal():
    desk = saigon(QUALIFIES_TEN, DEALER_SEVEN, None)
    other = Desk()
    other.open([1])
    other.wager(1, ante=1000)
    other.close()
    other.deal(QUALIFIES_TEN, DEALER_SEVEN)
    other.set(1, "Jk 6d 5s", "8c 2h")
    other.fact("dealer_exposed", first=cards("Kd Qh Th"), second=cards("4d 4s"))
    other.fact("round_closed", revision=1)
    assert audit(other.records, 4).open_rounds
    assert audit(desk.records, 4).open_rounds  # and so does one exposed before the hand was set
