"""Saigon 5 Card: Ante and Bonus against the dealer, each result with its paragraph."""

import pytest

from pitledger.games.game import Comparison
from pitledger.pb import decisions_pb2 as d
from pitledger.pb import rules_pb2 as r
from tests.unit.games.submissions import saigon
from tests.unit.games.table import ANTE, BONUS, POT, hand, line_of, one, settle

RULES = saigon()

NINE = "Ks Qs Js 4c 5d"
FIVE = "Kd Qd Jd Ac 4h"
SEVEN = "Kh Qh Jh 2c 5h"
NONE = "2c 2d 3h 8s 8d"
DEALER_NONE = "2h 2s 3c 8c 8h"
DEALER_FIVE = "Kc Qc Jc Ad 4s"

A, B = "680a.12(a)", "680a.12(b)"


@pytest.mark.parametrize(("dealer", "player", "profit", "odds", "reason", "cites"), [
    (DEALER_NONE, NONE, 0, None, d.LINE_REASON_NEITHER_QUALIFIES, ["(d)(1)(i)"]),
    (DEALER_NONE, NINE, 1000, "1:1", d.LINE_REASON_ONLY_PLAYER_QUALIFIES, ["(d)(1)(ii)(A)", A]),
    (DEALER_NONE, FIVE, 500, "1:2", d.LINE_REASON_ONLY_PLAYER_QUALIFIES, ["(d)(1)(ii)(B)", B]),
    (SEVEN, NONE, -1000, None, d.LINE_REASON_ONLY_DEALER_QUALIFIES, ["(d)(2)(i)"]),
    (SEVEN, FIVE, -1000, None, d.LINE_REASON_DEALER_HIGHER, ["(d)(2)(ii)(A)"]),
    (SEVEN, NINE, 1000, "1:1", d.LINE_REASON_DEALER_LOWER, ["(d)(2)(ii)(B)", A]),
    ("8s 8d 4h 3d Ah", FIVE, 500, "1:2", d.LINE_REASON_DEALER_LOWER, ["(d)(2)(ii)(B)", B]),
    (DEALER_FIVE, NINE, 1000, "1:1", d.LINE_REASON_DEALER_LOWER, ["(d)(2)(ii)(B)", A]),
    (DEALER_FIVE, FIVE, 0, None, d.LINE_REASON_EQUAL, ["(d)(2)(ii)(C)"]),
])
def test_the_ante_follows_the_table_and_cites_it(dealer, player, profit, odds, reason, cites):
    line = one(RULES, dealer, player, ANTE)
    outcomes = {1: r.OUTCOME_WIN, 0: r.OUTCOME_RETURN, -1: r.OUTCOME_LOSE}
    assert line.outcome == outcomes[(profit > 0) - (profit < 0)]
    assert (line.profit, line.uncut_profit, line.reason) == (profit, profit, reason)
    assert (str(line.odds) if line.odds else None) == odds
    assert line.citations == ("680a.11" + cites[0], *cites[1:])
    assert line.counterparty == d.COUNTERPARTY_HOUSE


def test_point_counts_are_shown_when_there_was_a_showdown():
    assert one(RULES, SEVEN, NINE, ANTE).comparisons == (
        Comparison(d.MEASURE_POINT_COUNT, 9, 7),)
    assert one(RULES, DEALER_NONE, NINE, ANTE).comparisons == ()


def test_odds_are_a_ruling_only_where_the_house_made_them():
    assert one(RULES, SEVEN, NINE, ANTE).rulings == ()
    line = one(saigon(ante_odds="6:5"), SEVEN, NINE, ANTE)
    assert (line.profit, line.rulings) == (1200, ("ante_odds=6:5",))
    line = one(saigon(ante_odds_five="3:4"), DEALER_NONE, FIVE, ANTE)
    assert (line.profit, line.rulings) == (750, ("ante_odds_five=3:4",))


def test_a_hand_that_cannot_qualify_loses_whatever_its_split():
    line = one(RULES, SEVEN, "2c 2d 3h | 8s 8d", ANTE)
    assert (line.profit, line.rulings) == (-1000, ())


class TestMissetHand:
    MISSET = "Ks Qs 4c | Js 5d"

    def test_cards_speak_it_wins_with_its_best_count(self):
        line = one(RULES, SEVEN, self.MISSET, ANTE)
        assert (line.profit, line.reason) == (1000, d.LINE_REASON_DEALER_LOWER)
        assert "misset_hand=cards_speak" in line.rulings

    def test_as_set_it_does_not_qualify(self):
        rules = saigon(misset_hand="as_set")
        line = one(rules, SEVEN, self.MISSET, ANTE)
        assert (line.profit, line.reason) == (-1000, d.LINE_REASON_ONLY_DEALER_QUALIFIES)
        assert "misset_hand=as_set" in line.rulings
        assert one(rules, DEALER_NONE, self.MISSET, ANTE).profit == 0

    @pytest.mark.parametrize("dealer", [SEVEN, DEALER_NONE])
    def test_lose_it_loses_the_ante_and_the_bonus_stands(self, dealer):
        rules = saigon(misset_hand="lose")
        line = one(rules, dealer, self.MISSET, ANTE)
        assert (line.profit, line.reason) == (-1000, d.LINE_REASON_MISSET)
        assert line.citations == ("680a.11(b)(1)",)
        assert "misset_hand=lose" in line.rulings
        full = "Ks Kd 4c | Kc 4d"
        assert one(rules, dealer, full, ANTE).profit == -1000
        assert one(rules, dealer, full, BONUS).profit == 60_000


@pytest.mark.parametrize(("text", "pays"), [
    ("Jk As Ac Ad Ah", 2500), ("As Ks Qs Js Ts", 2500), ("9s Ks Qs Js Ts", 1000),
    ("9s 9c 9d 9h Ts", 250), ("9s 9c 9d Th Ts", 60), ("2s 9s 4s Qs Ks", 40),
    ("9s Kc Qd Jh Ts", 20), ("9s 9c 9d 2h Ts", 8), ("9s 9c 4d 4h Ts", 3),
])
@pytest.mark.parametrize("dealer", [SEVEN, DEALER_NONE])
def test_the_bonus_pays_by_its_table_whatever_the_ante_did(text, pays, dealer):
    line = one(RULES, dealer, text, BONUS, stake=100)
    assert (line.outcome, line.profit) == (r.OUTCOME_WIN, 100 * pays)
    assert line.citations == ("680a.11(e)(2)", "680a.6(c)", "680a.12(c)")
    assert line.rulings == ("bonus_pay_table",)
    ((measure, own, lowest),) = [(c.measure, c.player, c.other) for c in line.comparisons]
    assert measure == d.MEASURE_POKER_CATEGORY
    assert own >= lowest == r.POKER_CATEGORY_TWO_PAIR


@pytest.mark.parametrize("text", ["9s 9c 4d 5h Ts", "Ks 9c 4d 5h Ts"])
def test_less_than_two_pair_loses_the_bonus_by_the_code_alone(text):
    line = one(RULES, SEVEN, text, BONUS, stake=100)
    assert (line.outcome, line.profit) == (r.OUTCOME_LOSE, -100)
    assert (line.citations, line.rulings) == (("680a.11(e)(1)",), ())


@pytest.mark.parametrize("dealer", [SEVEN, DEALER_NONE, DEALER_FIVE])
@pytest.mark.parametrize("player", [NINE, FIVE, NONE, "9s 9c 9d Th Ts"])
def test_every_subset_of_wagers_settles_each_as_if_it_were_alone(dealer, player):
    wagers = {ANTE: 700, BONUS: 300, POT: 200}
    alone = {kind: one(RULES, dealer, player, kind, stake) for kind, stake in wagers.items()}
    for picked in range(1, 8):
        kinds = [kind for bit, kind in enumerate(wagers) if picked >> bit & 1]
        stakes = {1: {kind: wagers[kind] for kind in kinds}}
        lines = settle(RULES, dealer, {1: player}, stakes).lines
        assert list(lines) == [alone[kind] for kind in kinds]


def test_lines_come_from_the_dealers_right_each_ante_before_its_bonus_and_the_pot_last():
    wagers = {POT: 100, BONUS: 100, ANTE: 500}
    hands = {2: NINE, 5: FIVE, 6: NONE}
    settlement = settle(RULES, SEVEN, hands, dict.fromkeys((2, 6, 5), wagers))
    assert [(line.position, line.kind) for line in settlement.lines] == [
        (6, ANTE), (6, BONUS), (5, ANTE), (5, BONUS), (2, ANTE), (2, BONUS),
        (6, POT), (5, POT), (2, POT)]
    assert line_of(settlement, 2, ANTE).profit == 500


def test_the_dealers_ruling_is_named_only_where_his_count_was_compared():
    dealer = "Jk 8c 6d 5s 2h"
    assert hand(RULES, 0, dealer).rulings == ("dealer_split=best",)
    assert one(RULES, dealer, NINE, ANTE).rulings == ("dealer_split=best",)
