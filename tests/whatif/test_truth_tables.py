"""Small rounds whose answer is worked out by hand from the rules' tables."""

import json

import pytest

from pitledger.games import compile_rules
from pitledger.games.submission import to_settings
from pitledger.whatif.changes import CannotBe
from tests.golden.rounds import ROUNDS
from tests.kit.table import ANTE, HI_LO, POKER, POT, SAIGON, TIE, Table
from tests.whatif.rounds import money, played_at, read, supposing

BONUS = 2


@pytest.fixture
def example():
    """Player 1: joker, 5, 6 (20) and 8, 2: a Point Count of 10. Dealer: Q, Q, J and 3, 4: 7.

    Player 2: K, K, 9 and 9, 4 do not qualify. Ante 25.00 with Bonus 5.00; Ante 10.00; Pot 10.00.
    """
    return played_at(ROUNDS["saigon_example_of_the_regulation"]())


@pytest.mark.parametrize(
    ("card", "profit", "paragraph"),
    [
        ("9c", -2500, "680a.11(d)(2)(ii)(A)"),  # 9 and 2 show 1: the dealer's 7 is higher
        ("3c", -2500, "680a.11(d)(2)(ii)(A)"),  # 3 and 2 show 5: lower than 7
        ("5c", 0, "680a.11(d)(2)(ii)(C)"),  # 5 and 2 show 7: equal
        ("7c", 2500, "680a.11(d)(2)(ii)(B)"),  # 7 and 2 show 9: higher
    ],
)
def test_another_card_in_the_showdown_hand_is_paid_by_the_antes_table(
    example, card, profit, paragraph
):
    difference = supposing(example, f"1.card2={card}", "1.two=" + f"{card},2h")
    assert money(difference)[1, ANTE] == (2500, profit)
    line = next(one for one in difference.lines if (one.position, one.kind) == (1, ANTE))
    assert line.would_be.line.citations[0] == paragraph


@pytest.mark.parametrize(
    ("dealer", "profit"),
    [
        # K, K, 4 | 3, 9 total none of 10, 20, 30: the dealer does not qualify.
        (("Ks", "Kd", "4d", "3s", "9d"), 1250),
        # Q, Q, J | 4, 2 show 6: higher than the player's 5.
        (("Qc", "Qd", "Jh", "4d", "2s"), -2500),
        # Q, Q, J | 2, 2 show 4: lower than 5, which pays half.
        (("Qc", "Qd", "Jh", "2d", "2s"), 1250),
    ],
)
def test_a_point_count_of_five_is_paid_half_whatever_the_dealer_shows(example, dealer, profit):
    cards = [f"dealer.card{place}={card}" for place, card in enumerate(dealer, 1)]
    free = [] if "Kd" not in dealer else ["2.card2=Kh"]
    difference = supposing(example, "1.card2=3c", *cards, *free)
    assert money(difference)[1, ANTE] == (2500, profit)


def test_a_changed_ante_is_settled_at_its_own_amount_and_the_bonus_may_be_taken_away(example):
    difference = supposing(example, "1.wager.ante=50.00", "1.wager.bonus=0")
    assert money(difference) == {
        (1, ANTE): (2500, 5000), (1, BONUS): (-500, 0), (2, ANTE): (-1000, -1000),
        (1, POT): (1000, 1000), (2, POT): (-1000, -1000),
    }
    gone = next(line for line in difference.lines if line.kind == BONUS)
    assert gone.would_be is None
    assert difference.first.of.decision.body == "request_answered"


def test_a_wager_that_was_never_made_is_put_down_before_the_close(example):
    """The dealer's poker hand does not matter; K, K, 9, 9 is two pair, which pays 3 to 1."""
    difference = supposing(example, "2.wager.bonus=200")
    assert money(difference)[2, BONUS] == (0, 600)
    assert difference.answers[0].was is None


def test_under_qualifiers_the_pot_goes_to_the_hand_that_qualifies():
    """4, 4, K | 5, 9 has no three cards of 10, 20 or 30; T, T, T | 2, 3 has, and shows 5."""
    table = Table(SAIGON)
    table.open((1, 2), pot=1000)
    for position in (1, 2):
        table.wager(position, ante=1000, pot=1000)
    table.no_more_bets()
    table.deal("4c 4d Kh 5c 4s", "Tc Td Th 2s 3d", "Qc Qd Qh 2h 2d")
    table.set(1, "4c 4d Kh", "5c 4s")
    table.set(2, "Tc Td Th", "2s 3d")
    table.expose()
    table.close_round()
    difference = supposing(played_at(table), "pot_eligibility=qualifiers")
    assert money(difference) == {
        (1, ANTE): (-1000, -1000), (2, ANTE): (500, 500),
        (1, POT): (1000, -1000), (2, POT): (-1000, 1000),
    }
    assert difference.first.of.decision.body == "payout_due"
    assert difference.moved == 4000


@pytest.fixture
def hi_lo():
    """Position 1: 8, 5, J | 9, A against T, 6, 5 | 9, 8: 23 is a busted high hand, foul.

    Position 4: 6, 6 and nothing else; its Poker Bonus is 3.00.
    """
    table = Table(HI_LO)
    table.open((1, 4))
    table.wager(1, ante=1000, tie=200)
    table.wager(4, ante=1000, poker_bonus=300)
    table.no_more_bets()
    table.deal("8c 5c Jc 9c Ac", "6c 6d 2h Td 3s", "Ts 6s 5s 9s 8s")
    table.set(1, "8c 5c Jc", "9c Ac")
    table.set(4, "6c 6d 2h", "Td 3s")
    table.expose("Ts 6s 5s", "9s 8s")
    table.close_round()
    return played_at(table)


def test_under_table_b_a_pair_of_sixes_loses(hi_lo):
    """As 663a.7(e)(2) has it: 6s or better under one table, 7s or better under the other."""
    difference = supposing(hi_lo, "poker_bonus_table.lowest_pair=7")
    assert money(difference)[4, POKER] == (300, -300)
    assert [line.difference for line in difference.lines if not line.same] == [-600]


def test_a_foul_hand_set_again_and_a_pay_table_entry_by_name(hi_lo):
    """Set 5, 8, A of 8, 5, J, 9, A as it was, foul, Ante and Tie lose (foul_hand=lose)."""
    assert money(supposing(hi_lo))[1, ANTE] == (-1000, -1000)
    as_others = supposing(hi_lo, "1.high=Jc,Ac,9c")  # 10 + 9 + 1 = 20, low 8 + 5 = 13
    # The dealer's 21 and 17: both lose.
    assert money(as_others)[1, ANTE] == (-1000, -1000)
    assert money(as_others)[1, TIE] == (-200, -200)
    tied = supposing(hi_lo, "1.high=Jc,Ac,9c", "1.card1=7d", "1.card2=Kd", "1.low=7d,Kd")
    # 7 and 10 are 17, as the dealer's 9 and 8: one tie, at 1 to 1, or what the table says.
    assert money(tied)[1, TIE] == (-200, 200)
    better = supposing(hi_lo, "1.high=Jc,Ac,9c", "1.card1=7d", "1.card2=Kd", "1.low=7d,Kd",
                       "tie_pay_table.one_hand=3:1")
    assert money(better)[1, TIE] == (-200, 600)


def test_a_card_that_another_hand_holds_makes_the_deal_irregular_and_that_is_shown(example):
    difference = supposing(example, "2.card1=Jk")
    assert (difference.was.state, difference.would_be.state) == ("settled", "irregular")
    assert not difference.comparable
    assert difference.lines == ()
    (breach,) = difference.would_be.irregular.breaches
    assert (breach.ordinal, breach.card) == (2, 53)


def test_a_set_follows_a_card_and_stays_where_it_was(example):
    rules_say = supposing(example, "1.card2=9c")
    assert money(rules_say)[1, ANTE] == (2500, -2500)  # 9 and 2 show 1
    by_rule = supposing(example, "1.card2=9c", "1.set=rule")
    # joker, 9, 2 are 20 with a 9; 6 and 5 show 1; joker, 5, 6 | 9, 2: 1; joker, 9, 5 (6: 20) | 6, 2
    assert money(by_rule)[1, ANTE] == (2500, 2500)


def test_a_console_closes_whatever_revision_is_due():
    """Closed as revision 3, after an early exposure was ruled to stand; set in time, it is 1."""
    played = played_at(ROUNDS["hi_lo_foul_hand_and_a_hand_nobody_set"]())
    difference = supposing(played, "3.high=9c,4h,5s", "3.low=9d,As", "deal.ruled=false")
    assert difference.would_be.state == "settled"
    assert difference.would_be.booked.revision == 1


def test_a_void_may_be_taken_back_and_ordered():
    played = played_at(ROUNDS["saigon_void_after_the_payout"]())
    back = supposing(played, "round.void=false")
    assert (back.was.state, back.would_be.state) == ("voided", "due")
    forth = supposing(played_at(ROUNDS["saigon_example_of_the_regulation"]()), "2.void=true")
    assert money(forth)[2, ANTE] == (-1000, 0)
    assert money(forth)[2, POT] == (-1000, 0)


def test_another_reading_of_a_player_who_left():
    played = played_at(ROUNDS["saigon_dead_hand_and_abandoned_hand"]())
    assert money(supposing(played, "2.abandoned=returned"))[2, ANTE] == (-1500, 0)


def test_posted_limits_refuse_what_is_above_them(example):
    difference = supposing(example, "posted.bonus.max=400", "posted.bonus.min=100")
    assert money(difference)[1, BONUS] == (-500, 0)
    assert difference.answers[0].would_be.record.request_answered.answers[1].limit_minor == 400


@pytest.mark.parametrize(
    ("sets", "line"),
    [
        (["9.card1=As"], "9.card1: no such name; near it: "),
        (["1.card2=1x"], "1.card2: '1x' is no card"),
        (["1.wager.ante=-5"], "1.wager.ante: '-5' is no amount"),
        (["1.wager.ante=5.0"], "1.wager.ante: 5.0: USD has 2 decimal places"),
        (["3.wager.ante=500"], "3.wager.ante: nobody is seated at position 3"),
        (["3.card1=As"], "3.card1: no hand was dealt there"),
        (["1.two=8c,Kc"], "1.two: Kc is none of the hand's: Jk 8c 6d 5s 2h"),
        (["1.three=8c,2h"], "1.three: found 2 cards; 3 are needed"),
        (["deal.50=As"], "deal.50: no card 50 was dealt"),
        (["1.abandoned=losing"], "1.abandoned: no supervisor ruled on position 1"),
        (["1.set=best"], "1.set: found 'best'; allowed: rule"),
        (["posted.ante.max=9000000"], "posted.ante: found 500 to 9000000; allowed: a range within"),
        (["pot_eligibility=some"], 'pot.pot_eligibility: found "some"; allowed: "all"'),
        (["pot_eligibilty=all"], "pot_eligibilty: no such name; near it: pot_eligibility"),
        (["1.card2"], "1.card2: write it as NAME=VALUE"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(example, sets, line):
    with pytest.raises(CannotBe) as problem:
        supposing(example, *sets)
    assert str(problem.value).startswith(line)
    assert "\n" not in str(problem.value)


def test_every_setting_as_it_is_changes_nothing_and_whoever_said_it_says_it_still(example, hi_lo):
    """A vendor's odds that are not changed are no ruling of the house, beside one that is."""
    for played in (example, hi_lo):
        sets = []
        message = compile_rules(played.opened.round_opened.submission).submission
        for name, said in to_settings(message).items():
            value = said["value"]
            entries = value.items() if isinstance(value, dict) else [("", value)]
            sets += [
                f"{name}{'.' if key else ''}{key}={json.dumps(one)}" for key, one in entries
            ]
        rules, _ = read(played, *sets)
        assert len(sets) > 30
        assert rules.opening(played.facts[0]) is played.facts[0]
    difference = supposing(example, "ante_odds=1:1", "payout_rounding=up")
    assert all(line.same for line in difference.lines)
