"""Five Card Hi-Lo: every hand and every pair of hands, against independently derived counts."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from pitledger.games.game import Circle, Split
from pitledger.games.poker import rank_hand
from pitledger.pb import decisions_pb2 as d
from pitledger.pb import money_pb2 as m
from pitledger.pb import rules_pb2 as r
from tests.exhaustive.pairs import hands_of, pairs_by_result, ways_by_player
from tests.unit.games.submissions import hi_lo, high_first

ALL_HANDS = 2_598_960
ALL_PAIRS = 3_986_646_103_440

CLASSES = (4,) * 9 + (16,)
SAMPLES = (*([n, n + 13, n + 26, n + 39] for n in range(1, 10)), [10, 11, 12, 13, 23])



def _cards(hand):
    return tuple(card for sample, n in zip(SAMPLES, hand, strict=True) for card in sample[:n])


TOTALS = ["busted", *range(21, 5, -1)]
HIGH_TOTALS = {
    "scored": [259_696, 1_095_764, 313_528, 140_216, 121_376, 111_108, 97_264, 97_620, 72_968,
               52_164, 72_852, 46_768, 42_036, 41_756, 16_060, 14_260, 3_524],
    "high_first": [259_696, 1_418_484, 474_520, 210_728, 103_864, 63_876, 35_628, 19_388, 7_996,
                   2_372, 1_320, 656, 304, 96, 28, 4, 0],
}
WIN_WIN, WIN_TIE, WIN_LOSE, TIE_WIN, TIE_TIE, TIE_LOSE, LOSE_WIN, LOSE_TIE, LOSE_LOSE = range(
    d.LINE_REASON_WIN_WIN, d.LINE_REASON_LOSE_LOSE + 1)
ANTE = {
    "scored": (373_135_426_272, 202_432_911_248, 1_000_387_878_612, 372_174_511_016,
               90_384_649_144),
    "high_first": (469_654_595_844, 92_832_855_120, 744_496_098_420, 630_142_191_788,
                   112_394_621_096),
}
TIE = {
    "scored": (2_747_046_609_768, 1_149_214_844_528, 90_384_649_144),
    "high_first": (2_428_301_388_528, 1_445_950_093_816, 112_394_621_096),
}


@pytest.fixture(scope="module", params=["scored", "high_first"])
def way(request):
    return request.param


@pytest.fixture(scope="module")
def rules(way):
    return hi_lo() if way == "scored" else high_first()


def test_every_hand_of_the_deck_has_the_derived_high_total(way, rules):
    found = Counter()
    for cards in combinations(range(1, 53), 5):
        hand = rules.evaluate(1, cards, None)
        found["busted" if hand.busted else hand.first_total] += 1
    assert sum(found.values()) == ALL_HANDS
    assert [found[total] for total in TOTALS] == HIGH_TOTALS[way]


@pytest.fixture(scope="module")
def settled(rules):
    """Pairs by the reason of the Ante's and of the Tie's line, and the Ante's profit on 1."""
    classes = [hand for hand, _ in hands_of(CLASSES)]
    number, results, example = {}, [], []
    for hand in classes:
        judged = rules.evaluate(1, _cards(hand), None)
        key = (0 if judged.busted else judged.first_total, judged.second_total)
        if key not in number:
            number[key] = len(example)
            example.append(judged)
        results.append(number[key])
    table = pairs_by_result(CLASSES, classes, results, len(example))
    circles = [Circle(1, m.WAGER_KIND_ANTE, 1), Circle(1, m.WAGER_KIND_TIE, 1)]
    antes, ties, profit = Counter(), Counter(), 0
    for own, hand in enumerate(example):
        for other, dealer in enumerate(example):
            ante, tie = rules.settle(circles, {1: hand}, dealer, {}).lines
            antes[ante.reason] += table[own][other]
            ties[tie.reason] += table[own][other]
            profit += ante.profit * table[own][other]
    return antes, ties, profit


def test_all_pairs_settle_ante_and_tie_as_derived(way, settled):
    antes, ties, _ = settled
    assert sum(antes.values()) == sum(ties.values()) == ALL_PAIRS
    given = (WIN_WIN, WIN_TIE, WIN_LOSE, TIE_WIN, TIE_TIE)
    assert tuple(antes[reason] for reason in given) == ANTE[way]
    mirrored = {LOSE_LOSE: WIN_WIN, LOSE_TIE: WIN_TIE, LOSE_WIN: WIN_LOSE, TIE_LOSE: TIE_WIN}
    for reason, image in mirrored.items():
        assert antes[reason] == antes[image]
    kinds = (d.LINE_REASON_NO_TIE, d.LINE_REASON_ONE_TIE, d.LINE_REASON_BOTH_TIE)
    assert tuple(ties[kind] for kind in kinds) == TIE[way]


def test_the_antes_expectation_is_exact(way, settled):
    _, _, profit = settled
    if way == "scored":
        assert profit == -90_384_649_144
        expected = Fraction("-0.022671851676528")
        assert abs(Fraction(profit, ALL_PAIRS) - expected) < Fraction(1, 10**15)
    else:
        win_win, win_tie, _, tie_win, tie_tie = ANTE[way]
        assert profit == win_win - win_win - tie_tie - win_tie - tie_win
        assert abs(Fraction(profit, ALL_PAIRS) - Fraction("-0.2095420")) < Fraction(1, 10**7)


def test_the_best_strategy_of_the_player_keeps_the_house_ahead(way, rules):
    """For each hand of the player the split that wins most against all hands of the dealer."""
    classes = [hand for hand, _ in hands_of(CLASSES)]
    dealers, results = [], []
    number = {}
    for hand in classes:
        judged = rules.evaluate(0, _cards(hand), None)
        key = (judged.busted, judged.first_total * (not judged.busted), judged.second_total)
        if key not in number:
            number[key] = len(dealers)
            dealers.append(judged)
        results.append(number[key])
    table = ways_by_player(CLASSES, classes, results, len(dealers))
    ante, paid = Circle(1, m.WAGER_KIND_ANTE, 1), {}
    total = 0
    for hand, ways in zip(classes, table, strict=True):
        best = None
        for low in combinations(range(5), 2):
            cards = _cards(hand)
            split = Split(tuple(cards[i] for i in range(5) if i not in low),
                          tuple(cards[i] for i in low))
            judged = rules.evaluate(1, cards, split)
            key = (judged.foul, judged.busted, judged.first_total, judged.second_total)
            if key not in paid:
                paid[key] = np.array([
                    rules.settle([ante], {1: judged}, dealer, {}).lines[0].profit
                    for dealer in dealers
                ], dtype=np.int64)
            won = int(paid[key] @ ways)
            best = won if best is None else max(best, won)
        total += best
    if way == "high_first":
        assert total == -321_952_884_316
    else:
        assert abs(Fraction(total, ALL_PAIRS) - Fraction("-0.0220")) < Fraction(1, 10**4)


@pytest.fixture(scope="module")
def poker_hands():
    return Counter(map(rank_hand, combinations(range(1, 53), 5)))


@pytest.mark.parametrize(("table", "winners", "expected"), [
    ("A", 958_500, -155_212),
    ("B", 874_020, -179_816),
])
def test_every_hand_of_the_deck_settles_the_poker_bonus_as_derived(
    poker_hands, table, winners, expected
):
    rules = hi_lo(poker_bonus_table=table)
    circle = Circle(1, m.WAGER_KIND_POKER_BONUS, 1)
    some = rules.evaluate(1, (1, 2, 3, 4, 5), None)
    won = profit = 0
    for ranked, number in poker_hands.items():
        hand = replace(some, poker=ranked.category, poker_rank=ranked.rank)
        line = rules.settle([circle], {1: hand}, some, {}).lines[0]
        won += number * (line.outcome == r.OUTCOME_WIN)
        profit += number * line.profit
    assert (won, profit) == (winners, expected)


def test_every_hand_of_the_deck_has_its_poker_frequency(poker_hands):
    found, pairs = Counter(), Counter()
    for ranked, number in poker_hands.items():
        found[ranked.category] += number
        if ranked.category == r.POKER_CATEGORY_PAIR:
            pairs[ranked.rank] += number
    assert [found[category] for category in range(10, 2, -1)] == [
        4, 36, 624, 3_744, 5_108, 10_200, 54_912, 123_552]
    assert pairs == dict.fromkeys(range(2, 15), 84_480)
