"""The Pot of Saigon 5 Card: who may win it, how it is shared, what is left over."""

import pytest

from pitledger.games.game import Comparison, Standing
from pitledger.pb import decisions_pb2 as d
from pitledger.pb import rules_pb2 as r
from tests.unit.games.submissions import saigon
from tests.unit.games.table import ANTE, POT, line_of, settle

RULES = saigon()
QUALIFIERS = saigon(pot_eligibility="qualifiers")

DEALER = "8s Ts 2d 3d Ah"
NINE = "Ks Qs Js 4c 5d"
OTHER_NINE = "Kd Qd Jd 6c 3h"
THIRD_NINE = "Kh Qh Jh 7c 2h"
FIVE = "Kc Qc Jc Ac 4s"
TEN_NO_HAND = "2c 2d 3c 8c 8d"  # does not qualify; 2 and 8 show 10
OTHER_NO_HAND = "2h 2s 3h 3s 8h"

LOSING = Standing(abandoned=r.ABANDONMENT_READING_LOSING)
RETURNED = Standing(abandoned=r.ABANDONMENT_READING_RETURNED)
PLAYS = Standing(abandoned=r.ABANDONMENT_READING_PLAYS)
VOID = Standing(void=True)


def pot(rules, hands, standing=None, stake=1000):
    return settle(rules, DEALER, hands, {p: {POT: stake} for p in hands}, standing)


def profits(settlement):
    return {line.position: line.profit for line in settlement.lines}


def test_the_highest_two_card_hand_takes_the_whole_pot():
    settlement = pot(RULES, {1: FIVE, 2: NINE, 3: FIVE})
    assert profits(settlement) == {3: -1000, 2: 2000, 1: -1000}
    won, lost = line_of(settlement, 2, POT), line_of(settlement, 1, POT)
    assert (won.outcome, won.reason) == (r.OUTCOME_WIN, d.LINE_REASON_POT_WON)
    assert (lost.outcome, lost.reason) == (r.OUTCOME_LOSE, d.LINE_REASON_POT_LOST)
    assert lost.comparisons == (Comparison(d.MEASURE_TWO_CARD_COUNT, 5, 9),)
    assert won.citations == lost.citations == ("680a.11(f)",)
    assert won.counterparty == d.COUNTERPARTY_POT
    assert won.rulings == ()  # all qualify: nothing was left to the house
    assert (settlement.pot.amount, settlement.pot.best_point_count) == (3000, 9)
    assert settlement.pot.eligible == (3, 2, 1)
    assert settlement.pot.shares == ((2, 3000),)


def test_ties_split_the_pot_evenly():
    settlement = pot(RULES, {1: OTHER_NINE, 2: NINE, 3: FIVE, 4: FIVE})
    assert profits(settlement) == {4: -1000, 3: -1000, 2: 1000, 1: 1000}
    assert line_of(settlement, 1, POT).reason == d.LINE_REASON_POT_SHARED
    assert settlement.pot.rulings == ()


@pytest.mark.parametrize(("choice", "shares"), [
    ("first_in_settlement_order", ((4, 134), (3, 133), (1, 133))),
    ("last_in_settlement_order", ((4, 133), (3, 133), (1, 134))),
])
def test_the_remainder_goes_where_the_submission_says(choice, shares):
    rules = saigon(pot_remainder=choice)
    hands = {1: OTHER_NINE, 2: FIVE, 3: NINE, 4: THIRD_NINE}
    settlement = pot(rules, hands, stake=100)
    assert settlement.pot.shares == shares
    assert settlement.pot.rulings == (f"pot_remainder={choice}", "payout_unit_minor=1")
    assert line_of(settlement, 2, POT).rulings == settlement.pot.rulings


@pytest.mark.parametrize(("choice", "shares"), [
    ("first_in_settlement_order", ((4, 2000), (3, 1500), (1, 1500))),
    ("last_in_settlement_order", ((4, 1500), (3, 1500), (1, 2000))),
])
def test_the_remainder_is_handed_out_by_payout_units(choice, shares):
    rules = saigon(pot_remainder=choice, payout_unit_minor=500)
    hands = {1: OTHER_NINE, 2: FIVE, 3: NINE, 4: THIRD_NINE}
    settlement = pot(rules, hands, stake=1250)
    assert settlement.pot.shares == shares


def test_pot_eligibility_all_lets_a_hand_that_does_not_qualify_win():
    settlement = pot(RULES, {1: NINE, 2: TEN_NO_HAND})
    assert profits(settlement) == {2: 1000, 1: -1000}
    assert "pot_eligibility=all" in line_of(settlement, 1, POT).rulings
    assert settlement.pot.eligible == (2, 1)


def test_pot_eligibility_qualifiers_leaves_it_out():
    settlement = pot(QUALIFIERS, {1: NINE, 2: TEN_NO_HAND})
    assert profits(settlement) == {2: -1000, 1: 1000}
    line = line_of(settlement, 2, POT)
    assert (line.outcome, line.reason) == (r.OUTCOME_LOSE, d.LINE_REASON_POT_NOT_ELIGIBLE)
    assert "pot_eligibility=qualifiers" in line.rulings
    assert settlement.pot.eligible == (1,)


def test_a_pot_without_winner_goes_back():
    settlement = pot(QUALIFIERS, {1: OTHER_NO_HAND, 2: TEN_NO_HAND})
    assert profits(settlement) == {2: 0, 1: 0}
    line = line_of(settlement, 1, POT)
    assert (line.outcome, line.reason) == (r.OUTCOME_RETURN, d.LINE_REASON_POT_WITHOUT_WINNER)
    assert line.rulings == ("pot_eligibility=qualifiers", "pot_without_winner=return")
    assert (settlement.pot.best_point_count, settlement.pot.eligible) == (0, ())
    assert settlement.pot.shares == ((2, 1000), (1, 1000))


def test_a_player_alone_takes_his_own_stake_back_as_the_winner():
    settlement = pot(RULES, {3: NINE})
    assert profits(settlement) == {3: 0}
    assert line_of(settlement, 3, POT).outcome == r.OUTCOME_WIN


@pytest.mark.parametrize("eligibility", ["all", "qualifiers"])
def test_a_misset_hand_that_loses_has_no_part_in_winning(eligibility):
    rules = saigon(misset_hand="lose", pot_eligibility=eligibility)
    settlement = pot(rules, {1: FIVE, 2: "Ks Qs 4c | Js 5d"})
    assert profits(settlement) == {2: -1000, 1: 1000}
    line = line_of(settlement, 2, POT)
    assert line.reason == d.LINE_REASON_POT_NOT_ELIGIBLE
    assert "misset_hand=lose" in line.rulings


def test_a_misset_hand_judged_as_set_competes_with_the_cards_it_shows():
    rules = saigon(misset_hand="as_set")
    settlement = pot(rules, {1: FIVE, 2: "Ks Js 4c | Qs 5d"})
    assert settlement.pot.shares == ((2, 1000), (1, 1000))


def test_as_set_the_pot_sees_the_two_cards_that_the_player_chose():
    settlement = pot(RULES, {1: FIVE, 2: "2c 2d 8c | 3c 8d"})  # shows 1 instead of 10
    assert profits(settlement) == {2: -1000, 1: 1000}
    assert "player_split=as_set" in line_of(settlement, 2, POT).rulings
    best = pot(saigon(player_split="best"), {1: FIVE, 2: "2c 2d 8c | 3c 8d"})
    assert profits(best) == {2: 1000, 1: -1000}


def test_a_void_position_takes_its_stake_out_of_the_pot():
    settlement = pot(RULES, {1: FIVE, 2: NINE, 3: FIVE}, {2: VOID})
    assert profits(settlement) == {3: 0, 2: 0, 1: 0}
    line = line_of(settlement, 2, POT)
    assert (line.outcome, line.reason) == (r.OUTCOME_RETURN, d.LINE_REASON_HAND_VOID)
    assert settlement.pot.amount == 2000
    assert settlement.pot.shares == ((3, 1000), (1, 1000))


def test_all_positions_void_leave_an_empty_pot():
    settlement = pot(RULES, {1: FIVE, 2: NINE}, {1: VOID, 2: VOID})
    assert profits(settlement) == {2: 0, 1: 0}
    assert (settlement.pot.amount, settlement.pot.shares, settlement.pot.rulings) == (0, (), ())


def test_an_abandoned_losing_stake_stays_in_the_pot_and_cannot_win_it():
    settlement = pot(RULES, {1: FIVE, 2: NINE}, {2: LOSING})
    assert profits(settlement) == {2: -1000, 1: 1000}
    line = line_of(settlement, 2, POT)
    assert (line.outcome, line.reason) == (r.OUTCOME_LOSE, d.LINE_REASON_ABANDONED_LOSING)
    assert line.citations == ("680a.7 (not read; wording of 663a.7(b))",)
    assert line.rulings == ("abandoned_wagers=losing",)
    assert settlement.pot.eligible == (1,)


def test_an_abandoned_returned_stake_leaves_the_pot():
    settlement = pot(RULES, {1: FIVE, 2: NINE}, {2: RETURNED})
    assert profits(settlement) == {2: 0, 1: 0}
    assert line_of(settlement, 2, POT).reason == d.LINE_REASON_ABANDONED_RETURNED
    assert settlement.pot.amount == 1000


def test_an_abandoned_hand_that_plays_may_win():
    settlement = pot(RULES, {1: FIVE, 2: NINE}, {2: PLAYS})
    assert profits(settlement) == {2: 1000, 1: -1000}
    assert "abandoned_wagers=plays" in line_of(settlement, 2, POT).rulings
    assert "abandoned_wagers=plays" not in line_of(settlement, 1, POT).rulings


def test_if_all_that_is_left_is_losing_nobody_wins_and_it_goes_back():
    settlement = pot(RULES, {1: FIVE, 2: NINE}, {1: LOSING, 2: VOID})
    assert profits(settlement) == {2: 0, 1: 0}
    line = line_of(settlement, 1, POT)
    assert (line.outcome, line.reason) == (r.OUTCOME_RETURN, d.LINE_REASON_POT_WITHOUT_WINNER)


def test_without_pot_wagers_there_is_no_pot():
    assert settle(RULES, DEALER, {1: NINE}, {1: {ANTE: 500}}).pot is None


def test_a_unit_that_would_take_from_a_winner_is_not_used_for_the_pot():
    rules = saigon(payout_unit_minor=1000)
    settlement = pot(rules, {1: OTHER_NINE, 3: NINE}, stake=700)
    assert settlement.pot.shares == ((3, 700), (1, 700))
