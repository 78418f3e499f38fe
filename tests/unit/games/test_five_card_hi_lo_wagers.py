"""Five Card Hi-Lo: Ante, Tie and Poker Bonus."""

from dataclasses import replace

import pytest

from pitledger.games.game import Circle, Comparison
from pitledger.pb import decisions_pb2 as d
from pitledger.pb import rules_pb2 as r
from tests.unit.games.submissions import hi_lo, high_first
from tests.unit.games.table import ANTE, POKER_BONUS, TIE, hand, one, settle

RULES = hi_lo()
SOME = "8d 2s 7h 3c 6s"
RANKING = ("card_points", "high_hand_cards=3", "high_hand_cap=21")
SET = (*RANKING, "unset_hand=house_way", "house_way=scored")


def judged(rules, kind, player, dealer, stake=1000):
    """Settle one wager between hands of these (high, low) totals; a high over 21 is busted."""
    some = hand(rules, 1, SOME)
    mine, his = (
        replace(some, first_total=high, second_total=low, busted=high > 21)
        for high, low in (player, dealer))
    return rules.settle([Circle(1, kind, stake)], {1: mine}, his, {}).lines[0]


WIN, LOSE, RETURN = r.OUTCOME_WIN, r.OUTCOME_LOSE, r.OUTCOME_RETURN

ROWS = [
    ((18, 12), d.LINE_REASON_WIN_WIN, WIN, WIN),
    ((18, 10), d.LINE_REASON_WIN_TIE, RETURN, RETURN),
    ((18, 9), d.LINE_REASON_WIN_LOSE, RETURN, RETURN),
    ((17, 12), d.LINE_REASON_TIE_WIN, RETURN, RETURN),
    ((17, 10), d.LINE_REASON_TIE_TIE, LOSE, LOSE),
    ((17, 9), d.LINE_REASON_TIE_LOSE, RETURN, LOSE),
    ((16, 12), d.LINE_REASON_LOSE_WIN, RETURN, RETURN),
    ((16, 10), d.LINE_REASON_LOSE_TIE, RETURN, LOSE),
    ((16, 9), d.LINE_REASON_LOSE_LOSE, LOSE, LOSE),
]


@pytest.mark.parametrize(("player", "reason", "default", "copies_to_dealer"), ROWS)
def test_the_ante_follows_its_table(player, reason, default, copies_to_dealer):
    for rules, outcome in ((RULES, default), (high_first(), copies_to_dealer)):
        line = judged(rules, ANTE, player, (17, 10))
        assert (line.reason, line.outcome) == (reason, outcome)
        assert line.profit == {WIN: 1000, LOSE: -1000, RETURN: 0}[outcome]
        assert line.citations == ("663a.7(d)",)
        assert line.comparisons == (
            Comparison(d.MEASURE_HIGH_TOTAL, player[0], 17),
            Comparison(d.MEASURE_LOW_TOTAL, player[1], 10),
        )


@pytest.mark.parametrize("outcome", ["win", "lose", "return"])
@pytest.mark.parametrize(("player", "reason", "_default", "_copies"), ROWS)
def test_every_cell_of_the_table_can_be_ruled(player, reason, _default, _copies, outcome):
    cell = d.LineReason.Name(reason).removeprefix("LINE_REASON_").lower()
    line = judged(hi_lo(ante_outcome={cell: outcome}), ANTE, player, (17, 10))
    assert line.profit == {"win": 1000, "lose": -1000, "return": 0}[outcome]


def test_the_antes_rulings_are_named():
    line = judged(RULES, ANTE, (18, 12), (17, 10))
    assert line.rulings == (*SET, "low_hand_wins=higher", "ante_outcome", "ante_odds=1:1")
    line = judged(RULES, ANTE, (18, 9), (17, 10))
    assert line.rulings == (*SET, "low_hand_wins=higher", "ante_outcome")


def test_odds_of_the_ante_are_the_submissions():
    assert judged(hi_lo(ante_odds="3:2"), ANTE, (18, 12), (17, 10)).profit == 1500


def test_where_the_lower_low_hand_wins_the_result_turns():
    rules = hi_lo(low_hand_wins="lower")
    line = judged(rules, ANTE, (18, 9), (17, 10))
    assert line.reason == d.LINE_REASON_WIN_WIN
    assert "low_hand_wins=lower" in line.rulings
    assert judged(rules, ANTE, (18, 12), (17, 10)).reason == d.LINE_REASON_WIN_LOSE


@pytest.mark.parametrize(("player", "dealer", "reason"), [
    ((26, 12), (6, 10), d.LINE_REASON_LOSE_WIN),
    ((6, 12), (30, 10), d.LINE_REASON_WIN_WIN),
    ((26, 12), (30, 10), d.LINE_REASON_TIE_WIN),
])
def test_a_busted_high_is_below_all_others_and_equal_to_another(player, dealer, reason):
    line = judged(RULES, ANTE, player, dealer)
    assert line.reason == reason
    high = line.comparisons[0]
    assert (high.player, high.other) == tuple(0 if t > 21 else t for t in (player[0], dealer[0]))


class TestTie:
    @pytest.mark.parametrize(("player", "reason", "profit"), [
        ((18, 12), d.LINE_REASON_NO_TIE, -1000),
        ((17, 12), d.LINE_REASON_ONE_TIE, 1000),
        ((18, 10), d.LINE_REASON_ONE_TIE, 1000),
        ((17, 10), d.LINE_REASON_BOTH_TIE, 10_000),
    ])
    def test_it_pays_for_one_and_for_both(self, player, reason, profit):
        line = judged(RULES, TIE, player, (17, 10))
        assert (line.reason, line.profit) == (reason, profit)
        assert line.citations == ("663a.7(e)(1)",)
        won = ("tie_pay_table",) if profit > 0 else ()
        assert line.rulings == (*SET, *won)

    def test_the_pay_table_is_the_submissions(self):
        rules = hi_lo(tie_pay_table={"one_hand": "2:1", "both_hands": "7:1"})
        assert judged(rules, TIE, (17, 12), (17, 10)).profit == 2000
        assert judged(rules, TIE, (17, 10), (17, 10)).profit == 7000

    @pytest.mark.parametrize(("busted_ties", "low", "profit"), [
        (True, 12, 1000), (True, 10, 10_000), (False, 12, -1000), (False, 10, 1000),
    ])
    def test_two_busted_highs_tie_if_the_house_says_so(self, busted_ties, low, profit):
        line = judged(hi_lo(busted_ties=busted_ties), TIE, (25, low), (29, 10))
        assert line.profit == profit
        assert f"busted_ties={str(busted_ties).lower()}" in line.rulings

    @pytest.mark.parametrize(("player", "dealer", "same_hand", "any_pair"), [
        ((17, 12), (16, 17), -1000, 1000),  # my high, your low
        ((12, 16), (16, 10), -1000, 1000),  # my low, your high
        ((17, 16), (16, 17), -1000, 1000),  # both, paid as one
        ((17, 10), (16, 10), 1000, 1000),
        ((17, 17), (16, 17), 1000, 1000),
        ((15, 15), (15, 15), 10_000, 10_000),
        ((18, 12), (17, 10), -1000, -1000),
    ])
    def test_a_cross_tie_wins_if_the_house_says_so(self, player, dealer, same_hand, any_pair):
        line = judged(RULES, TIE, player, dealer)
        assert line.profit == same_hand
        crossed = judged(hi_lo(tie_pairs="any"), TIE, player, dealer)
        assert crossed.profit == any_pair
        mattered = same_hand != any_pair
        assert ("tie_pairs=same_hand" in line.rulings) == mattered
        assert ("tie_pairs=any" in crossed.rulings) == mattered

    def test_a_busted_total_never_crosses(self):
        rules = hi_lo(tie_pairs="any", busted_ties=False)
        assert judged(rules, TIE, (25, 12), (17, 25)).profit == -1000
        assert judged(rules, TIE, (17, 25), (25, 12)).profit == -1000
        assert judged(rules, TIE, (25, 12), (29, 10)).profit == -1000
        # Two foreign cards, let stand, are a low hand of nothing.
        assert judged(rules, TIE, (25, 12), (17, 0)).profit == -1000
        assert judged(rules, TIE, (17, 0), (25, 12)).profit == -1000


class TestPokerBonus:
    @pytest.mark.parametrize(("text", "a", "b"), [
        ("5s 5c 2d 3h 9s", -1, -1), ("Ks 5c 2d 3h 9s", -1, -1),
        ("6s 6c 2d 3h 9s", 1, -1), ("7s 7c 2d 3h 9s", 1, 1), ("As Ac 2d 3h 9s", 1, 1),
        ("2s 2c 3d 3h 9s", 2, 2), ("2s 2c 2d 3h 9s", 4, 5), ("As 2c 3d 4h 5s", 8, 10),
        ("As 2s 3s 4s 9s", 12, 15), ("2s 2c 2d 3h 3s", 20, 25), ("2s 2c 2d 2h 3s", 50, 100),
        ("5s 2s 3s 4s 6s", 200, 250), ("As Ks Qs Js Ts", 500, 1000),
    ])
    def test_it_pays_by_the_chosen_table(self, text, a, b):
        for table, odds in (("A", a), ("B", b)):
            line = one(hi_lo(poker_bonus_table=table), SOME, text, POKER_BONUS, stake=100)
            assert line.profit == 100 * odds
            assert line.reason == (
                d.LINE_REASON_POKER_MADE if odds > 0 else d.LINE_REASON_POKER_NOT_MADE)
            assert line.citations == ("663a.7(e)(2)",)
            # Nobody pays a pair of fives; a pair of sixes is the house's choice.
            assert line.rulings == (() if (a, b) == (-1, -1) else ("poker_bonus_table",))


def test_a_foul_hand_loses_ante_and_tie_and_keeps_the_poker_bonus():
    foul = "Kd Ks 6h | 4c 3d"
    wagers = {ANTE: 500, TIE: 100, POKER_BONUS: 100}
    lines = settle(RULES, "Kc Kh 6s 4d 3c", {1: foul}, {1: wagers}).lines
    assert [(line.reason, line.profit) for line in lines] == [
        (d.LINE_REASON_FOUL, -500), (d.LINE_REASON_FOUL, -100), (d.LINE_REASON_POKER_MADE, 100)]
    assert lines[0].rulings == lines[1].rulings == (*RANKING, "foul_hand=lose")
    assert [line.citations for line in lines[:2]] == [("663a.7(d)",), ("663a.7(e)(1)",)]


def test_a_foul_hand_set_again_plays_on():
    rules = hi_lo(foul_hand="house_way")
    line = one(rules, "Kc Kh 6s 4d 3c", "Kd Ks 6h | 4c 3d", ANTE)
    assert line.reason == d.LINE_REASON_TIE_TIE
    assert "foul_hand=house_way" in line.rulings


def test_a_hand_that_must_bust_still_plays_its_low_hand():
    line = one(RULES, "Kh Qh 6h 7c 5h", "Kd Ks 9c | 8h 7c", ANTE)
    assert line.reason == d.LINE_REASON_LOSE_LOSE


@pytest.mark.parametrize("dealer", ["Kc Kh 6s 4d 3c", "Kd Ks 9c 8h 7c", "2d 2h 3s 4d 5c"])
@pytest.mark.parametrize("player", ["Ks Kd 6d 4h 3s", "As Ad Kh Qh 2d", "Kd Ks 6h | 4c 3d"])
def test_every_subset_of_wagers_settles_each_as_if_it_were_alone(dealer, player):
    wagers = {ANTE: 700, TIE: 300, POKER_BONUS: 200}
    alone = {kind: one(RULES, dealer, player, kind, stake) for kind, stake in wagers.items()}
    for picked in range(1, 8):
        kinds = [kind for bit, kind in enumerate(wagers) if picked >> bit & 1]
        stakes = {1: {kind: wagers[kind] for kind in kinds}}
        assert list(settle(RULES, dealer, {1: player}, stakes).lines) == [
            alone[kind] for kind in kinds]


def test_lines_come_from_the_highest_position_ante_tie_poker_bonus():
    wagers = {POKER_BONUS: 100, TIE: 100, ANTE: 500}
    settlement = settle(RULES, SOME, {1: SOME, 4: SOME}, {1: wagers, 4: wagers})
    assert [(line.position, line.kind) for line in settlement.lines] == [
        (4, ANTE), (4, TIE), (4, POKER_BONUS), (1, ANTE), (1, TIE), (1, POKER_BONUS)]
    assert settlement.pot is None


def test_sections_that_were_not_read_are_never_cited():
    cited = {cite for cites in RULES.citations.values() for cite in cites}
    assert all(cite.startswith(("663a.7(", "663a.9")) for cite in cited)
