"""Saigon 5 Card: how a hand is set and judged."""

import random
from itertools import combinations, permutations, product

import pytest

from pitledger.cards import DECK_53, FOREIGN, JOKER, rank
from pitledger.games.saigon5 import point_count
from pitledger.pb import decisions_pb2 as d
from tests.unit.games.submissions import saigon
from tests.unit.games.table import cards, hand, split

RULES = saigon()


def test_the_point_count_is_the_last_digit_and_a_nought_is_ten():
    assert [point_count(total) for total in range(2, 21)] == [
        2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_the_regulations_example_shows_a_point_count_of_ten():
    judged = hand(RULES, 1, "Jk 8c 6d 5s 2h")
    assert judged.split == split("5s 6d Jk | 2h 8c")
    assert (judged.qualifies, judged.first_total, judged.joker_points) == (True, 20, 9)
    assert (judged.second_total, judged.point_count) == (10, 10)


@pytest.mark.parametrize(("text", "joker", "count"), [
    ("Jk 6d 5s | 8c 2h", 9, 10),
    ("Jk 8c 6d | 5s 2h", 6, 7),
    ("Jk 5s 2h | 8c 6d", 3, 4),
])
def test_the_same_cards_can_legally_show_less_and_stand_as_set(text, joker, count):
    judged = hand(RULES, 1, text)
    assert judged.set_by == d.SET_BY_PLAYER
    assert (judged.joker_points, judged.point_count) == (joker, count)
    assert judged.rulings == (() if count == 10 else ("player_split=as_set",))


def test_a_joker_in_the_two_card_hand_counts_what_shows_best():
    judged = hand(RULES, 1, "Ks Qs Js | Jk 4c")
    assert (judged.second_total, judged.joker_points, judged.point_count) == (10, 6, 10)
    judged = hand(RULES, 1, "Ks Qs Js | Jk 5c")
    assert (judged.second_total, judged.joker_points, judged.point_count) == (8, 3, 8)


def test_a_joker_in_three_cards_that_cannot_qualify_counts_most():
    judged = hand(saigon(misset_hand="as_set"), 1, "Jk 4c 4d | 2h 3s")
    assert (judged.first_total, judged.joker_points, judged.qualifies) == (17, 9, False)


def test_a_hand_not_set_is_set_for_its_highest_count_also_if_it_does_not_qualify():
    judged = hand(RULES, 1, "2c 2d 3h 8s 8d")
    assert (judged.qualifies, judged.point_count) == (False, 10)
    assert judged.set_by == d.SET_BY_RULE
    assert judged.rulings == ("player_split=as_set",)


def test_a_hand_with_but_one_way_to_be_set_uses_no_ruling():
    assert hand(RULES, 1, "Ks Qs Js 4c 5d").rulings == ()


class TestMissetHand:
    TEXT = "Ks Qs 4c | Js 5d"  # K, Q, J qualify and leave a 9

    def test_cards_speak(self):
        judged = hand(RULES, 1, self.TEXT)
        assert (judged.qualifies, judged.point_count, judged.misset) == (True, 9, False)
        assert judged.set_by == d.SET_BY_CORRECTION
        assert judged.rulings == ("player_split=as_set", "misset_hand=cards_speak")

    @pytest.mark.parametrize("choice", ["as_set", "lose"])
    def test_it_is_judged_as_set(self, choice):
        judged = hand(saigon(misset_hand=choice), 1, self.TEXT)
        assert (judged.qualifies, judged.point_count, judged.misset) == (False, 5, True)
        assert judged.set_by == d.SET_BY_PLAYER
        assert judged.split == split(self.TEXT)
        assert judged.rulings == ("player_split=as_set", f"misset_hand={choice}")

    @pytest.mark.parametrize("choice", ["cards_speak", "as_set", "lose"])
    def test_it_does_not_exist_where_every_hand_is_set_for_its_best(self, choice):
        judged = hand(saigon(player_split="best", misset_hand=choice), 1, self.TEXT)
        assert (judged.qualifies, judged.point_count, judged.misset) == (True, 9, False)
        assert judged.set_by == d.SET_BY_CORRECTION
        assert judged.rulings == ("player_split=best",)  # it put the set aside


def test_player_split_best_corrects_a_lower_count():
    judged = hand(saigon(player_split="best"), 1, "Jk 8c 6d | 5s 2h")
    assert (judged.point_count, judged.set_by) == (10, d.SET_BY_CORRECTION)
    assert judged.rulings == ("player_split=best",)


def test_player_split_best_keeps_an_equal_count_as_set():
    judged = hand(saigon(player_split="best"), 1, "Jk 6d 5s | 8c 2h")
    assert (judged.set_by, judged.split) == (d.SET_BY_PLAYER, split("Jk 6d 5s | 8c 2h"))


def test_a_dealer_who_exposes_another_split_is_corrected():
    judged = hand(RULES, 0, "Jk 8c 6d | 5s 2h")
    assert (judged.point_count, judged.set_by) == (10, d.SET_BY_CORRECTION)
    assert judged.rulings == ("dealer_split=best",)
    assert hand(RULES, 0, "Jk 6d 5s | 8c 2h").set_by == d.SET_BY_PLAYER


def test_points_that_the_house_rules_are_named():
    rules = saigon(card_points={"ace": 1, "face": 5}, joker_points=[2, 4])
    assert hand(rules, 1, "Ks Qs Ac 4c 5d").rulings[:1] == ("card_points",)
    judged = hand(rules, 1, "Ks Qs Tc | Jk 4c")
    assert (judged.first_total, judged.second_total, judged.joker_points) == (20, 8, 4)
    assert judged.rulings == ("card_points", "joker_points")


def test_the_split_does_not_depend_on_the_order_of_the_deal():
    for text in ("Jk 8c 6d 5s 2h", "Ks Kc Kd Kh 5d", "2c 2d 3h 8s 8d", "5c 5d 5h 5s Tc"):
        orders = permutations(cards(text))
        assert len({RULES.evaluate(1, order, None).split for order in orders}) == 1


def test_equal_splits_are_told_apart_by_rank_then_suit():
    judged = hand(RULES, 1, "Ks Kc Qd Jh 5d")
    assert judged.split == split("Qd Kc Ks | 5d Jh")


def test_a_joker_and_cards_that_repeat_are_judged_all_the_same():
    judged = hand(RULES, 1, "Jk Jk 4c 4c 4c")
    assert (judged.qualifies, judged.joker_points, judged.point_count) == (True, 6, 8)
    foreign = RULES.evaluate(1, (FOREIGN, *cards("Ks Qs 4c 5d")), None)
    assert (foreign.qualifies, foreign.first_total, foreign.point_count) == (True, 20, 9)


def test_a_slow_second_opinion_agrees_on_random_hands():
    deck = sorted(DECK_53)
    chance = random.Random(11)
    for number in range(1500):
        dealt = tuple(chance.sample(deck, 5))
        if number % 3 == 0 and JOKER not in dealt:
            dealt = (JOKER, *dealt[1:])
        judged = RULES.evaluate(1, dealt, None)
        assert (judged.qualifies, judged.point_count) == _slowly(dealt), dealt
        assert sorted(judged.split.first + judged.split.second) == sorted(dealt)
        again = RULES.evaluate(1, dealt, judged.split)
        assert (again.first_total, again.second_total) == (
            judged.first_total, judged.second_total)


def _slowly(dealt):
    """Try all splits and all joker values."""
    found = []
    for two in combinations(dealt, 2):
        three = [card for card in dealt if card not in two]
        qualifies = any(total in (10, 20, 30) for total in _totals(three))
        count = max(10 if total % 10 == 0 else total % 10 for total in _totals(two))
        found.append((qualifies, count))
    return max(found)


def _totals(some):
    values = [(3, 6, 9) if card == JOKER else (min(rank(card), 10),) for card in some]
    return [sum(picked) for picked in product(*values)]
