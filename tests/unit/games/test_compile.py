"""From the bytes of a submission to a game's rules."""

import pytest

from pitledger.cards import DECK_52, DECK_53
from pitledger.games import BadSubmission, compile_rules
from pitledger.games.game import CITED, Circle
from pitledger.games.submission import serialize
from pitledger.money import INT64_MAX
from pitledger.pb import money_pb2 as m
from pitledger.pb import rules_pb2 as r
from tests.unit.games.submissions import hi_lo, high_first, saigon
from tests.unit.games.table import cards


def changed(rules, change):
    message = r.RulesSubmission()
    message.CopyFrom(rules.submission)
    change(message)
    return serialize(message)


def test_the_same_bytes_give_the_same_rules():
    data = serialize(saigon().submission)
    assert compile_rules(data) is compile_rules(bytes(bytearray(data)))
    assert compile_rules(data).submission == saigon().submission


def test_each_game_knows_its_deck_its_wagers_and_its_split():
    assert saigon().deck == DECK_53
    assert saigon().kinds == (m.WAGER_KIND_ANTE, m.WAGER_KIND_BONUS, m.WAGER_KIND_POT)
    assert saigon().split_sizes == (3, 2)
    assert not saigon().larger_ante_sets_first
    assert hi_lo().deck == DECK_52
    assert hi_lo().kinds == (m.WAGER_KIND_ANTE, m.WAGER_KIND_TIE, m.WAGER_KIND_POKER_BONUS)
    assert hi_lo().split_sizes == (3, 2)
    assert hi_lo().larger_ante_sets_first


@pytest.mark.parametrize("rules", [saigon(), hi_lo(), high_first()])
def test_a_citation_answers_every_key_that_is_asked(rules):
    assert set(rules.citations) == set(CITED)


def test_wagering_paragraphs_that_were_not_read_say_so():
    for key, paragraph in (("instrument", "a"), ("verbal", "a"), ("seat", "b"), ("closed", "c")):
        assert saigon().citations[key] == (
            f"680a.7 (not read; wording of 663a.7({paragraph}))",)
        assert hi_lo().citations[key] == (f"663a.7({paragraph})",)


@pytest.mark.parametrize("data", [b"", b"\xff\xff", b"not a submission"])
def test_bytes_that_are_no_submission_are_refused(data):
    with pytest.raises(BadSubmission):
        compile_rules(data)


def _other_game(s):
    s.game = r.GAME_FIVE_CARD_HI_LO


def _unknown_game(s):
    s.game = 77


def _no_rules(s):
    s.ClearField("saigon5")


def _no_choice(s):
    s.saigon5.misset_hand = r.MISSET_HAND_UNSPECIFIED


def _unknown_choice(s):
    s.saigon5.pot_eligibility = 9


def _odds_of_zero(s):
    s.saigon5.ante_odds.win = 0


def _negative_odds(s):
    s.saigon5.ante_odds_five.stake = -2


def _empty_pay_table(s):
    s.saigon5.ClearField("bonus_pay_table")


def _pay_table_with_a_gap(s):
    del s.saigon5.bonus_pay_table[3]


def _pay_given_twice(s):
    s.saigon5.bonus_pay_table.append(s.saigon5.bonus_pay_table[0])


def _no_joker_points(s):
    s.saigon5.ClearField("joker_points")


def _no_positions(s):
    s.positions = 0


def _more_hands_than_cards(s):
    s.positions = 10


def _no_payout_unit(s):
    s.payout_unit_minor = 0


def _wager_of_another_game(s):
    s.wagers[1].kind = m.WAGER_KIND_TIE


def _no_ante(s):
    s.wagers[0].offered = False


def _limits_upside_down(s):
    s.wagers[0].max_minor = s.wagers[0].min_minor - 1


def _limit_of_nothing(s):
    s.payout_limit.amount_minor = 0


@pytest.mark.parametrize("change", [
    _other_game, _unknown_game, _no_rules, _no_choice, _unknown_choice, _odds_of_zero,
    _negative_odds, _empty_pay_table, _pay_table_with_a_gap, _pay_given_twice, _no_joker_points,
    _no_positions, _more_hands_than_cards, _no_payout_unit, _wager_of_another_game, _no_ante,
    _limits_upside_down, _limit_of_nothing,
], ids=lambda change: change.__name__)
def test_a_submission_that_no_round_can_be_judged_by_is_refused(change):
    with pytest.raises(BadSubmission) as refused:
        compile_rules(changed(saigon(), change))
    assert refused.value.problems
    assert all(": " in line for line in refused.value.problems)


def _no_ante_outcome(s):
    s.five_card_hi_lo.ante_outcome.tie_lose = r.OUTCOME_UNSPECIFIED


def _five_high_cards(s):
    s.five_card_hi_lo.high_hand_cards = 5


def _no_scores(s):
    s.five_card_hi_lo.ClearField("low_scores")


def _scores_that_end_early(s):
    del s.five_card_hi_lo.high_scores[9:]


def _pair_of_fives(s):
    s.five_card_hi_lo.poker_bonus_pair = 5


@pytest.mark.parametrize("change", [
    _no_ante_outcome, _five_high_cards, _no_scores, _scores_that_end_early, _pair_of_fives,
], ids=lambda change: change.__name__)
def test_a_hi_lo_submission_is_refused_likewise(change):
    with pytest.raises(BadSubmission):
        compile_rules(changed(hi_lo(), change))


def test_the_biggest_stakes_and_odds_fit_into_the_records():
    most = {"min": 1, "max": 10**11}
    rules = saigon(ante_limits=most, ante_odds="1000000:1", positions=9,
                   aggregate_payout_limit="none")
    winner, loser = (rules.evaluate(1, cards("Ks Qs Js 4c 5d"), None),
                     rules.evaluate(0, cards("2h 2s 3c 8c 8h"), None))
    circles = [Circle(position, m.WAGER_KIND_ANTE, 10**11) for position in range(1, 10)]
    lines = rules.settle(circles, dict.fromkeys(range(1, 10), winner), loser, {}).lines
    assert 0 < sum(line.profit + line.stake for line in lines) <= INT64_MAX
