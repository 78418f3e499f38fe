"""The shuffle is fair, and a reading is what its faults make of it."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitledger.pb.cards_pb2 import (
    DEALING_METHOD_AUTOMATED_SHOE,
    DEALING_METHOD_HAND,
    DEALING_METHOD_MANUAL_SHOE,
)
from services.floor.faults import Fault
from services.floor.shoe import read, shuffled

METHODS = (DEALING_METHOD_MANUAL_SHOE, DEALING_METHOD_HAND, DEALING_METHOD_AUTOMATED_SHOE)
DECK = list(range(1, 54))
CARDS = 8
SHUFFLES = 20_000


def _chi_square(shuffle) -> float:
    """Of the card at each place, over many shuffles of eight cards; 49 degrees of freedom."""
    seen = [[0] * CARDS for _ in range(CARDS)]
    for _ in range(SHUFFLES):
        for place, card in enumerate(shuffle()):
            seen[place][card - 1] += 1
    expected = SHUFFLES / CARDS
    return sum((count - expected) ** 2 / expected for row in seen for count in row)


def _too_few_places(rng: Random) -> list[int]:
    """Sattolo's: no card stays where it was."""
    cards = list(range(1, CARDS + 1))
    for last in range(CARDS - 1, 0, -1):
        pick = rng.randrange(last)
        cards[last], cards[pick] = cards[pick], cards[last]
    return cards


def _naive(rng: Random) -> list[int]:
    cards = list(range(1, CARDS + 1))
    for place in range(CARDS):
        pick = rng.randrange(CARDS)
        cards[place], cards[pick] = cards[pick], cards[place]
    return cards


def test_every_card_comes_to_every_place_equally_often():
    # 99.99th percentile of chi-square with 49 degrees of freedom: 94.0
    rng = Random(1)
    assert _chi_square(lambda: shuffled(CARDS, rng)) < 94


@pytest.mark.parametrize("bad", [_too_few_places, _naive])
def test_the_test_of_fairness_rejects_known_bad_shuffles(bad):
    rng = Random(1)
    assert _chi_square(lambda: bad(rng)) > 94


def test_a_shuffle_has_every_card_once_and_depends_on_the_seed_alone():
    assert sorted(shuffled(53, Random(7))) == DECK
    assert shuffled(53, Random(7)) == shuffled(53, Random(7)) != shuffled(53, Random(8))


@pytest.mark.parametrize("method", METHODS)
def test_without_faults_the_journal_holds_the_truth(method):
    reading = read(DECK, 4, method, frozenset(), Random(1))
    assert reading.recorded == reading.truth == {n: n for n in range(1, 21)}
    assert not reading.wrong()
    hands = [reading.hand(index, 4, method) for index in range(4)]
    if method == DEALING_METHOD_AUTOMATED_SHOE:
        assert hands[0] == [1, 2, 3, 4, 5]
        assert [list(body.cards) for _, body in reading.bodies] == hands
    else:
        assert hands[0] == [1, 5, 9, 13, 17]
        assert [(body.ordinal, body.card) for _, body in reading.bodies] == [
            (n, n) for n in range(1, 21)]


@given(st.sampled_from(METHODS), st.sets(st.sampled_from(list(Fault))), st.integers(2, 9),
       st.randoms(use_true_random=False))
def test_correcting_what_is_wrong_restores_every_hand(method, faults, hands, rng):
    # Given any reading
    reading = read(DECK, hands, method, faults, rng)
    # When a supervisor corrects each wrong ordinal, silent ones included
    reading.silent.clear()
    for ordinal in reading.wrong():
        reading.correct(ordinal, reading.truth.get(ordinal, 0))
    # Then each hand has its true cards
    assert not reading.wrong()
    for index in range(hands):
        cards = reading.hand(index, hands, method)
        assert cards == reading.true_hand(index, hands, method)
        if method == DEALING_METHOD_AUTOMATED_SHOE:
            assert cards == DECK[5 * index:5 * index + 5]
        else:
            assert cards == DECK[index:5 * hands:hands]


@pytest.mark.parametrize("fault", [Fault.MISREAD_AS_DEALT, Fault.FOREIGN_CARD, Fault.MISSED_CARD,
                                   Fault.READ_TWICE, Fault.EXTRA_CARD, Fault.READ_AGAIN,
                                   Fault.LAST_UNREAD])
@pytest.mark.parametrize("method", METHODS)
def test_a_fault_shows(fault, method):
    reading = read(DECK, 4, method, {fault}, Random(3))
    assert reading.wrong() or reading.doubtful


def test_a_silent_misreading_shows_only_when_somebody_looks():
    reading = read(DECK, 4, DEALING_METHOD_HAND, {Fault.MISREAD}, Random(3))
    assert reading.recorded != reading.truth
    assert not reading.wrong()
    reading.silent.clear()
    assert len(reading.wrong()) == 1
