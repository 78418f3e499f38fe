"""Policies change single settings of a submission, by the house and under the same rules."""

import pytest

from pitledger.games import compile_rules
from pitledger.games.submission import (
    BadSubmission,
    serialize,
    to_settings,
    with_policies,
)
from pitledger.sources.submissions import load_submission, read_text

SAIGON5 = {
    "positions": [1, 9],
    "adjacent_positions": [True, False],
    "accepted_instruments": [["plaque"], ["value_chip", "cheque"]],
    "wager_unit": [100],
    "abandoned_wagers": [["plays"], ["losing"], ["returned"], ["returned", "plays"]],
    "ante_limits": [{"offered": True, "min": 1000, "max": 1000}],
    "bonus_limits": [{"offered": False, "min": 100, "max": 200}],
    "pot_limits": [{"offered": False, "min": 100, "max": 200}],
    "ante_odds": ["2:1"],
    "ante_odds_five": ["1:1"],
    "payout_unit_minor": [25],
    "payout_rounding": ["down", "up", "nearest"],
    "aggregate_payout_limit": [
        {"amount": 7, "scope": scope, "allocation": allocation}
        for scope in ("round", "hand", "none") for allocation in ("pro_rata", "settlement_order")],
    "card_points": [{"ace": 2, "face": 9}],
    "joker_points": [[9], [1, 10]],
    "player_split": ["as_set", "best"],
    "misset_hand": ["cards_speak", "as_set", "lose"],
    "dealer_split": ["best"],
    "pot_eligibility": ["all", "qualifiers"],
    "pot_without_winner": ["return"],
    "pot_remainder": ["first_in_settlement_order", "last_in_settlement_order"],
}
HI_LO = {
    "tie_limits": [{"offered": False, "min": 100, "max": 200}],
    "poker_bonus_limits": [{"offered": False, "min": 100, "max": 200}],
    "card_points": [{"ace": 1, "ace_high": 1, "face": 10}],
    "low_hand_ace_cap": [15],
    "high_hand_cards": [1, 2, 3, 4],
    "high_hand_cap": [0, 25],
    "low_hand_wins": ["higher", "lower"],
    "house_way": ["scored", "high_first", "low_first"],
    "foul_hand": ["lose", "house_way"],
    "unset_hand": ["house_way"],
    "ante_odds": ["6:5"],
    "tie_pay_table": [{"one_hand": "2:1", "both_hands": "9:1"}],
    "tie_pairs": ["same_hand", "any"],
    "busted_ties": [True, False],
    "high_scores": [[[31, 1]]],
    "low_scores": [[[10, 1], [21, 2]]],
}
CASES = [("saigon5", name, value) for name, values in SAIGON5.items() for value in values] + [
    ("five_card_hi_lo", name, value) for name, values in HI_LO.items() for value in values]


@pytest.mark.parametrize(("game", "name", "value"), CASES)
def test_every_choice_of_a_setting_is_taken_by_the_house_and_compiles(game, name, value):
    policies = {name: value}
    if name == "high_hand_cards" and value != 3:  # other totals than the score tables have
        policies["house_way"] = "high_first"

    loaded = load_submission("default", game, policies)

    before = to_settings(load_submission("default", game).message)
    after = to_settings(loaded.message)
    assert after.pop(name) == {"value": value, "authority": "house", "source": ""}
    before.pop(name)
    after.pop("house_way", None), before.pop("house_way", None)
    assert after == before
    compile_rules(loaded.data)


def test_a_table_changes_only_the_entries_that_are_named():
    settings = to_settings(load_submission("default", "saigon5", {
        "bonus_pay_table": {"flush": 45}, "ante_limits": {"max": 700},
        "aggregate_payout_limit": {"scope": "hand"}}).message)

    pays = settings["bonus_pay_table"]["value"]
    assert (pays["straight"], pays["flush"], pays["full_house"]) == ("20:1", "45:1", "60:1")
    assert settings["ante_limits"]["value"] == {"offered": True, "min": 500, "max": 700}
    assert settings["aggregate_payout_limit"]["value"] == {
        "amount": 5_000_000, "scope": "hand", "allocation": "pro_rata"}


@pytest.mark.parametrize(("bare", "limit"), [
    (900, {"amount": 900, "scope": "round", "allocation": "pro_rata"}),
    ("none", {"amount": 5_000_000, "scope": "none", "allocation": "pro_rata"}),
])
def test_a_bare_amount_or_scope_stands_for_the_payout_limit(bare, limit):
    message = load_submission("default", "saigon5", {"aggregate_payout_limit": bare}).message

    assert to_settings(message)["aggregate_payout_limit"]["value"] == limit


def test_the_other_pay_table_of_a_text_is_chosen_by_name():
    settings = to_settings(
        load_submission("default", "five_card_hi_lo", {"poker_bonus_table": "B"}).message)

    assert settings["poker_bonus_table"] == {"authority": "house", "source": "", "value": {
        "lowest_pair": 7, "pair": "1:1", "two_pair": "2:1", "three_of_a_kind": "5:1",
        "straight": "10:1", "flush": "15:1", "full_house": "25:1", "four_of_a_kind": "100:1",
        "straight_flush": "250:1", "royal_flush": "1000:1"}}


def test_a_message_knows_no_pay_table_by_name():
    message = load_submission("default", "five_card_hi_lo").message

    assert problems(message, {"poker_bonus_table": "B"}) == [
        'poker_bonus_table: found "B"; allowed: a table of pays; this submission names none']


@pytest.mark.parametrize("odds", ["3:2", "3 to 2", "3 : 2"])
def test_odds_are_read_as_people_write_them(odds):
    message = load_submission("default", "saigon5", {"ante_odds": odds}).message

    assert to_settings(message)["ante_odds"]["value"] == "3:2"


def test_a_vendors_value_that_is_changed_is_the_houses():
    message = load_submission("default", "saigon5").message

    changed = with_policies(message, {"joker_points": [9]})

    assert to_settings(message)["joker_points"]["authority"] == "vendor"
    assert to_settings(changed)["joker_points"]["authority"] == "house"


def test_no_policies_leave_the_bytes_as_they_are():
    loaded = load_submission("high-first", "five_card_hi_lo")

    assert serialize(with_policies(loaded.message, {})) == loaded.data


TEXT = read_text("saigon5-default")


@pytest.mark.parametrize(("policies", "lines"), [
    ({"plyer_split": "best"},
     ['policies: unknown setting "plyer_split"; did you mean "player_split"?']),
    ({"zzz": 1},
     ["policies: unknown setting \"zzz\"; allowed: " + ", ".join(
         to_settings(load_submission("saigon5-default").message))]),
    ({"player_split": "worst"},
     ['hands.player_split: found "worst"; allowed: "as_set", "best"']),
    ({"player_split": None},
     ['hands.player_split: found null; allowed: "as_set", "best"']),
    ({"ante_odds": 0},
     ['payouts.ante_odds: found 0; allowed: odds like "3:2", each side from 1 to 1000000']),
    ({"bonus_pay_table": {"flush": 1}},
     ["bonus_pay_table.flush: found 1; allowed: no less than straight, which pays 20:1"]),
    ({"bonus_pay_table": 3},
     ["bonus_pay_table: found 3; allowed: a table with two_pair, three_of_a_kind, straight, flush,"
      " full_house, four_of_a_kind, straight_flush, royal_flush, five_aces"]),
    ({"wager_unit": 30_000},
     ["limits.bonus_limits: no multiple of wager_unit, 30000, is within 100 to 10000"]),
    ({"pot_limits": {"max": 1}, "positions": True},
     ["table.positions: found true; allowed: an integer from 1 to 9",
      "limits.pot_limits.min: found 100; allowed: at most max, which is 1"]),
    ({"accepted_instruments": ["verbal_with_cash"]},
     ['table.accepted_instruments: found "verbal_with_cash"; allowed: no words spoken with cash'
      " (663a.7(a))"]),
    ({"accepted_instruments": ["\ud800"]},
     ['table.accepted_instruments: found "\\ud800"; allowed: a list of names in small letters,'
      ' such as "value_chip"']),
])
def test_a_policy_that_cannot_be_taken(policies, lines):
    message = load_submission("saigon5-default").message

    assert problems(message, policies) == lines
    assert problems(TEXT, policies) == lines


def test_policies_on_a_text_that_is_none():
    assert problems("", {"positions": 1}) == ["empty: a submission begins with [submission]"]


def problems(base, policies):
    with pytest.raises(BadSubmission) as caught:
        with_policies(base, policies)
    return list(caught.value.problems)
