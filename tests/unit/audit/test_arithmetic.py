"""Odds, rounding, payout limit and pot shares, each against a sum done by hand."""

import pytest

from pitledger.audit.arithmetic import limited, priced
from pitledger.audit.circles import ANTE, POT, Circle, Line, Played
from pitledger.audit.conservation import unsound
from pitledger.audit.settling import settle
from pitledger.pb import decisions_pb2 as decisions
from pitledger.pb import rules_pb2 as rules
from pitledger.pb.journal_pb2 import JournalRecord
from pitledger.pb.money_pb2 import Odds
from pitledger.sources.submissions import load_submission

DOWN, UP, NEAREST = 1, 2, 3


@pytest.mark.parametrize(
    ("stake", "unit", "rounding", "profit"),
    [
        (2500, 1, DOWN, 1250),
        (2501, 1, DOWN, 1250),
        (2501, 1, UP, 1251),
        (2501, 1, NEAREST, 1251),
        (2530, 100, DOWN, 1200),
        (2530, 100, UP, 1300),
        (2530, 100, NEAREST, 1300),
        (2490, 100, NEAREST, 1200),
        (2500, 100, NEAREST, 1300),
    ],
)
def test_one_to_two_is_rounded_as_filed(stake, unit, rounding, profit):
    assert priced(stake, Odds(win=1, stake=2), unit, rounding) == profit


@pytest.mark.parametrize(
    ("scope", "allocation", "paid"),
    [
        (rules.PAYOUT_LIMIT_SCOPE_NONE, 1, [30, 30, 41]),
        (rules.PAYOUT_LIMIT_SCOPE_ROUND, 1, [15, 15, 20]),
        (rules.PAYOUT_LIMIT_SCOPE_ROUND, 2, [30, 20, 0]),
        (rules.PAYOUT_LIMIT_SCOPE_HAND, 1, [25, 25, 41]),
        (rules.PAYOUT_LIMIT_SCOPE_HAND, 2, [30, 20, 41]),
    ],
)
def test_the_payout_limit_cuts_in_its_scope(scope, allocation, paid):
    limit = rules.PayoutLimit(scope=scope, amount_minor=50, allocation=allocation)
    assert limited([30, 30, 41], [2, 2, 1], limit) == paid


@pytest.mark.parametrize(
    ("remainder", "shares"),
    [(rules.POT_REMAINDER_FIRST_IN_SETTLEMENT_ORDER, {3: 301, 2: 300, 1: 300}),
     (rules.POT_REMAINDER_LAST_IN_SETTLEMENT_ORDER, {3: 300, 2: 300, 1: 301})],
)
def test_what_is_left_of_a_split_pot_goes_where_it_is_filed(remainder, shares):
    terms = load_submission("default", "saigon5").message
    terms.saigon5.pot_remainder = remainder
    circles = [Circle(place, POT, 300 + (place == 2)) for place in (1, 2, 3)]
    hand = Played(1, 0, True, 8)
    lines, pot = settle(terms, circles, dict.fromkeys((1, 2, 3), hand), hand, frozenset(), {})
    assert pot.amount == 901
    assert dict(pot.shares) == shares
    assert sum(line.profit for line in lines) == 0


@pytest.mark.parametrize(
    ("unit", "shares"),
    [(100, {3: 400, 2: 300, 1: 300}), (400, {3: 334, 2: 333, 1: 333})],
)
def test_a_split_pot_is_shared_in_payout_units_but_never_below_a_stake(unit, shares):
    terms = load_submission("default", "saigon5", {"payout_unit_minor": unit}).message
    circles = [Circle(place, POT, 250) for place in (1, 2, 3, 4)]
    hand, lower = Played(1, 0, True, 8), Played(1, 0, True, 7)
    hands = dict.fromkeys((1, 2, 3), hand) | {4: lower}
    _, pot = settle(terms, circles, hands, hand, frozenset(), {})
    assert dict(pot.shares) == shares
    assert min(shares.values()) >= 250


def test_a_losing_pot_stake_stays_and_a_void_one_goes_back():
    terms = load_submission("default", "saigon5").message
    circles = [Circle(place, POT, 300) for place in (1, 2, 3)]
    hand = Played(1, 0, True, 8)
    played = dict.fromkeys((1, 2, 3), hand)
    lines, pot = settle(terms, circles, played, hand, frozenset({3}), {2: 2})
    assert [(line.position, line.profit) for line in lines] == [(3, 0), (2, -300), (1, 300)]
    assert pot.amount == 600


def settled(*lines, **totals):
    body = decisions.RoundSettled(lines=lines, totals=decisions.Totals(**totals))
    return JournalRecord(round_settled=body)


def line(position, kind, stake, profit):
    outcome = 1 if profit > 0 else 3 if profit == 0 else 2
    return decisions.SettlementLine(
        position=position, kind=kind, stake_minor=stake, outcome=outcome,
        profit_minor=profit, returned_minor=stake + profit,
    )


def test_sound_money_has_no_complaint():
    record = settled(
        line(1, ANTE, 100, 100), staked_minor=100, returned_minor=200,
        positions_net_minor=100, house_net_minor=-100,
    )
    assert not list(unsound(record, [Circle(1, ANTE, 100)]))


def test_each_broken_law_is_said():
    pot = settled(line(1, POT, 100, 50), line(2, POT, 100, -100), staked_minor=1)
    said = list(unsound(pot, [Circle(1, POT, 100)]))
    assert "the Pot is not conserved" in said
    assert "the lines are not one for each circle, with its stake" in said
    assert "the total staked is not the sum of the stakes" in said
    assert "the total returned is not the sum of what is returned" in said
    assert "what the positions won is not the sum of the profits" in said
    uneven = settled(line(1, ANTE, 100, 100), staked_minor=100, returned_minor=200,
                     positions_net_minor=100, house_net_minor=-99)
    assert list(unsound(uneven, [Circle(1, ANTE, 100)])) == ["the money does not sum to zero"]


def test_a_line_returns_its_stake_and_its_profit():
    assert Line(1, ANTE, 100, 1, 50).returned == 150
