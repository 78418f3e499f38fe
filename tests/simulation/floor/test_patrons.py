"""How patrons set their hands, and that their follies are what they are meant to be."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitledger.cards import parse_card
from pitledger.pb.cards_pb2 import DEALING_METHOD_HAND
from services.floor import patrons
from services.floor.faults import Habits
from services.floor.terms import FIVE_CARD_HI_LO, GAMES, SAIGON5, plain_terms, varied_terms

SOUND = Habits()


def cards(text: str) -> list[int]:
    return [parse_card(card) for card in text.split()]


def test_the_joker_goes_where_the_two_cards_show_most():
    first, second = patrons.split_of(SAIGON5, cards("Jk 8c 6d 5s 2h"), SOUND, Random(1))
    assert sorted(first) == sorted(cards("Jk 6d 5s"))
    assert sorted(second) == sorted(cards("8c 2h"))


def test_a_hi_lo_patron_never_busts_where_he_need_not():
    first, second = patrons.split_of(FIVE_CARD_HI_LO, cards("Kh Qd 9c 5s 2d"), SOUND, Random(1))
    points = [min((card - 1) % 13 + 1, 10) for card in first]
    assert sum(points) <= 21
    assert sorted(first + second) == sorted(cards("Kh Qd 9c 5s 2d"))


@given(st.sampled_from(GAMES), st.lists(st.integers(1, 54), min_size=5, max_size=5),
       st.sampled_from([0.0, 1.0]))
def test_a_split_is_the_hands_five_cards(game, hand, careless):
    first, second = patrons.split_of(game, hand, Habits(careless=careless), Random(1))
    assert (len(first), len(second)) == (3, 2)
    assert sorted(first + second) == sorted(hand)


@pytest.mark.parametrize("game", GAMES)
def test_a_sound_patron_stakes_within_the_posted_limits_and_the_pot_exactly(game):
    rng = Random(1)
    for number in range(40):
        terms = varied_terms(f"t{number}", game, None, DEALING_METHOD_HAND, rng)
        [(name, wager)] = patrons.wagers(terms, SOUND, 1, "p", rng)
        assert name == "wager_requested"
        assert wager.stakes[0].kind == 1
        for stake in wager.stakes:
            low, high = terms.ranges[stake.kind]
            assert low <= stake.amount_minor <= high
            if stake.kind == 3:
                assert stake.amount_minor == terms.pot_amount


def test_foolish_patrons_are_foolish_in_many_ways():
    rng = Random(1)
    terms = plain_terms("t", SAIGON5, 6, DEALING_METHOD_HAND)
    seen = {tuple(body.SerializeToString() for _, body in patrons.wagers(
        terms, Habits(foolish=1.0), 1, "p", rng)) for _ in range(400)}
    assert len(seen) > 16
