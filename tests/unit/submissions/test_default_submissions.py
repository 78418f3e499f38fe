"""The packaged submissions say exactly what the rules of the two games say, with its authority."""

import hashlib

import pytest

from pitledger.games import compile_rules
from pitledger.games.submission import (
    parse_submission,
    problems_of,
    serialize,
    to_settings,
    to_toml,
)
from pitledger.pb import rules_pb2
from pitledger.sources.submissions import load_submission, packaged_names

COMMON = {
    "positions": 6,
    "adjacent_positions": False,
    "accepted_instruments": ["value_chip", "plaque"],
    "wager_unit": 1,
    "abandoned_wagers": ["plays", "losing", "returned"],
    "ante_limits": {"offered": True, "min": 500, "max": 1_000_000},
    "ante_odds": "1:1",
    "payout_unit_minor": 1,
    "payout_rounding": "down",
    "aggregate_payout_limit":
        {"amount": 5_000_000, "scope": "round", "allocation": "pro_rata"},
}
SIDE = {"offered": True, "min": 100, "max": 10_000}
SAIGON5 = COMMON | {
    "bonus_limits": SIDE,
    "pot_limits": {"offered": True, "min": 100, "max": 100_000},
    "ante_odds_five": "1:2",
    "card_points": {"ace": 1, "face": 10},
    "joker_points": [3, 6, 9],
    "player_split": "as_set",
    "misset_hand": "cards_speak",
    "dealer_split": "best",
    "pot_eligibility": "all",
    "pot_without_winner": "return",
    "pot_remainder": "first_in_settlement_order",
    "bonus_pay_table": {
        "two_pair": "3:1", "three_of_a_kind": "8:1", "straight": "20:1", "flush": "40:1",
        "full_house": "60:1", "four_of_a_kind": "250:1", "straight_flush": "1000:1",
        "royal_flush": "2500:1", "five_aces": "2500:1"},
}
OUTCOME = {
    "win_win": "win", "win_tie": "return", "win_lose": "return", "tie_win": "return",
    "tie_tie": "lose", "tie_lose": "return", "lose_win": "return", "lose_tie": "return",
    "lose_lose": "lose"}
HI_LO = COMMON | {
    "tie_limits": SIDE,
    "poker_bonus_limits": SIDE,
    "tie_pay_table": {"one_hand": "1:1", "both_hands": "10:1"},
    "card_points": {"ace": 1, "ace_high": 11, "face": 10},
    "low_hand_ace_cap": 21,
    "high_hand_cards": 3,
    "high_hand_cap": 21,
    "low_hand_wins": "higher",
    "foul_hand": "lose",
    "unset_hand": "house_way",
    "house_way": "scored",
    "high_scores": [[8, 2], [11, 3], [13, 4], [14, 5], [16, 6], [17, 7], [18, 8], [19, 9],
                    [20, 11], [21, 22], [31, 22]],
    "low_scores": [[6, 0], [8, 1], [10, 2], [11, 3], [12, 4], [13, 5], [14, 6], [15, 7], [16, 8],
                   [18, 9], [19, 11], [20, 14], [21, 30]],
    "ante_outcome": OUTCOME,
    "tie_pairs": "same_hand",
    "busted_ties": True,
    "poker_bonus_table": {
        "lowest_pair": 6, "pair": "1:1", "two_pair": "2:1", "three_of_a_kind": "4:1",
        "straight": "8:1", "flush": "12:1", "full_house": "20:1", "four_of_a_kind": "50:1",
        "straight_flush": "200:1", "royal_flush": "500:1"},
}
HIGH_FIRST = HI_LO | {
    "house_way": "high_first",
    "tie_pay_table": {"one_hand": "1:1", "both_hands": "7:1"},
    "ante_outcome": OUTCOME | {"tie_lose": "lose", "lose_tie": "lose"},
}
VENDOR = {"card_points", "joker_points", "ante_odds", "ante_odds_five"}


@pytest.mark.parametrize(("game", "name", "values", "vendor"), [
    ("saigon5", "default", SAIGON5, VENDOR),
    ("five_card_hi_lo", "default", HI_LO, set()),
    ("five_card_hi_lo", "high-first", HIGH_FIRST, set()),
])
def test_a_packaged_submission_has_each_value_with_its_authority(game, name, values, vendor):
    message = load_submission(name, game).message

    settings = to_settings(message)

    assert {key: said["value"] for key, said in settings.items()} == values
    for key, said in settings.items():
        assert said["authority"] == ("vendor" if key in vendor else "house"), key
    assert message.name == name
    assert message.WhichOneof("rules") == game


@pytest.mark.parametrize("name", packaged_names())
def test_a_packaged_submission_is_valid_and_compiles(name):
    loaded = load_submission(name)

    assert problems_of(loaded.message) == ()
    compile_rules(loaded.data)


@pytest.mark.parametrize("name", packaged_names())
def test_a_submission_written_as_text_reads_back_as_the_same_bytes(name):
    loaded = load_submission(name)

    again = parse_submission(to_toml(loaded.message))

    assert serialize(again) == loaded.data
    assert hashlib.sha256(loaded.data).digest() == loaded.digest


@pytest.mark.parametrize("name", packaged_names())
def test_a_file_reaches_every_field_of_the_message(name):
    message = load_submission(name).message

    assert _unset(message) <= {"busted_ties", "adjacent_positions", "source", "score",
                               "saigon5", "five_card_hi_lo"}
    assert message.WhichOneof("rules") is not None


def test_there_are_three_packaged_submissions():
    assert packaged_names() == (
        "five_card_hi_lo-default", "five_card_hi_lo-high-first", "saigon5-default")


def test_a_game_may_be_named_by_its_number():
    by_number = load_submission("default", rules_pb2.GAME_FIVE_CARD_HI_LO)

    assert by_number == load_submission("default", "five_card_hi_lo")


def _unset(message):
    """Names of fields that hold nothing, here and in all messages below."""
    empty = set()
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if not value and field.message_type is None:
            empty.add(field.name)
        elif field.message_type is not None and field.is_repeated:
            for item in value:
                empty |= _unset(item)
            if not value:
                empty.add(field.name)
        elif field.message_type is not None:
            if message.HasField(field.name):
                empty |= _unset(value)
            else:
                empty.add(field.name)
    return empty
