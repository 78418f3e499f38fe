"""Setting a hand: once, after its last card, before the exposure, by its patron, of its cards."""

import pytest

from pitledger.pb import decisions_pb2 as pb
from tests.kit.reading import read
from tests.kit.table import AUTOMATED, HI_LO, SAIGON, Table, cards

HANDS = ("Ac 2c 3c 4c 5c", "Ad 2d 3d 4d 5d", "Ah 2h 3h 4h 5h")


@pytest.mark.parametrize("game", [SAIGON, HI_LO])
def test_a_hand_is_set_once_and_stays_as_it_was_set(game):
    table = Table(game).to_dealt((1, 2), *HANDS)
    first = table.set(1, "2c 3c 5c", "Ac 4c")
    second = table.set(1, "Ac 2c 3c", "4c 5c")
    table.set(2)
    table.expose()
    reading = read(table)
    assert reading.refusals(first) == [""]
    assert reading.refusals(second) == ["ALREADY_SET"]
    hand = reading.bodies("hands_evaluated")[0].hands[0]
    if hand.set_by == pb.SET_BY_PLAYER:
        assert tuple(hand.second) == cards("Ac 4c")


@pytest.mark.parametrize(
    ("first", "second", "refusal"),
    [
        ("Ac 2c 3c", "4c", "WRONG_SPLIT_SIZES"),
        ("Ac 2c 3c", "4c 5c 6c", "WRONG_SPLIT_SIZES"),
        ("Ac 2c", "3c 4c 5c", "WRONG_SPLIT_SIZES"),
        ("", "", "WRONG_SPLIT_SIZES"),
        ("Ac 2c 3c", "4c 6c", "NOT_THE_HANDS_CARDS"),
        ("Ac 2c 3c", "4c 4c", "NOT_THE_HANDS_CARDS"),
        ("Ad 2d 3d", "4d 5d", "NOT_THE_HANDS_CARDS"),
    ],
)
def test_a_set_that_is_not_the_hands_five_cards_is_refused(first, second, refusal):
    table = Table().to_dealt((1, 2), *HANDS)
    wrong = table.set(1, first, second)
    right = table.set(1)
    reading = read(table)
    assert reading.refusals(wrong) == [refusal]
    assert reading.refusals(right) == [""]


def test_a_set_before_the_hands_last_card_is_refused_and_may_come_again():
    table = Table().to_betting_closed((1, 2))
    early = table.set(1, HANDS[0][:8], HANDS[0][9:])
    table.deal(*HANDS, only=12)
    early_too = table.set(1)
    table.draw(13, "5c")
    now = table.set(1)
    reading = read(table)
    assert reading.refusals(early) == ["HAND_NOT_DEALT"]
    assert reading.refusals(early_too) == ["HAND_NOT_DEALT"]
    assert reading.refusals(now) == [""]


def test_a_hand_may_be_set_while_others_still_get_their_cards():
    table = Table().to_betting_closed((1, 2), method=AUTOMATED)
    table.packet(1, cards(HANDS[0]))
    done = table.set(1, "Ac 2c 3c", "4c 5c")
    assert read(table).refusals(done) == [""]


def test_a_set_after_the_exposure_is_refused_also_after_an_early_one_was_ruled():
    table = Table().to_dealt((1, 2), *HANDS)
    table.set(1)
    table.expose()
    late = table.set(2)
    table.rule_deal()
    later = table.set(2)
    reading = read(table)
    assert reading.refusals(late) == reading.refusals(later) == ["DEALER_EXPOSED"]
    [judged] = reading.bodies("hands_evaluated")
    assert [hand.set_by == pb.SET_BY_RULE for hand in judged.hands] == [False, True]


@pytest.mark.parametrize(
    ("position", "patron", "refusal"),
    [
        (1, "p2", "NOT_SEATED"),
        (1, "nobody", "NOT_SEATED"),
        (3, "p3", "NOT_SEATED"),
        (0, "p1", "NO_SUCH_POSITION"),
        (7, "p1", "NO_SUCH_POSITION"),
        (2**32 - 1, "p1", "NO_SUCH_POSITION"),
    ],
)
def test_a_set_from_somebody_else_is_refused(position, patron, refusal):
    table = Table().to_dealt((1, 2), *HANDS)
    wrong = table.set(position, "Ac 2c 3c", "4c 5c", patron=patron)
    assert read(table).refusals(wrong) == [refusal]


def test_a_seat_without_a_wager_has_no_hand_to_set():
    table = Table()
    table.open((1, 2))
    table.wager(1, ante=500)
    table.no_more_bets()
    wrong = table.set(2, "Ac 2c 3c", "4c 5c")
    assert read(table).refusals(wrong) == ["NO_HAND_THERE"]


def test_before_the_close_no_hand_can_be_set():
    table = Table()
    table.open()
    wrong = table.set(1, "Ac 2c 3c", "4c 5c")
    assert read(table).refusals(wrong) == ["BETTING_OPEN"]


def test_the_hand_of_a_player_who_left_is_not_set_any_more():
    table = Table().to_dealt((1, 2))
    table.left(1)
    wrong = table.set(1)
    assert read(table).refusals(wrong) == ["PLAYER_LEFT"]


def two_hands_of_ann(low: int, high: int, game: str = HI_LO) -> Table:
    table = Table(game, adjacent_positions=True)
    table.open({1: "ann", 2: "ann"})
    table.wager(1, ante=low)
    table.wager(2, ante=high)
    table.no_more_bets()
    table.deal()
    return table


def test_of_two_adjacent_hands_the_larger_ante_is_set_first():
    table = two_hands_of_ann(1000, 500)
    out_of_order, first, second = table.set(2), table.set(1), table.set(2)
    reading = read(table)
    assert reading.refusals(out_of_order) == ["OUT_OF_SET_ORDER"]
    assert reading.refusals(first) == reading.refusals(second) == [""]


def test_of_two_adjacent_hands_with_equal_antes_the_higher_position_is_set_first():
    table = two_hands_of_ann(500, 500)
    out_of_order, first, second = table.set(1), table.set(2), table.set(1)
    reading = read(table)
    assert reading.refusals(out_of_order) == ["OUT_OF_SET_ORDER"]
    assert reading.refusals(first) == reading.refusals(second) == [""]


def test_a_hand_that_is_void_or_abandoned_is_not_waited_for_in_the_order():
    for gone in (lambda t: t.void(1), lambda t: t.left(1)):
        table = two_hands_of_ann(1000, 500)
        gone(table)
        hand = table.set(2)
        assert read(table).refusals(hand) == [""]


def test_two_hands_of_different_patrons_are_set_in_any_order():
    table = Table(HI_LO, adjacent_positions=True).to_dealt((1, 2))
    hand = table.set(1)
    assert read(table).refusals(hand) == [""]


def test_sets_that_come_while_dealing_is_down_are_judged_on_the_facts():
    """The cards are facts: that nobody recorded the deal yet makes no set early."""
    table = Table().to_dealt((1, 2, 3, 4, 5, 6))
    hands = [table.set(position) for position in range(1, 7)]
    reading = read(table)
    assert [reading.refusals(hand) for hand in hands] == [[""]] * 6


@pytest.mark.parametrize("game", [SAIGON, HI_LO])
def test_the_dealers_split_as_exposed_is_judged(game):
    table = Table(game).to_dealt((1, 2), *HANDS)
    table.set_all()
    table.expose("Ah 4h 5h", "2h 3h")
    [judged] = read(table).bodies("hands_evaluated")
    assert judged.dealer.set_by in (pb.SET_BY_PLAYER, pb.SET_BY_CORRECTION)
    assert sorted((*judged.dealer.first, *judged.dealer.second)) == sorted(cards(HANDS[2]))
