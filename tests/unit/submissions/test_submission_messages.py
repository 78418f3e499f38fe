"""A message is judged by the same rules as a text; posted limits by the message."""

import time

import pytest

from pitledger.games.submission import problems_of, problems_of_posted, to_settings
from pitledger.pb import rules_pb2
from pitledger.pb.money_pb2 import WAGER_KIND_ANTE, WAGER_KIND_BONUS, WAGER_KIND_POT, WAGER_KIND_TIE
from pitledger.pb.rules_pb2 import PostedLimits, RulesSubmission, WagerOffer
from pitledger.sources.submissions import load_submission

MORE = ("submission: holds more than its settings, or holds them in another order",)


@pytest.fixture
def saigon5():
    return RulesSubmission.FromString(load_submission("saigon5-default").data)


@pytest.fixture
def hi_lo():
    return RulesSubmission.FromString(load_submission("five_card_hi_lo-default").data)


def test_an_empty_message_has_no_game():
    assert problems_of(RulesSubmission()) == (
        'submission.game: found 0; allowed: "saigon5", "five_card_hi_lo"',
        'submission.name: found ""; allowed: small letters, digits and hyphens, 40 at most',
        'submission.title: found ""; allowed: one line of 1 to 80 characters')
    assert to_settings(RulesSubmission()) == {}


def test_a_message_of_a_game_alone_has_a_problem_for_every_setting():
    message = RulesSubmission(game=rules_pb2.GAME_SAIGON5, name="x", title="X")

    lines = problems_of(message)

    for setting in to_settings(message):
        if setting != "adjacent_positions":
            assert any(f"{setting}" in line for line in lines), setting


def test_a_choice_left_out(saigon5):
    saigon5.saigon5.ClearField("pot_eligibility")

    assert problems_of(saigon5) == (
        'pot.pot_eligibility: found 0; allowed: "all", "qualifiers"',)


def test_a_choice_of_a_later_version(hi_lo):
    hi_lo.five_card_hi_lo.house_way = 99

    assert problems_of(hi_lo) == (
        'splits.house_way: found 99; allowed: "scored", "high_first", "low_first"',)


def test_odds_left_out(hi_lo):
    hi_lo.five_card_hi_lo.ClearField("tie_both_odds")

    assert problems_of(hi_lo) == (
        'payouts.tie_pay_table.both_hands: found "0:0"; allowed: odds like "3:2",'
        " each side from 1 to 1000000",)


def test_a_wager_left_out(saigon5):
    del saigon5.wagers[1]

    assert problems_of(saigon5) == (
        "limits.bonus_limits: offered is missing", "limits.bonus_limits: min is missing",
        "limits.bonus_limits: max is missing")


def test_an_authority_left_out(saigon5):
    del saigon5.authorities[0]

    assert problems_of(saigon5) == (
        'table.positions: authority is missing; allowed: "code", "vendor", "house"',)


def test_a_wager_twice(saigon5):
    saigon5.wagers.append(saigon5.wagers[0])

    assert problems_of(saigon5) == MORE


def test_another_games_wager(saigon5):
    saigon5.wagers.add(kind=WAGER_KIND_TIE, offered=True, min_minor=1, max_minor=2)

    assert problems_of(saigon5) == MORE


def test_a_pay_twice(saigon5):
    saigon5.saigon5.bonus_pay_table.append(saigon5.saigon5.bonus_pay_table[0])

    assert problems_of(saigon5) == MORE


def test_an_authority_for_nothing(saigon5):
    saigon5.authorities.add(setting="zzz", authority=rules_pb2.AUTHORITY_HOUSE)

    assert problems_of(saigon5) == MORE


def test_another_games_rules(saigon5, hi_lo):
    saigon5.five_card_hi_lo.CopyFrom(hi_lo.five_card_hi_lo)

    lines = problems_of(saigon5)

    assert 'pot.pot_eligibility: found 0; allowed: "all", "qualifiers"' in lines


def test_a_field_of_a_later_version(saigon5):
    later = RulesSubmission.FromString(saigon5.SerializeToString() + b"\xf8\x07\x01")

    assert problems_of(later) == MORE


def posted(*wagers, pot=0):
    return PostedLimits(pot_amount_minor=pot, wagers=[
        WagerOffer(kind=kind, offered=True, min_minor=low, max_minor=high)
        for kind, low, high in wagers])


@pytest.mark.parametrize(("limits", "lines"), [
    (posted(), ()),
    (posted((WAGER_KIND_ANTE, 500, 1_000_000), (WAGER_KIND_BONUS, 200, 300), pot=100), ()),
    (posted((WAGER_KIND_ANTE, 499, 1_000_000)),
     ("posted.ante: found 499 to 1000000; allowed: a range within 500 to 1000000",)),
    (posted((WAGER_KIND_ANTE, 500, 1_000_001)),
     ("posted.ante: found 500 to 1000001; allowed: a range within 500 to 1000000",)),
    (posted((WAGER_KIND_ANTE, 800, 700)),
     ("posted.ante: found 800 to 700; allowed: a range within 500 to 1000000",)),
    (posted((WAGER_KIND_TIE, 100, 100)), ("posted.tie: is no wager of this game",)),
    (posted((77, 100, 100)), ("posted.77: is no wager of this game",)),
    (posted((WAGER_KIND_BONUS, 200, 300), (WAGER_KIND_BONUS, 200, 300)),
     ("posted.bonus: stands there twice",)),
    (posted((WAGER_KIND_POT, 500, 900), pot=500), ()),
    (posted((WAGER_KIND_POT, 500, 900), pot=499),
     ("posted.pot_amount: found 499; allowed: 0 or 500 to 900",)),
    (posted((WAGER_KIND_POT, 500, 900), pot=901),
     ("posted.pot_amount: found 901; allowed: 0 or 500 to 900",)),
    (posted(pot=99), ("posted.pot_amount: found 99; allowed: 0 or 100 to 100000",)),
    (posted(pot=100_001), ("posted.pot_amount: found 100001; allowed: 0 or 100 to 100000",)),
    (posted(pot=-5), ("posted.pot_amount: found -5; allowed: 0 or 100 to 100000",)),
])
def test_posted_limits_lie_within_the_filed_range(saigon5, limits, lines):
    assert problems_of_posted(limits, saigon5) == lines


def test_a_wager_that_is_not_filed_cannot_be_posted():
    message = load_submission("default", "saigon5", {
        "bonus_limits": {"offered": False}, "pot_limits": {"offered": False}}).message

    assert problems_of_posted(posted((WAGER_KIND_BONUS, 100, 200), pot=100), message) == (
        "posted.bonus: is not offered under the submission",
        "posted.pot_amount: found 100; allowed: 0: no Pot is offered under the submission")


def test_a_posted_pot_that_no_circle_may_hold_is_wrong():
    message = load_submission("default", "saigon5", {"wager_unit": 300}).message

    assert problems_of_posted(posted(pot=900), message) == ()
    assert problems_of_posted(posted(pot=1000), message) == (
        "posted.pot_amount: found 1000; allowed: a multiple of the wager unit, 300",)


def test_a_wager_that_a_table_does_not_offer_needs_no_range(saigon5):
    limits = PostedLimits(wagers=[WagerOffer(kind=WAGER_KIND_BONUS)])

    assert problems_of_posted(limits, saigon5) == ()


def test_hi_lo_has_no_pot(hi_lo):
    assert problems_of_posted(posted(pot=100), hi_lo) == (
        "posted.pot_amount: found 100; allowed: 0: no Pot is offered under the submission",)


@pytest.mark.parametrize(
    ("field", "entries"),
    [
        ("abandoned_wagers", [1] * 400_000),
        ("abandoned_wagers", list(range(250_000))),
        ("accepted_instruments", ["chip"] * 150_000),
        ("accepted_instruments", [f"chip_{n}" for n in range(80_000)] * 2),
        ("saigon5.joker_points", [1] * 400_000),
    ],
)
def test_a_list_as_long_as_a_record_can_bear_is_refused_at_once(saigon5, field, entries):
    """Anybody who writes facts can send one; all tables of a process would wait for it."""
    message = RulesSubmission()
    message.CopyFrom(saigon5)
    *outer, last = field.split(".")
    holder = getattr(message, outer[0]) if outer else message
    getattr(holder, last).extend(entries)
    began = time.process_time()
    assert problems_of(message)
    assert time.process_time() - began < 5
