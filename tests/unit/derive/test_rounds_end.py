"""Whatever ends a round, it is settled once or voided once."""

import pytest

from pitledger.pb import decisions_pb2 as pb
from tests.kit.laws import check_money, check_outcomes
from tests.kit.reading import read
from tests.kit.table import ANTE, BONUS, HI_LO, POT, SAIGON, Table

STAGES = {
    "opened": lambda t: t.open(),
    "wagered": lambda t: (t.open(), t.wager(1, ante=1000), t.wager(2, ante=1000)),
    "closed": lambda t: t.to_betting_closed(),
    "partly dealt": lambda t: (t.to_betting_closed(), t.deal(only=7)),
    "dealt": lambda t: t.to_dealt(),
    "irregular": lambda t: (t.to_dealt(), t.report()),
    "partly set": lambda t: (t.to_dealt(), t.set(1)),
    "set": lambda t: (t.to_dealt(), t.set_all()),
    "payout due": lambda t: t.to_payout(),
    "paid": lambda t: (t.to_payout(), t.paid(1), t.paid(2)),
    "corrected": lambda t: (t.to_payout(), t.correct(16, "")),
    "broken again": lambda t: (t.to_payout(), t.correct(1, "")),
}
DUE = {"payout due", "paid", "corrected"}
ENDS = {
    "round closed": lambda t: t.close_round(),
    "round void": lambda t: t.void(),
    "table closed": lambda t: t.close_table(),
    "next round": lambda t: t.open((1,)),
}


@pytest.mark.parametrize("game", [SAIGON, HI_LO])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("stage", STAGES)
def test_whatever_ends_a_round_it_is_settled_once_or_voided_once(game, stage, end):
    table = Table(game)
    STAGES[stage](table)
    round_id = table.round_id
    ENDS[end](table)
    reading = read(table)
    settled = stage in DUE and end != "round void"
    if end == "round closed" and not settled:
        assert reading.outcomes(round_id) == []
        assert reading.ended == []
        table.void()
        reading = read(table)
    assert reading.outcomes(round_id) == ["round_settled" if settled else "round_voided"]
    assert reading.ended == [round_id]
    assert reading.names(round_id).count("betting_closed") == 1
    check_outcomes(reading)
    check_money(reading)
    table.round_id = round_id
    before = len(reading.decisions)
    for again in ("round closed", "round void", "table closed"):
        ENDS[again](table)
    assert len(read(table).decisions) == before


@pytest.mark.parametrize("stage", STAGES)
def test_a_void_of_the_round_refunds_exactly_the_circles_of_the_close(stage):
    table = Table()
    STAGES[stage](table)
    table.void()
    expected = {} if stage == "opened" else {(1, ANTE): 1000, (2, ANTE): 1000}
    reading = read(table)
    assert reading.refunds() == expected
    [voided] = reading.bodies("round_voided")
    assert voided.reason == pb.VOID_REASON_ORDERED
    assert voided.totals.returned_minor == voided.totals.staked_minor == sum(expected.values())


def test_a_void_refunds_bonus_and_pot_and_not_what_went_back_at_the_close():
    table = Table()
    table.open((1, 2), pot=500)
    table.wager(1, ante=1000, bonus=300, pot=500)
    table.wager(2, ante=100, pot=500)
    table.no_more_bets()
    table.void()
    assert read(table).refunds() == {(1, ANTE): 1000, (1, BONUS): 300, (1, POT): 500}


def test_a_close_without_circles_derives_no_deal_and_its_end_voids_it():
    table = Table()
    table.open()
    table.no_more_bets()
    table.draw(1, "Ks")
    table.open()
    reading = read(table)
    assert reading.names() == ["betting_closed", "round_voided"]
    [voided] = reading.bodies("round_voided")
    assert voided.reason == pb.VOID_REASON_NO_PAYOUT_DUE
    assert not voided.lines


def test_a_round_never_closed_is_settled_by_the_next_if_its_payout_is_due():
    table = Table().to_payout()
    first = table.round_id
    opened = table.open()
    reading = read(table)
    assert reading.names(first)[-1] == "round_settled"
    ended = next(d for d in reading.decisions if d.body == "round_settled")
    assert opened.encode() in ended.value


def test_a_round_that_nothing_ends_stays_open():
    reading = read(Table().to_payout())
    assert reading.ended == []
    assert reading.outcomes() == []


INVALID_TERMS = {
    "no submission": {"submission": b""},
    "no digest": {"submission_digest": b""},
    "a currency in small letters": {"currency_code": "usd"},
    "no dealing method": {"method": 0},
    "a position that is not there": {"seats": {10: "ann"}},
    "position zero": {"seats": {0: "ann"}},
    "a seat without a patron": {"seats": {1: ""}},
    "a pot beyond the range": {"pot": 2**40},
}


@pytest.mark.parametrize("terms", INVALID_TERMS)
def test_a_round_of_invalid_terms_opens_refuses_everything_and_is_voided(terms):
    table = Table()
    table.open(**({"seats": (1, 2)} | INVALID_TERMS[terms]))
    requests = [table.wager(1, ante=500), table.withdraw(1, "ante")]
    table.no_more_bets()
    table.draw(1, "Ks")
    table.expose()
    requests += [
        table.correct(1, ""), table.rule_deal(), table.set(1), table.void(1),
        table.abandon(1, 1), table.close_round(),
    ]
    end = table.void()
    reading = read(table)
    for request in requests:
        assert reading.refusals(request) == ["RULES_INVALID"]
    assert reading.refusals(end) == [""]
    assert reading.names() == ["betting_closed", "round_voided"]
    assert reading.stuck == []


def test_a_seat_given_twice_makes_the_terms_invalid():
    table = Table()
    table.opened.Clear()
    table.open()
    table.opened.seats.add(position=1, patron_id="other")
    table.opened.round_number = 2
    event_id = table.new_id()
    table.fact("round_opened", table.opened, event_id=event_id, round_id=event_id)
    table.round_id = event_id
    wager = table.wager(1, ante=500)
    assert read(table).refusals(wager) == ["RULES_INVALID"]
