"""Five Card Hi-Lo: totals, the house way, foul hands."""

import random
from itertools import combinations, permutations

import pytest

from pitledger.cards import DECK_52, FOREIGN, JOKER, rank
from pitledger.pb import decisions_pb2 as d
from tests.unit.games.submissions import hi_lo, high_first
from tests.unit.games.table import cards, hand, split

RULES = hi_lo()
BASE = ("card_points", "high_hand_cards=3", "high_hand_cap=21")


@pytest.mark.parametrize(("text", "high", "low"), [
    ("Ks 9s 2s | 4c 5d", 21, 9),
    ("As 9s Ad | Ac 5d", 21, 16),  # 11 + 9 + 1; 11 + 5
    ("As Ks Qd | Ac Kd", 21, 21),
    ("As 2s 3d | Ac Ad", 16, 12),
    ("As Ks 2d | 2c 3d", 13, 5),  # 11 would go over 21
    ("Ks Qs 2d | 2c 3d", 22, 5),
])
def test_totals_count_one_ace_high_while_it_does_not_bust(text, high, low):
    judged = hand(RULES, 1, text)
    assert (judged.first_total, judged.second_total) == (high, low)
    assert judged.busted == (high > 21)


def test_without_a_cap_the_ace_is_always_high_and_nothing_busts():
    judged = hand(hi_lo(high_hand_cap=0), 1, "As Ks Qd | Ac Kd")
    assert (judged.first_total, judged.busted) == (31, False)


def test_where_the_lower_low_hand_wins_its_ace_is_low():
    judged = hand(hi_lo(low_hand_wins="lower"), 1, "Ks 9s 2s | Ac 5d")
    assert judged.second_total == 6


def test_the_low_hands_ace_is_low_above_its_own_cap():
    judged = hand(hi_lo(low_hand_ace_cap=15), 1, "Ks 9s 2s | Ac 5d")
    assert judged.second_total == 6


@pytest.mark.parametrize(("way", "expected"), [
    ("scored", "6s 7h 8d | 2s 3c"),
    ("high_first", "6s 7h 8d | 2s 3c"),
    ("low_first", "2s 3c 6s | 7h 8d"),
])
def test_a_hand_is_set_the_house_way(way, expected):
    judged = hand(hi_lo(house_way=way), 1, "8d 2s 7h 3c 6s")
    assert judged.split == split(expected)
    assert judged.set_by == d.SET_BY_RULE
    assert judged.rulings == (*BASE, "unset_hand=house_way", f"house_way={way}")


@pytest.mark.parametrize(("text", "high", "low"), [
    ("Kd Ks 9h 2c 5d", 21, 15),  # 22 + 7; 17 and 19: 7 + 11; 16 and 20: 6 + 14
    ("Kd Ks 8h 4c 3d", 21, 14),  # 22 + 6; 15 and 20: 6 + 14
    ("Kd Ks 6h 4c 3d", 13, 20),  # 3 + 14; 20 and 13: 11 + 5
])
def test_scored_weighs_the_high_hand_against_the_low(text, high, low):
    judged = hand(RULES, 1, text)
    assert (judged.first_total, judged.second_total) == (high, low)


def test_high_first_takes_the_highest_high():
    judged = hand(high_first(), 1, "Kd Ks 6h 4c 3d")
    assert (judged.first_total, judged.second_total) == (20, 13)


@pytest.mark.parametrize("way", ["scored", "high_first", "low_first"])
def test_a_hand_with_a_valid_high_is_never_set_busted(way):
    judged = hand(hi_lo(house_way=way), 0, "Kd Ks Kc Kh Ac")
    assert (judged.busted, judged.first_total, judged.second_total) == (False, 21, 20)
    assert judged.rulings == (*BASE, f"house_way={way}")


@pytest.mark.parametrize("way", ["scored", "high_first", "low_first"])
def test_a_hand_without_a_valid_high_is_busted_and_its_low_is_best(way):
    judged = hand(hi_lo(house_way=way), 1, "Kd Ks 9c 8h 7c")
    assert (judged.busted, judged.foul, judged.second_total) == (True, False, 20)


@pytest.mark.parametrize("last", [[[21, 22]], [[21, 22], [24, 0], [31, 90]]])
def test_a_busted_high_scores_nothing_whatever_the_table_says_above_the_cap(last):
    # 25 with 19 against 27 with 17: the low hand decides.
    judged = hand(hi_lo(high_scores=last), 1, "Kd Ks 9c 8h 7c")
    assert (judged.busted, judged.second_total) == (True, 20)


def test_where_the_lower_low_wins_the_house_sets_it_low():
    judged = hand(hi_lo(house_way="low_first", low_hand_wins="lower"), 1, "8d 2s 7h 3c 6s")
    assert judged.split == split("6s 7h 8d | 2s 3c")


class TestFoulHand:
    FOUL = "Kd Ks 6h | 4c 3d"

    def test_it_stands_as_set_and_is_foul(self):
        judged = hand(RULES, 1, self.FOUL)
        assert (judged.foul, judged.busted, judged.first_total) == (True, True, 26)
        assert judged.set_by == d.SET_BY_PLAYER
        assert judged.rulings == (*BASE, "foul_hand=lose")

    def test_or_it_is_set_again_the_house_way(self):
        judged = hand(hi_lo(foul_hand="house_way"), 1, self.FOUL)
        assert (judged.foul, judged.busted) == (False, False)
        assert (judged.first_total, judged.second_total) == (13, 20)
        assert judged.set_by == d.SET_BY_CORRECTION
        assert judged.rulings == (*BASE, "foul_hand=house_way", "house_way=scored")

    @pytest.mark.parametrize("choice", ["lose", "house_way"])
    def test_a_hand_that_must_bust_is_not_foul(self, choice):
        judged = hand(hi_lo(foul_hand=choice), 1, "Kd Ks 9c | 8h 7c")
        assert (judged.foul, judged.busted, judged.second_total) == (False, True, 15)
        assert judged.rulings == BASE


def test_a_player_sets_as_he_likes():
    judged = hand(RULES, 1, "8d 2s 7h | 3c 6s")
    assert (judged.first_total, judged.second_total, judged.rulings) == (17, 9, BASE)
    assert judged.set_by == d.SET_BY_PLAYER


def test_a_dealer_who_sets_another_way_is_corrected():
    judged = hand(RULES, 0, "8d 2s 7h | 3c 6s")
    assert (judged.split, judged.set_by) == (split("6s 7h 8d | 2s 3c"), d.SET_BY_CORRECTION)
    judged = hand(RULES, 0, "8d 6s 7h | 3c 2s")
    assert (judged.split, judged.set_by) == (split("8d 6s 7h | 3c 2s"), d.SET_BY_PLAYER)


@pytest.mark.parametrize("high_cards", [1, 2, 3, 4])
def test_the_number_of_cards_in_the_high_hand_is_the_houses(high_cards):
    steps = [[55, 1]]
    rules = hi_lo(high_hand_cards=high_cards, high_scores=steps, low_scores=steps)
    assert rules.split_sizes == (high_cards, 5 - high_cards)
    judged = hand(rules, 1, "8d 2s 7h 3c 6s")
    assert len(judged.split.first) == high_cards
    assert f"high_hand_cards={high_cards}" in judged.rulings


def test_the_split_does_not_depend_on_the_order_of_the_deal():
    for text in ("Kd Ks Qh Jc Td", "5d 5s 5h 5c Ad", "Kd Ks 9c 8h 7c"):
        orders = permutations(cards(text))
        assert len({RULES.evaluate(1, order, None).split for order in orders}) == 1


def test_a_joker_and_foreign_cards_count_nothing():
    judged = RULES.evaluate(1, (JOKER, FOREIGN, *cards("Ks 9d 5c")), None)
    assert judged.first_total + judged.second_total == 24
    assert (judged.joker_points, judged.joker_in_poker) == (0, False)


def test_a_slow_second_opinion_agrees_on_random_hands():
    deck = sorted(DECK_52)
    chance = random.Random(13)
    scored, first = hi_lo(), high_first()
    for _ in range(1500):
        dealt = tuple(chance.sample(deck, 5))
        for rules, key in ((scored, _scored), (first, lambda high, low: (high, low))):
            judged = rules.evaluate(0, dealt, None)
            high = 0 if judged.busted else judged.first_total
            assert (high, judged.second_total) == _slowly(dealt, key), dealt


def _slowly(dealt, key):
    """All splits; a busted high is 0."""
    found = []
    for low in combinations(dealt, 2):
        high = [card for card in dealt if card not in low]
        found.append((max([t for t in _totals(high) if t <= 21], default=0), max(_totals(low))))
    if any(high for high, _ in found):
        found = [(high, low) for high, low in found if high]
    return max(found, key=lambda totals: key(*totals))


def _totals(some):
    hard = sum(min(rank(card), 10) for card in some)
    soft = hard + 10
    return {hard, soft} if any(rank(card) == 1 for card in some) and soft <= 21 else {hard}


def _scored(high, low):
    highs = "0 2 2 2 2 2 2 2 2 3 3 3 4 4 5 6 6 7 8 9 11 22"
    lows = "0 0 0 0 0 0 0 1 1 2 2 3 4 5 6 7 8 9 9 11 14 30"
    return int(highs.split()[high]) + int(lows.split()[low]), high, low
