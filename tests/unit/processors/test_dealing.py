"""Irregular deals keep the payout shut until a supervisor corrects, rules or voids."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from pitledger.cards import FOREIGN, JOKER
from tests.kit.reading import Reading, read
from tests.kit.table import AUTOMATED, HI_LO, SAIGON, Table, cards

HANDS = ("Ac 2c 3c 4c 5c", "Ad 2d 3d 4d 5d", "Ah 2h 3h 4h 5h")  # positions 1, 2, the dealer
SEQUENCE = [hand.split()[turn] for turn in range(5) for hand in HANDS]


def deal_but(table: Table, changes: dict[int, str | int | None]) -> Table:
    """Deal HANDS one by one, some ordinals with another card, or (None) not at all."""
    table.to_betting_closed((1, 2))
    sequence = {ordinal: cards(card)[0] for ordinal, card in enumerate(SEQUENCE, 1)}
    for ordinal, card in changes.items():
        sequence[ordinal] = cards(card)[0] if isinstance(card, str) else card
    table.hands = {p: tuple(sequence[o] for o in range(first, 16, 3)) for p, first in PLACES}
    for ordinal, card in sequence.items():
        if card is not None:
            table.draw(ordinal, card)
    return table


PLACES = ((1, 1), (2, 2), (0, 3))


# ---- how each breach comes about: position 2 is the one that it touches, where one is touched


def duplicate_card(table: Table) -> None:
    deal_but(table, {5: "Ac"})


def duplicate_within_a_hand(table: Table) -> None:
    deal_but(table, {5: "Ad"})


def card_of_no_deck(table: Table) -> None:
    deal_but(table, {5: FOREIGN})


def no_card_named(table: Table) -> None:
    deal_but(table, {5: 0})


def missing_card(table: Table) -> None:
    deal_but(table, {5: None})


def repeated_ordinal(table: Table) -> None:
    table.to_betting_closed((1, 2))
    table.hands = dict(zip((1, 2, 0), map(cards, HANDS), strict=True))
    for ordinal, card in enumerate(SEQUENCE, 1):
        table.draw(ordinal, card)
        if ordinal == 5:
            table.draw(5, "Ks")


def card_before_the_close(table: Table) -> None:
    table.open((1, 2))
    table.wager(1, ante=1000)
    table.wager(2, ante=1000)
    table.draw(1, SEQUENCE[0])
    table.draw(2, SEQUENCE[1])
    table.no_more_bets()
    table.hands = dict(zip((1, 2, 0), map(cards, HANDS), strict=True))
    for ordinal, card in enumerate(SEQUENCE[2:], 3):
        table.draw(ordinal, card)


def too_many_cards(table: Table) -> None:
    deal_but(table, {})
    table.draw(16, "Ks")


def impossible_ordinal(table: Table) -> None:
    deal_but(table, {})
    table.draw(2**32 - 1, "Ks")


def wrong_stub(table: Table) -> None:
    deal_but(table, {})
    table.stub(30)


def exposed_early(table: Table) -> None:
    deal_but(table, {})
    table.set(1)
    table.expose()


def exposed_other_cards(table: Table) -> None:
    deal_but(table, {})
    table.set_all()
    table.expose("Ks Qs Js", "Ts 9s")


def exposed_before_the_last_card(table: Table) -> None:
    deal_but(table, {15: None})
    table.set_all()
    table.expose()


def reported(table: Table) -> None:
    deal_but(table, {})
    table.report(1, position=2)


def packet_at_a_manual_shoe(table: Table) -> None:
    deal_but(table, {})
    table.packet(2**32 - 1, [])


def packet_of_four(table: Table) -> None:
    table.to_betting_closed((1, 2), method=AUTOMATED)
    hands = list(map(cards, HANDS))
    table.hands = dict(zip((1, 2, 0), hands, strict=True))
    table.packet(1, hands[0])
    table.packet(2, hands[1][:4])
    table.packet(3, hands[2])


def packet_of_six(table: Table) -> None:
    table.to_betting_closed((1, 2), method=AUTOMATED)
    hands = list(map(cards, HANDS))
    table.hands = dict(zip((1, 2, 0), hands, strict=True))
    table.packet(1, hands[0])
    table.packet(2, (*hands[1], 52))
    table.packet(3, hands[2])


def card_at_an_automated_shoe(table: Table) -> None:
    packets(table)
    table.draw(6, "Ks")


def packets(table: Table) -> None:
    table.to_betting_closed((1, 2), method=AUTOMATED)
    hands = list(map(cards, HANDS))
    table.hands = dict(zip((1, 2, 0), hands, strict=True))
    for number, hand in enumerate(hands, 1):
        table.packet(number, hand)


@dataclass(frozen=True)
class Case:
    """`correction`: the ordinal and card that mend it, None where no correction can.

    `ruling`: the deal may be ruled to stand. `hand`: a void of position 2 mends it.
    """

    breach: Callable[[Table], None]
    kinds: list[str]
    correction: tuple[int, str] | None = None
    ruling: bool = True
    hand: bool = True

    def __str__(self) -> str:
        return self.breach.__name__


CASES = [
    Case(duplicate_card, ["DUPLICATE_CARD"], (5, "2d")),
    Case(duplicate_within_a_hand, ["DUPLICATE_CARD"], (5, "2d")),
    Case(card_of_no_deck, ["CARD_NOT_IN_DECK"], (5, "2d"), ruling=False),
    Case(no_card_named, ["CARD_NOT_IN_DECK"], (5, "2d"), ruling=False),
    Case(missing_card, ["ORDINAL_MISSING"], (5, "2d"), ruling=False),
    Case(repeated_ordinal, ["ORDINAL_REPEATED"], (5, "2d")),
    Case(card_before_the_close, ["CARD_BEFORE_CLOSE"] * 2, hand=False),
    Case(too_many_cards, ["TOO_MANY_CARDS"], (16, ""), hand=False),
    Case(impossible_ordinal, ["ORDINAL_IMPOSSIBLE"], hand=False),
    Case(wrong_stub, ["STUB_COUNT"], hand=False),
    Case(exposed_early, ["EXPOSED_EARLY"]),
    Case(exposed_other_cards, ["EXPOSED_OTHER_CARDS"], hand=False),
    Case(exposed_before_the_last_card, ["TOO_FEW_CARDS"], (15, "5h"), ruling=False, hand=False),
    Case(reported, ["REPORTED"]),
    Case(packet_at_a_manual_shoe, ["DEALING_METHOD", "PACKET_SIZE"], hand=False),
    Case(packet_of_four, ["PACKET_SIZE", "ORDINAL_MISSING"], (10, "5d"), ruling=False),
    Case(packet_of_six, ["PACKET_SIZE"], (8, "3d")),
    Case(card_at_an_automated_shoe, ["DEALING_METHOD", "ORDINAL_REPEATED"]),
]


def finish(table: Table) -> Reading:
    """Set what is not set, expose where nobody did, close on whatever revision."""
    table.set_all()
    table.expose()
    return read(table)


def paid_by(table: Table, reading: Reading) -> Reading:
    [*_, last] = reading.bodies("payout_due")
    table.close_round(last.revision)
    return read(table)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_breach_of_the_deal_keeps_the_payout_shut(case):
    table = Table()
    case.breach(table)
    reading = read(table)
    assert sorted(reading.breaches()) == sorted(case.kinds)
    reading = finish(table)
    assert "payout_due" not in reading.names()
    close = table.close_round(1)
    reading = read(table)
    assert reading.refusals(close) == ["NO_PAYOUT_DUE"]
    assert reading.outcomes() == []
    assert not reading.stuck


@pytest.mark.parametrize("case", [c for c in CASES if c.correction], ids=str)
def test_a_correction_mends_the_breach_and_the_payout_opens(case):
    table = Table()
    case.breach(table)
    correction = table.correct(*case.correction)
    table.hands = dict(zip((1, 2, 0), map(cards, HANDS), strict=True))
    assert read(table).refusals(correction) == [""]
    reading = finish(table)
    assert reading.names()[-1] == "payout_due"
    assert paid_by(table, reading).outcomes() == ["round_settled"]


@pytest.mark.parametrize("case", [c for c in CASES if c.ruling], ids=str)
def test_a_ruling_that_the_deal_stands_opens_the_payout(case):
    table = Table()
    case.breach(table)
    ruling = table.rule_deal()
    assert read(table).refusals(ruling) == [""]
    reading = finish(table)
    assert reading.names()[-1] == "payout_due"
    assert len(reading.bodies("hands_dealt")[-1].ruled) == len(case.kinds)
    assert paid_by(table, reading).outcomes() == ["round_settled"]


@pytest.mark.parametrize("case", [c for c in CASES if not c.ruling], ids=str)
def test_a_ruling_is_refused_while_a_hand_has_not_five_cards_of_the_deck(case):
    table = Table()
    case.breach(table)
    ruling = table.rule_deal()
    assert read(table).refusals(ruling) == ["HAND_INCOMPLETE"]
    assert "payout_due" not in finish(table).names()


@pytest.mark.parametrize("case", [c for c in CASES if c.hand], ids=str)
def test_a_void_of_the_hand_returns_its_stakes_and_the_others_play_on(case):
    table = Table()
    case.breach(table)
    void = table.void(2)
    assert read(table).refusals(void) == [""]
    reading = finish(table)
    [*_, payout] = reading.bodies("payout_due")
    back = {(line.position, line.kind): line.returned_minor for line in payout.lines}
    assert back[2, 1] == 1000
    assert paid_by(table, reading).outcomes() == ["round_settled"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_void_of_the_round_refunds_exactly_its_stakes(case):
    table = Table()
    case.breach(table)
    table.void()
    reading = read(table)
    assert reading.outcomes() == ["round_voided"]
    assert reading.refunds() == {(1, 1): 1000, (2, 1): 1000}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_not_mended_is_voided_by_the_tables_next_round(case):
    table = Table()
    case.breach(table)
    table.open()
    reading = read(table)
    assert reading.outcomes() == ["round_voided"]
    assert reading.refunds() == {(1, 1): 1000, (2, 1): 1000}


# ---- the deal itself


@pytest.mark.parametrize("game", [SAIGON, HI_LO])
def test_cards_go_one_by_one_to_the_positions_and_the_dealer_last(game):
    table = Table(game).to_dealt((4, 2), *HANDS)
    [dealt] = read(table).bodies("hands_dealt")
    assert [(h.position, tuple(h.cards)) for h in dealt.hands] == [
        (2, cards(HANDS[0])),
        (4, cards(HANDS[1])),
    ]
    assert tuple(dealt.dealer.cards) == cards(HANDS[2])
    assert list(dealt.dealer.ordinals) == [3, 6, 9, 12, 15]


def test_packets_go_to_the_positions_and_the_dealer_last():
    table = Table()
    packets(table)
    [dealt] = read(table).bodies("hands_dealt")
    assert [tuple(h.cards) for h in dealt.hands] == [cards(HANDS[0]), cards(HANDS[1])]
    assert list(dealt.hands[1].ordinals) == [6, 7, 8, 9, 10]


def test_a_joker_is_a_card_of_saigon_and_none_of_hi_lo():
    for game, breaches in ((SAIGON, None), (HI_LO, ["CARD_NOT_IN_DECK"])):
        table = deal_but(Table(game), {5: JOKER})
        if breaches is None:
            assert read(table).names() == ["betting_closed", "hands_dealt"]
        else:
            assert read(table).breaches() == breaches


def test_two_duplicates_one_after_the_other_are_two_revisions_of_the_deal():
    table = deal_but(Table(), {5: "Ac", 8: "Ad"})
    reading = read(table)
    assert [d.revision for d in reading.bodies("deal_irregular")] == [1, 2]
    assert len({d.event_id for d in reading.decisions}) == len(reading.decisions)


def test_an_irregularity_on_an_irregular_deal_is_a_new_revision():
    table = Table()
    duplicate_card(table)
    table.report()
    reading = read(table)
    assert [d.revision for d in reading.bodies("deal_irregular")] == [1, 2]
    assert sorted(reading.breaches()) == ["DUPLICATE_CARD", "REPORTED"]


def test_a_position_void_in_the_midst_of_the_deal_gets_its_cards_all_the_same():
    table = Table().to_betting_closed((1, 2))
    for ordinal, card in enumerate(SEQUENCE, 1):
        table.draw(ordinal, card)
        if ordinal == 8:
            table.void(2)
    [dealt] = read(table).bodies("hands_dealt")
    assert tuple(dealt.hands[0].cards) == cards(HANDS[0])
    assert tuple(dealt.dealer.cards) == cards(HANDS[2])


def test_a_correction_may_break_the_deal_and_the_next_one_mend_it():
    table = deal_but(Table(), {})
    table.correct(5, "Ac")
    assert read(table).breaches() == ["DUPLICATE_CARD"]
    table.correct(5, "Ks")
    dealt = read(table).bodies("hands_dealt")
    assert [d.revision for d in dealt] == [1, 3]


def test_an_ordinal_emptied_ahead_of_the_deal_leaves_nothing_missing_and_is_skipped():
    table = Table().to_betting_closed((1, 2))
    table.draw(1, SEQUENCE[0])
    table.correct(3, "")
    assert "deal_irregular" not in read(table).names()
    table.draw(2, SEQUENCE[1])
    for ordinal, card in enumerate(SEQUENCE[2:], 4):
        table.draw(ordinal, card)
    [dealt] = read(table).bodies("hands_dealt")
    assert list(dealt.dealer.ordinals) == [4, 7, 10, 13, 16]
    assert tuple(dealt.dealer.cards) == cards(HANDS[2])


def test_a_correction_to_the_same_card_is_accepted_and_changes_nothing():
    table = deal_but(Table(), {})
    correction = table.correct(5, "2d")
    reading = read(table)
    assert reading.refusals(correction) == [""]
    assert [d.revision for d in reading.bodies("hands_dealt")] == [1]


@pytest.mark.parametrize(
    ("ordinal", "card", "refusal"),
    [
        (0, "Ks", "ORDINAL_IMPOSSIBLE"),
        (54, "Ks", "ORDINAL_IMPOSSIBLE"),
        (2**32 - 1, "", "ORDINAL_IMPOSSIBLE"),
        (5, FOREIGN, "CARD_NOT_IN_DECK"),
    ],
)
def test_a_correction_that_cannot_be_is_refused(ordinal, card, refusal):
    table = deal_but(Table(), {})
    correction = table.correct(ordinal, card)
    assert read(table).refusals(correction) == [refusal]


def test_before_the_close_there_is_nothing_to_correct_or_to_rule():
    table = Table()
    table.open()
    correction, ruling = table.correct(1, "Ks"), table.rule_deal()
    reading = read(table)
    assert reading.refusals(correction) == ["BETTING_OPEN"]
    assert reading.refusals(ruling) == ["BETTING_OPEN"]


def test_a_regular_deal_leaves_nothing_to_rule():
    table = deal_but(Table(), {})
    ruling = table.rule_deal()
    assert read(table).refusals(ruling) == ["NOTHING_TO_RULE"]


def test_a_ruling_covers_what_is_broken_now_and_no_later_breach():
    table = Table()
    duplicate_card(table)
    table.rule_deal()
    table.report()
    reading = finish(table)
    assert reading.breaches() == ["REPORTED"]
    assert "payout_due" not in reading.names()


def test_a_stub_that_was_due_and_not_counted_is_not_waited_for():
    table = Table().to_payout(rounds_since_stub_count=9)
    assert "payout_due" in read(table).names()


@pytest.mark.parametrize(("game", "left"), [(SAIGON, 38), (HI_LO, 37)])
def test_a_stub_count_that_adds_up_is_no_breach(game, left):
    table = deal_but(Table(game), {})
    table.stub(left)
    assert "deal_irregular" not in read(table).names()


def test_a_second_exposure_changes_nothing():
    table = Table().to_payout()
    before = len(read(table).decisions)
    table.expose("Ks Qs Js", "Ts 9s")
    assert len(read(table).decisions) == before


def test_an_exposure_before_the_close_is_early():
    table = Table()
    table.open()
    table.wager(1, ante=500)
    table.expose()
    table.no_more_bets()
    assert sorted(read(table).breaches()) == ["EXPOSED_EARLY", "TOO_FEW_CARDS"]


def test_a_ruling_does_not_cover_what_happens_again_after_it():
    table = Table()
    repeated_ordinal(table)
    table.rule_deal()
    assert read(table).names()[-1] == "hands_dealt"
    table.draw(5, "Ks")  # the same card at the same ordinal once more
    reading = read(table)
    assert reading.breaches() == ["ORDINAL_REPEATED"]
    assert "payout_due" not in finish(table).names()


def test_no_correction_answers_for_a_packet_that_cannot_be():
    table = Table()
    packets(table)
    table.packet(0, [1])
    table.correct(3, "Kd")
    reading = read(table)
    assert sorted(reading.breaches()) == ["ORDINAL_IMPOSSIBLE", "PACKET_SIZE"]


# ---- what broke the deal stays broken until a supervisor acts


def mended_stub(table: Table) -> None:
    wrong_stub(table)
    table.stub(53 - 15)


def card_drawn_late(table: Table) -> None:
    missing_card(table)
    table.draw(5, "2d")
    table.hands = dict(zip((1, 2, 0), map(cards, HANDS), strict=True))


def last_card_after_the_exposure(table: Table) -> None:
    exposed_before_the_last_card(table)
    table.draw(15, "5h")


@pytest.mark.parametrize("mend", [mended_stub, card_drawn_late, last_card_after_the_exposure])
def test_the_console_mends_nothing(mend):
    table = Table()
    mend(table)
    reading = finish(table)
    assert len(reading.breaches()) == 1
    assert "payout_due" not in reading.names()
    ruling = table.rule_deal()
    reading = finish(table)
    assert reading.refusals(ruling) == [""]
    assert reading.names()[-1] == "payout_due"


def test_a_decision_lists_a_hundred_breaches_and_counts_the_others():
    table = Table()
    deal_but(table, {})
    for _ in range(130):
        table.report()
    [*_, irregular] = read(table).bodies("deal_irregular")
    assert (len(irregular.breaches), irregular.more) == (100, 30)
