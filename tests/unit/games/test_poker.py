"""Poker ranks: hand-picked hands, hands that no deck can deal, and a slow second opinion."""

import random
from collections import Counter
from itertools import permutations

import pytest

from pitledger.cards import DECK_53, FOREIGN, JOKER, rank, suit
from pitledger.games.poker import rank_hand, rank_hand_without_joker
from pitledger.pb import rules_pb2 as r
from tests.unit.games.table import cards


@pytest.mark.parametrize(("text", "category", "high"), [
    ("As Ks Qs Js Ts", r.POKER_CATEGORY_ROYAL_FLUSH, 14),
    ("Ks Qs Js Ts 9s", r.POKER_CATEGORY_STRAIGHT_FLUSH, 13),
    ("5h 4h 3h 2h Ah", r.POKER_CATEGORY_STRAIGHT_FLUSH, 5),
    ("9c 9d 9h 9s 2c", r.POKER_CATEGORY_FOUR_OF_A_KIND, 9),
    ("2c 2d 2h Ks Kc", r.POKER_CATEGORY_FULL_HOUSE, 2),
    ("Ah 9h 7h 4h 2h", r.POKER_CATEGORY_FLUSH, 14),
    ("As Kd Qs Js Ts", r.POKER_CATEGORY_STRAIGHT, 14),
    ("5h 4h 3c 2h Ah", r.POKER_CATEGORY_STRAIGHT, 5),
    ("Qc Qd Qh 3s 2c", r.POKER_CATEGORY_THREE_OF_A_KIND, 12),
    ("3c 3d Jh Js 2c", r.POKER_CATEGORY_TWO_PAIR, 11),
    ("Ac Ad 4h 3s 2c", r.POKER_CATEGORY_PAIR, 14),
    ("2c Ad Kh Qs Jc", r.POKER_CATEGORY_HIGH_CARD, 14),
    ("3c 2d Ah Ks Qc", r.POKER_CATEGORY_HIGH_CARD, 14),
    ("Jc Qd Kh 9s 8c", r.POKER_CATEGORY_HIGH_CARD, 13),
])
def test_a_hand_without_joker_ranks(text, category, high):
    ranked = rank_hand(cards(text))
    assert (ranked.category, ranked.rank, ranked.joker) == (category, high, False)


@pytest.mark.parametrize(("text", "category", "high"), [
    ("Jk Ac Ad Ah As", r.POKER_CATEGORY_FIVE_ACES, 14),
    ("Jk As Ks Qs Js", r.POKER_CATEGORY_ROYAL_FLUSH, 14),
    ("Jk Ks Qs Js Ts", r.POKER_CATEGORY_ROYAL_FLUSH, 14),
    ("Jk 9s Qs Js Ts", r.POKER_CATEGORY_STRAIGHT_FLUSH, 13),
    ("Jk 2s 3s 4s 5s", r.POKER_CATEGORY_STRAIGHT_FLUSH, 6),
    ("Jk As 2s 3s 4s", r.POKER_CATEGORY_STRAIGHT_FLUSH, 5),
    ("Jk Ac Ad Ah Ks", r.POKER_CATEGORY_FOUR_OF_A_KIND, 14),
    ("Jk Kc Kd Kh Ks", r.POKER_CATEGORY_FOUR_OF_A_KIND, 13),
    ("Jk Ac Ad Kh Ks", r.POKER_CATEGORY_FULL_HOUSE, 14),
    ("Jk 2s 7s 9s Ks", r.POKER_CATEGORY_FLUSH, 14),
    ("Jk Td Js Qs Ks", r.POKER_CATEGORY_STRAIGHT, 14),
    ("Jk 5d 6s 8s 9s", r.POKER_CATEGORY_STRAIGHT, 9),
    ("Jk Ac Ad 9h Ks", r.POKER_CATEGORY_THREE_OF_A_KIND, 14),
    ("Jk Kc Kd Ah 3s", r.POKER_CATEGORY_TWO_PAIR, 14),
    ("Jk Kc Kd Kh 3s", r.POKER_CATEGORY_THREE_OF_A_KIND, 13),  # the joker is no fourth king
    ("Jk Kc Kd 7h 7s", r.POKER_CATEGORY_TWO_PAIR, 13),  # nor does it fill a house
    ("Jk Kc Kd 7h 3s", r.POKER_CATEGORY_PAIR, 13),
    ("Jk Ac 8d 7h 3s", r.POKER_CATEGORY_PAIR, 14),
    ("Jk Kc 8d 7h 3s", r.POKER_CATEGORY_HIGH_CARD, 14),
])
def test_the_joker_is_an_ace_or_completes_a_straight_or_flush(text, category, high):
    ranked = rank_hand(cards(text))
    assert (ranked.category, ranked.rank, ranked.joker) == (category, high, True)


@pytest.mark.parametrize(("text", "category", "high"), [
    ("Kc Kc Kc Kc Kc", r.POKER_CATEGORY_FOUR_OF_A_KIND, 13),
    ("Kc Kd Kh Ks Ks", r.POKER_CATEGORY_FOUR_OF_A_KIND, 13),
    ("Ac Ad Ah As As", r.POKER_CATEGORY_FOUR_OF_A_KIND, 14),  # only a joker makes a fifth ace
    ("9c 9c 8c 7c 2c", r.POKER_CATEGORY_FLUSH, 9),
    ("Jk Jk Ac Ad Ah", r.POKER_CATEGORY_FIVE_ACES, 14),
    ("Jk Jk 9c Tc Jc", r.POKER_CATEGORY_STRAIGHT_FLUSH, 13),
    ("Jk Jk 2c 9d Ks", r.POKER_CATEGORY_PAIR, 14),
    ("Jk Jk Jk Jk Jk", r.POKER_CATEGORY_FIVE_ACES, 14),
])
def test_cards_that_repeat_rank_as_they_lie(text, category, high):
    ranked = rank_hand(cards(text))
    assert (ranked.category, ranked.rank) == (category, high)


def test_a_foreign_card_matches_nothing():
    assert rank_hand((FOREIGN, *cards("As Ks Qs Js"))).category == r.POKER_CATEGORY_HIGH_CARD
    pair = rank_hand((FOREIGN, FOREIGN, *cards("As Ac Js")))
    assert (pair.category, pair.rank) == (r.POKER_CATEGORY_PAIR, 14)
    nothing = rank_hand((FOREIGN,) * 5)
    assert (nothing.category, nothing.rank) == (r.POKER_CATEGORY_HIGH_CARD, 0)


def test_in_a_game_without_a_joker_it_is_a_foreign_card():
    ranked = rank_hand_without_joker(cards("Jk Ac Ad Ah As"))
    assert (ranked.category, ranked.joker) == (r.POKER_CATEGORY_FOUR_OF_A_KIND, False)
    ranked = rank_hand_without_joker(cards("Jk 2s 3s 4s 5s"))
    assert ranked.category == r.POKER_CATEGORY_HIGH_CARD


def test_the_order_of_the_deal_does_not_matter():
    for text in ("Jk As 2s 3s 4s", "9c 9d 4h 9s 2c"):
        assert len({rank_hand(order) for order in permutations(cards(text))}) == 1


def test_a_slow_second_opinion_agrees_on_random_hands():
    deck = sorted(DECK_53)
    chance = random.Random(7)
    for _ in range(1500):
        dealt = chance.sample(deck, 5)
        assert rank_hand(dealt).category == _slowly(dealt), dealt
    for _ in range(1500):
        dealt = [JOKER, *chance.sample(deck[:-1], 4)]
        assert rank_hand(dealt).category == _slowly(dealt), dealt


def _slowly(dealt):
    """Try every card for the joker; keep what it may be."""
    if JOKER not in dealt:
        return _plain(dealt)
    rest = [card for card in dealt if card != JOKER]
    if [rank(card) for card in rest] == [1] * 4:
        return r.POKER_CATEGORY_FIVE_ACES
    runs = (r.POKER_CATEGORY_STRAIGHT, r.POKER_CATEGORY_FLUSH, r.POKER_CATEGORY_STRAIGHT_FLUSH,
            r.POKER_CATEGORY_ROYAL_FLUSH)
    tried = [(stand_in, _plain([*rest, stand_in])) for stand_in in range(1, 53)]
    return max(category for stand_in, category in tried
               if rank(stand_in) == 1 or category in runs)


def _plain(dealt):
    ranks = sorted(rank(card) for card in dealt)
    counts = sorted(Counter(ranks).values())
    flush = len({suit(card) for card in dealt}) == 1
    broadway = ranks == [1, 10, 11, 12, 13]
    straight = broadway or ranks == list(range(ranks[0], ranks[0] + 5))
    for made, category in (
        (flush and broadway, r.POKER_CATEGORY_ROYAL_FLUSH),
        (flush and straight, r.POKER_CATEGORY_STRAIGHT_FLUSH),
        (counts[-1] >= 4, r.POKER_CATEGORY_FOUR_OF_A_KIND),
        (counts == [2, 3], r.POKER_CATEGORY_FULL_HOUSE),
        (flush, r.POKER_CATEGORY_FLUSH),
        (straight, r.POKER_CATEGORY_STRAIGHT),
        (counts[-1] == 3, r.POKER_CATEGORY_THREE_OF_A_KIND),
        (counts == [1, 2, 2], r.POKER_CATEGORY_TWO_PAIR),
        (counts[-1] == 2, r.POKER_CATEGORY_PAIR),
    ):
        if made:
            return category
    return r.POKER_CATEGORY_HIGH_CARD
