"""What the wagers processor answers, and what stands at the close."""

import pytest

from pitledger.pb import decisions_pb2 as pb
from pitledger.pb import facts_pb2, money_pb2
from tests.kit.reading import read
from tests.kit.table import HI_LO, SAIGON, Table


def circles(table: Table) -> dict:
    [close] = read(table).bodies("betting_closed")
    return {(c.position, c.kind): c.stake_minor for c in close.circles}


def returned(table: Table) -> dict:
    [close] = read(table).bodies("betting_closed")
    name = pb.ReturnReason.Name
    return {
        (c.position, c.kind): (c.amount_minor, name(c.reason).removeprefix("RETURN_REASON_"))
        for c in close.returned
    }


def test_a_wager_within_the_limits_is_accepted_and_stands():
    table = Table()
    table.open()
    wager = table.wager(1, ante=500, bonus=100)
    table.no_more_bets()
    assert read(table).refusals(wager) == ["", ""]
    assert circles(table) == {(1, 1): 500, (1, 2): 100}


def test_the_maximum_is_judged_on_the_circles_sum():
    table = Table()
    table.open()
    first = table.wager(1, ante=600_000)
    second = table.wager(1, ante=600_000)
    third = table.wager(1, ante=400_000)
    reading = read(table)
    assert reading.refusals(first) == [""]
    assert reading.refusals(second) == ["ABOVE_MAXIMUM"]
    assert reading.refusals(third) == [""]
    [item] = reading.answer(second).answers
    assert (item.asked_minor, item.limit_minor) == (1_200_000, 1_000_000)


def test_one_request_may_not_pass_the_maximum_with_two_stakes_on_a_circle():
    table = Table()
    table.open()
    wager = table.record("wager_requested", _wager_with_stakes(1, [(1, 600_000), (1, 600_000)]))
    table.written[wager.event_id] = table.log.put(wager)
    assert read(table).refusals(wager.event_id) == ["", "ABOVE_MAXIMUM"]


@pytest.mark.parametrize(
    ("game", "position", "kinds", "extra", "refusal"),
    [
        (SAIGON, 3, {"ante": 500}, {}, "NOT_SEATED"),
        (SAIGON, 1, {"ante": 500}, {"patron": "p2"}, "NOT_SEATED"),
        (SAIGON, 7, {"ante": 500}, {}, "NO_SUCH_POSITION"),
        (SAIGON, 0, {"ante": 500}, {}, "NO_SUCH_POSITION"),
        (SAIGON, 2**32 - 1, {"ante": 500}, {}, "NO_SUCH_POSITION"),
        (SAIGON, 1, {"tie": 500}, {}, "WAGER_NOT_OFFERED"),
        (SAIGON, 1, {"pot": 500}, {}, "WAGER_NOT_OFFERED"),
        (HI_LO, 1, {"bonus": 500}, {}, "WAGER_NOT_OFFERED"),
        (SAIGON, 1, {"ante": 0}, {}, "AMOUNT_NOT_POSITIVE"),
        (SAIGON, 1, {"ante": -500}, {}, "AMOUNT_NOT_POSITIVE"),
        (SAIGON, 1, {"ante": -(2**63)}, {}, "AMOUNT_NOT_POSITIVE"),
        (SAIGON, 1, {"ante": 2**63 - 1}, {}, "ABOVE_MAXIMUM"),
        (SAIGON, 1, {"ante": 1_000_001}, {}, "ABOVE_MAXIMUM"),
        (SAIGON, 1, {"ante": 500}, {"instrument": "verbal_with_cash"}, "VERBAL_WITH_CASH"),
        (SAIGON, 1, {"ante": 500}, {"instrument": "coupon"}, "INSTRUMENT_NOT_ACCEPTED"),
        (SAIGON, 1, {"ante": 500}, {"instrument": ""}, "INSTRUMENT_NOT_ACCEPTED"),
        (SAIGON, 1, {}, {}, "NOTHING_ASKED"),
    ],
)
def test_a_wager_that_the_rules_forbid_is_refused_and_leaves_no_chips(
    game, position, kinds, extra, refusal
):
    table = Table(game)
    table.open()
    wager = table.wager(position, **kinds, **extra)
    table.no_more_bets()
    assert read(table).refusals(wager) == [refusal]
    assert circles(table) == {}
    assert returned(table) == {}


def test_huge_stakes_added_up_do_not_overflow():
    table = Table()
    table.open()
    table.wager(1, ante=1_000_000)
    wager = table.wager(1, ante=2**63 - 1)
    [item] = read(table).answer(wager).answers
    assert item.asked_minor == 2**63 - 1


@pytest.mark.parametrize("game", [SAIGON, HI_LO])
def test_after_no_more_bets_nothing_is_placed_or_withdrawn(game):
    table = Table(game).to_betting_closed((1,))
    wager, withdrawal = table.wager(1, ante=500), table.withdraw(1, "ante")
    reading = read(table)
    assert reading.refusals(wager) == ["BETTING_CLOSED"]
    assert reading.refusals(withdrawal) == ["BETTING_CLOSED"]
    [item] = reading.answer(wager).answers
    assert len(item.citations) == 1
    assert circles(table) == {(1, 1): 1000}


def test_a_withdrawal_gives_back_the_whole_circle():
    table = Table()
    table.open()
    table.wager(1, ante=500, bonus=200)
    table.wager(1, ante=700)
    withdrawal = table.withdraw(1, "bonus")
    table.no_more_bets()
    [back] = read(table).answer(withdrawal).returned
    assert (back.position, back.kind, back.amount_minor) == (1, 2, 200)
    assert circles(table) == {(1, 1): 1200}


@pytest.mark.parametrize(
    ("position", "kinds", "patron", "refusal"),
    [
        (1, ["bonus"], "", "NO_WAGER_THERE"),
        (2, ["ante"], "", "NO_WAGER_THERE"),
        (1, ["ante"], "p2", "NOT_SEATED"),
        (1, [], "", "NOTHING_ASKED"),
        (9, ["ante"], "", "NO_SUCH_POSITION"),
    ],
)
def test_a_withdrawal_that_cannot_be_is_refused(position, kinds, patron, refusal):
    table = Table()
    table.open()
    table.wager(1, ante=500)
    withdrawal = table.withdraw(position, *kinds, patron=patron)
    table.no_more_bets()
    assert read(table).refusals(withdrawal) == [refusal]
    assert circles(table) == {(1, 1): 500}


def test_an_ante_withdrawn_under_a_tie_gives_back_the_tie():
    table = Table(HI_LO)
    table.open()
    table.wager(1, ante=500, tie=200)
    withdrawal = table.withdraw(1, "ante")
    table.no_more_bets()
    reasons = [(r.kind, r.amount_minor, r.reason) for r in read(table).answer(withdrawal).returned]
    assert reasons == [
        (1, 500, pb.RETURN_REASON_WITHDRAWN),
        (4, 200, pb.RETURN_REASON_ANTE_WITHDRAWN),
    ]
    assert circles(table) == {}


def test_a_tie_without_an_ante_is_accepted_and_goes_back_at_the_close():
    table = Table(HI_LO)
    table.open()
    wager = table.wager(1, tie=200)
    table.no_more_bets()
    assert read(table).refusals(wager) == [""]
    assert circles(table) == {}
    assert returned(table) == {(1, 4): (200, "NO_ANTE")}


def test_a_side_wager_may_come_before_its_ante():
    table = Table(HI_LO)
    table.open()
    table.wager(1, tie=200)
    table.wager(1, ante=500)
    table.no_more_bets()
    assert circles(table) == {(1, 1): 500, (1, 4): 200}


def test_an_ante_below_the_minimum_is_accepted_and_leaves_the_position_out_at_the_close():
    table = Table()
    table.open()
    wager = table.wager(1, ante=499, bonus=100)
    table.wager(2, ante=500)
    table.no_more_bets()
    assert read(table).refusals(wager) == ["", ""]
    assert circles(table) == {(2, 1): 500}
    assert returned(table) == {
        (1, 1): (499, "ANTE_BELOW_MINIMUM"),
        (1, 2): (100, "ANTE_BELOW_MINIMUM"),
    }


def test_an_ante_reaches_the_minimum_by_its_sum():
    table = Table()
    table.open()
    table.wager(1, ante=300)
    table.wager(1, ante=300)
    table.no_more_bets()
    assert circles(table) == {(1, 1): 600}


def test_a_side_wager_below_its_minimum_goes_back_alone():
    table = Table()
    table.open()
    table.wager(1, ante=500, bonus=99)
    table.no_more_bets()
    assert circles(table) == {(1, 1): 500}
    assert returned(table) == {(1, 2): (99, "BELOW_MINIMUM")}


def test_without_the_compulsory_pot_or_with_another_amount_a_position_is_left_out():
    table = Table()
    table.open((1, 2, 3, 4), pot=500)
    table.wager(1, ante=500, pot=500)
    table.wager(2, ante=500)
    table.wager(3, ante=500, pot=499)
    table.wager(4, ante=500, pot=501)
    table.no_more_bets()
    assert circles(table) == {(1, 1): 500, (1, 3): 500}
    assert returned(table) == {
        (2, 1): (500, "POT_MISSING"),
        (3, 1): (500, "POT_AMOUNT"),
        (3, 3): (499, "POT_AMOUNT"),
        (4, 1): (500, "POT_AMOUNT"),
        (4, 3): (501, "POT_AMOUNT"),
    }


def test_a_second_position_of_one_patron_is_refused_where_it_is_not_filed():
    table = Table()
    table.open({1: "ann", 2: "ann"})
    table.wager(1, ante=500)
    wager = table.wager(2, ante=500)
    assert read(table).refusals(wager) == ["SECOND_POSITION"]


def test_two_adjacent_positions_of_one_patron_play_where_it_is_filed():
    table = Table(HI_LO, adjacent_positions=True)
    table.open({1: "ann", 2: "ann", 4: "ann", 3: "bob"})
    near, far = (table.wager(1, ante=500), table.wager(2, ante=500)), table.wager(4, ante=500)
    reading = read(table)
    assert [reading.refusals(wager) for wager in near] == [[""], [""]]
    assert reading.refusals(far) == ["POSITIONS_NOT_ADJACENT"]


def test_positions_that_are_not_adjacent_are_refused_to_one_patron():
    table = Table(HI_LO, adjacent_positions=True)
    table.open({1: "ann", 3: "ann"})
    table.wager(1, ante=500)
    wager = table.wager(3, ante=500)
    assert read(table).refusals(wager) == ["POSITIONS_NOT_ADJACENT"]


def test_a_sum_that_is_no_multiple_of_the_wager_unit_goes_back():
    table = Table(wager_unit=100)
    table.open((1, 2))
    table.wager(1, ante=550)
    table.wager(2, ante=600, bonus=150)
    table.no_more_bets()
    assert circles(table) == {(2, 1): 600}
    assert returned(table) == {
        (1, 1): (550, "ANTE_NOT_A_MULTIPLE"),
        (2, 2): (150, "NOT_A_MULTIPLE"),
    }


def test_nobody_plays_without_the_pot_because_its_amount_is_no_multiple_of_the_unit():
    table = Table(wager_unit=300)
    table.open((1, 2), pot=1000)
    wager = table.wager(1, ante=600, pot=1000)
    table.no_more_bets()
    assert read(table).refusals(wager) == ["RULES_INVALID", "RULES_INVALID"]
    assert circles(table) == {}


def test_a_second_no_more_bets_changes_nothing():
    table = Table().to_betting_closed()
    table.no_more_bets()
    assert len(read(table).bodies("betting_closed")) == 1


def _wager_with_stakes(position, stakes):
    return facts_pb2.WagerRequested(
        position=position,
        patron_id=f"p{position}",
        instrument="value_chip",
        stakes=[money_pb2.Stake(kind=kind, amount_minor=amount) for kind, amount in stakes],
    )


# ---- a decision does not outgrow what a broker takes


def test_a_circle_is_made_up_of_a_hundred_requests_at_most():
    table = Table()
    table.open()
    wagers = [table.wager(1, ante=500) for _ in range(101)]
    reading = read(table)
    assert {reading.refusals(wager)[0] for wager in wagers[:100]} == {""}
    assert reading.refusals(wagers[100]) == ["TOO_MANY_WAGERS"]
    table.no_more_bets()
    assert circles(table) == {(1, 1): 50_000}


def test_a_request_for_more_things_than_a_layout_has_is_refused_whole():
    table = Table()
    table.open()
    wager = table.record("wager_requested", _wager_with_stakes(1, [(1, 500)] * 17))
    table.written[wager.event_id] = table.log.put(wager)
    withdrawal = table.withdraw(1, *["ante"] * 17)
    reading = read(table)
    assert reading.refusals(wager.event_id) == ["TOO_MUCH_ASKED"]
    assert reading.refusals(withdrawal) == ["TOO_MUCH_ASKED"]
    table.no_more_bets()
    assert circles(table) == {}
