"""What both games do alike with a circle: void, abandoned, rounding, the payout limit."""

import pytest

from pitledger.games.game import Standing
from pitledger.pb import decisions_pb2 as d
from pitledger.pb import rules_pb2 as r
from tests.unit.games.submissions import hi_lo, saigon
from tests.unit.games.table import ANTE, BONUS, POKER_BONUS, POT, TIE, line_of, one, settle

PLAYS = Standing(abandoned=r.ABANDONMENT_READING_PLAYS)
LOSING = Standing(abandoned=r.ABANDONMENT_READING_LOSING)
RETURNED = Standing(abandoned=r.ABANDONMENT_READING_RETURNED)
VOID = Standing(void=True)

SEVEN = "Kh Qh Jh 2c 5h"
NINE = "Ks Qs Js 4c 5d"
QUADS = "9s 9c 9d 9h Ts"

DEALERS = {saigon: SEVEN, hi_lo: "Kh Qh 6h 7c 5h"}
KINDS = {saigon: (ANTE, BONUS), hi_lo: (ANTE, TIE, POKER_BONUS)}
CITES = {saigon: ("680a.7 (not read; wording of 663a.7(b))",), hi_lo: ("663a.7(b)",)}


@pytest.mark.parametrize("game", [saigon, hi_lo])
class TestOutOfPlay:
    """Position 1 is out of play, position 2 is not."""

    def lines(self, game, standing, hands=(1, 2)):
        stakes = {1: dict.fromkeys(KINDS[game], 500), 2: dict.fromkeys(KINDS[game], 700)}
        settlement = settle(
            game(), DEALERS[game], dict.fromkeys(hands, NINE), stakes, {1: standing})
        return [(line_of(settlement, 1, kind), line_of(settlement, 2, kind))
                for kind in KINDS[game]]

    def test_a_void_hand_gets_each_stake_back(self, game):
        for line, other in self.lines(game, VOID):
            assert (line.outcome, line.profit, line.reason) == (
                r.OUTCOME_RETURN, 0, d.LINE_REASON_HAND_VOID)
            assert (line.odds, line.citations) == (None, ())
            assert other.reason != d.LINE_REASON_HAND_VOID

    def test_a_void_hand_needs_no_cards(self, game):
        assert self.lines(game, VOID, hands=(2,)) == self.lines(game, VOID)

    def test_abandoned_and_losing_loses_each(self, game):
        for line, _ in self.lines(game, LOSING):
            assert (line.outcome, line.profit, line.reason) == (
                r.OUTCOME_LOSE, -500, d.LINE_REASON_ABANDONED_LOSING)
            assert (line.citations, line.rulings) == (CITES[game], ("abandoned_wagers=losing",))

    def test_abandoned_and_returned_returns_each(self, game):
        for line, _ in self.lines(game, RETURNED):
            assert (line.outcome, line.profit, line.reason) == (
                r.OUTCOME_RETURN, 0, d.LINE_REASON_ABANDONED_RETURNED)
            assert (line.citations, line.rulings) == (CITES[game], ("abandoned_wagers=returned",))

    def test_abandoned_it_may_play_on(self, game):
        for line, other in self.lines(game, PLAYS):
            assert (line.outcome, line.reason) == (other.outcome, other.reason)
            assert line.rulings == (*other.rulings, "abandoned_wagers=plays")


FIVE = "Kd Qd Jd Ac 4h"
LOW_DEALER = "2h 2s 3c 8c 8h"  # does not qualify


@pytest.mark.parametrize(("rounding", "unit", "stake", "profit"), [
    ("down", 1, 501, 250), ("up", 1, 501, 251), ("nearest", 1, 501, 251),
    ("down", 100, 1300, 600), ("up", 100, 1300, 700), ("nearest", 100, 1300, 700),
    ("nearest", 100, 1299, 600), ("down", 100, 199, 0),
])
def test_half_pay_on_an_odd_stake_is_rounded_as_the_submission_says(rounding, unit, stake, profit):
    rules = saigon(payout_rounding=rounding, payout_unit_minor=unit)
    line = one(rules, LOW_DEALER, FIVE, ANTE, stake=stake)
    assert (line.profit, line.outcome) == (profit, r.OUTCOME_WIN)
    assert line.rulings[-2:] == (f"payout_unit_minor={unit}", f"payout_rounding={rounding}")


def test_a_payout_that_comes_out_even_uses_no_rounding():
    assert one(saigon(), LOW_DEALER, FIVE, ANTE, stake=500).rulings == ()


WINNERS = {1: "Ks Js Qs 4c 5d", 2: "Kd Qd Jd 4h 5c", 3: "Kc Qc Jc 4d 5s"}
PAIRS = "9s 9c 2d 2h Ts"  # 9 + 9 + 2 = 20; 2 + 10 shows 2


class TestPayoutLimit:
    """Positions 3, 2, 1 win 250, 30 and 100 on Antes; 1 wins 300 on the Bonus: 680 in all."""

    def settled(self, amount, scope="round", allocation="pro_rata"):
        rules = saigon(aggregate_payout_limit={
            "amount": amount, "scope": scope, "allocation": allocation})
        stakes = {3: {ANTE: 250, POT: 100}, 2: {ANTE: 30, POT: 100},
                  1: {ANTE: 100, BONUS: 100, POT: 100}}
        hands = {**WINNERS, 1: PAIRS}
        return settle(rules, LOW_DEALER, hands, stakes)

    def profits(self, settlement):
        return [line.profit for line in settlement.lines
                if line.counterparty == d.COUNTERPARTY_HOUSE]

    def test_it_is_not_reached(self):
        settlement = self.settled(680)
        assert self.profits(settlement) == [250, 30, 100, 300]
        assert not any("aggregate" in ruling for x in settlement.lines for ruling in x.rulings)

    def test_it_is_reached_by_one_unit(self):
        assert self.profits(self.settled(679, allocation="settlement_order")) == [
            250, 30, 100, 299]

    def test_pro_rata_over_the_round(self):
        # floor(100 x 250 / 680) = 36, 4, 14, 44; two units are left for the first two.
        settlement = self.settled(100)
        assert self.profits(settlement) == [37, 5, 14, 44]
        assert [line.uncut_profit for line in settlement.lines[:4]] == [250, 30, 100, 300]
        for line in settlement.lines[:4]:
            assert line.rulings[-1] == "aggregate_payout_limit=100/round/pro_rata"
            assert line.outcome == r.OUTCOME_WIN

    def test_in_settlement_order_over_the_round(self):
        settlement = self.settled(300, allocation="settlement_order")
        assert self.profits(settlement) == [250, 30, 20, 0]
        assert [any("aggregate" in ruling for ruling in line.rulings)
                for line in settlement.lines[:4]] == [False, False, True, True]

    def test_pro_rata_over_each_hand(self):
        # Position 1: floor(200 x 100 / 400) = 50 and 150.
        assert self.profits(self.settled(200, scope="hand")) == [200, 30, 50, 150]

    def test_in_settlement_order_over_each_hand(self):
        settlement = self.settled(200, scope="hand", allocation="settlement_order")
        assert self.profits(settlement) == [200, 30, 100, 100]

    def test_none(self):
        assert self.profits(self.settled(1, scope="none")) == [250, 30, 100, 300]

    def test_it_never_touches_the_pot_nor_what_others_lose(self):
        settlement = self.settled(1)
        assert settlement.pot.amount == 300
        assert sum(share for _, share in settlement.pot.shares) == 300
        rules = saigon(aggregate_payout_limit=50)
        stakes = {2: {ANTE: 100}, 1: {ANTE: 100, BONUS: 70}}
        settlement = settle(rules, LOW_DEALER, WINNERS, stakes)
        assert [line.profit for line in settlement.lines] == [25, 25, -70]

    def test_it_covers_tie_and_poker_bonus_of_the_other_game(self):
        rules = hi_lo(aggregate_payout_limit=90)
        settlement = settle(rules, QUADS, {1: QUADS}, {1: {ANTE: 500, TIE: 100, POKER_BONUS: 100}})
        # The Ante ties and loses; both ties pay 1,000, four of a kind 5,000: 15 and 75 of 90.
        assert [line.uncut_profit for line in settlement.lines] == [-500, 1000, 5000]
        assert [line.profit for line in settlement.lines] == [-500, 15, 75]
