"""Saigon 5 Card: every hand and every pair of hands, against published counts."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest

from pitledger.cards import JOKER
from pitledger.games import hands as h
from pitledger.games.game import Circle
from pitledger.pb import decisions_pb2 as d
from pitledger.pb import money_pb2 as m
from pitledger.pb import rules_pb2 as r
from tests.exhaustive.pairs import hands_of, pairs_by_result
from tests.unit.games.submissions import saigon

ALL_HANDS = 2_869_685
ALL_PAIRS = 4_913_773_104_240

# Ace, 2 to 9, ten-point cards, joker; a card of each, to ask the rules about.
CLASSES = (4,) * 9 + (16, 1)
SAMPLES = (*([n, n + 13, n + 26, n + 39] for n in range(1, 10)), [10, 11, 12, 13, 23], [JOKER])


@pytest.fixture(scope="module")
def rules():
    return saigon()


@pytest.fixture(scope="module")
def every_hand(rules):
    """How many of all real hands are so: (qualifies, Point Count), and poker category."""
    worths, categories = Counter(), Counter()
    for cards in combinations(range(1, 54), 5):
        hand = rules.evaluate(1, cards, None)
        worths[hand.qualifies, hand.point_count] += 1
        categories[hand.poker] += 1
    return worths, categories


def test_every_hand_of_the_deck_shows_the_published_point_count(every_hand):
    worths, _ = every_hand
    qualified = [worths[True, count] for count in range(1, 11)]
    assert sum(worths.values()) == ALL_HANDS
    assert qualified == [172_352, 176_856, 179_352, 175_710, 192_112, 181_184, 197_208, 219_552,
                         229_084, 246_608]
    assert [worths[False, count] for count in range(1, 11)] == [
        0, 20, 328, 1_172, 4_000, 8_460, 19_713, 52_381, 177_782, 635_811]
    assert ALL_HANDS - sum(qualified) == 899_667


def test_every_hand_of_the_deck_has_the_published_poker_frequency(every_hand):
    _, found = every_hand
    assert found == {
        r.POKER_CATEGORY_FIVE_ACES: 1, r.POKER_CATEGORY_ROYAL_FLUSH: 24,
        r.POKER_CATEGORY_STRAIGHT_FLUSH: 180, r.POKER_CATEGORY_FOUR_OF_A_KIND: 828,
        r.POKER_CATEGORY_FULL_HOUSE: 4_368, r.POKER_CATEGORY_FLUSH: 7_804,
        r.POKER_CATEGORY_STRAIGHT: 20_532, r.POKER_CATEGORY_THREE_OF_A_KIND: 63_360,
        r.POKER_CATEGORY_TWO_PAIR: 138_600, r.POKER_CATEGORY_PAIR: 1_215_024,
        r.POKER_CATEGORY_HIGH_CARD: 1_418_964,
    }


def test_the_bonus_expectation_of_the_default_pay_table_is_exact(rules, every_hand):
    _, found = every_hand
    circle, profit = Circle(1, m.WAGER_KIND_BONUS, 1), 0
    some = rules.evaluate(1, (1, 2, 3, 4, 5), None)
    for category, number in found.items():
        hand = replace(some, poker=category)
        profit += number * rules.settle([circle], {1: hand}, some, {}).lines[0].profit
    assert Fraction(profit, ALL_HANDS) == Fraction(-276_928, ALL_HANDS)


@pytest.fixture(scope="module")
def pairs(rules):
    """Pairs by worth of player and dealer, and a hand of each worth as the rules evaluate it."""
    classes = list(hands_of(CLASSES))
    worths, example = [], {}
    for hand, _ in classes:
        cards = tuple(card for sample, n in zip(SAMPLES, hand, strict=True) for card in sample[:n])
        judged = rules.evaluate(1, cards, None)
        worth = judged.qualifies * 11 + judged.point_count
        worths.append(worth)
        example.setdefault(worth, judged)
    return pairs_by_result(CLASSES, [hand for hand, _ in classes], worths, 22), example


@pytest.fixture(scope="module")
def antes(rules, pairs):
    """Pairs by reason of the Ante's line and whether it paid half; the profit on 2, summed."""
    table, example = pairs
    events, profit = Counter(), 0
    for own, hand in example.items():
        for other, dealer in example.items():
            ante = Circle(1, m.WAGER_KIND_ANTE, 2)
            line = rules.settle([ante], {1: hand}, dealer, {}).lines[0]
            events[line.reason, bool(line.odds) and line.odds.stake == 2] += table[own][other]
            profit += line.profit * table[own][other]
    return events, profit


def test_all_pairs_settle_the_ante_as_published(antes):
    events, _ = antes
    assert sum(events.values()) == ALL_PAIRS
    assert events == {
        (d.LINE_REASON_NEITHER_QUALIFIES, False): 481_649_866_016,
        (d.LINE_REASON_ONLY_PLAYER_QUALIFIES, False): 955_981_947_808,
        (d.LINE_REASON_ONLY_PLAYER_QUALIFIES, True): 102_871_588_944,
        (d.LINE_REASON_ONLY_DEALER_QUALIFIES, False): 1_058_853_536_752,
        (d.LINE_REASON_DEALER_LOWER, False): 960_898_397_416,
        (d.LINE_REASON_DEALER_LOWER, True): 80_662_143_648,
        (d.LINE_REASON_DEALER_HIGHER, False): 1_041_560_541_064,
        (d.LINE_REASON_EQUAL, False): 231_295_082_592,
    }


def test_the_antes_expectation_is_the_published_one(antes):
    _, profit = antes
    won = 955_981_947_808 + 960_898_397_416
    half = 102_871_588_944 + 80_662_143_648
    lost = 1_058_853_536_752 + 1_041_560_541_064
    assert profit == 2 * won + half - 2 * lost
    expectation = Fraction(profit, 2 * ALL_PAIRS)
    assert abs(expectation - Fraction("-0.018675438273048493")) < Fraction(1, 10**17)


def test_without_a_joker_every_legal_split_of_a_qualifying_hand_shows_the_same_count(rules):
    for hand, _ in hands_of(CLASSES[:-1]):
        cards = [card for sample, n in zip(SAMPLES, hand, strict=False) for card in sample[:n]]
        way = rules._evaluator.way(h.tally(cards))
        assert way.forced == bool(way.first.worth)


def test_with_a_joker_so_many_hands_can_show_different_counts(rules):
    ways = {hand: rules._evaluator.way(h.tally(
        [card for sample, n in zip(SAMPLES, hand, strict=True) for card in sample[:n]]
    )) for hand, _ in hands_of(CLASSES)}
    open_hands = sum(
        number for hand, number in hands_of(CLASSES)
        if ways[hand].first.worth and not ways[hand].forced
    )
    assert open_hands == 124_300
