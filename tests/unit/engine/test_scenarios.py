"""Timing that broke simpler engines: delays, deaths and repeats around a round's turning points."""

import zlib
from itertools import permutations

import pytest

from pitledger.engine import Emit
from pitledger.journal.record import (
    TYPE_OF_BODY,
    JournalRecord,
    headers_of,
    partition_of,
    serialize,
)
from pitledger.processors.chain import OWNERS
from tests.kit.house import House, Worker
from tests.kit.laws import check_complete, check_money, check_outcomes, check_replay, recorded
from tests.kit.log import PARTITIONS, Log
from tests.kit.reading import read
from tests.kit.table import Table

PARTITION = partition_of("T1", PARTITIONS)


def type_of(emit: Emit) -> str:
    return emit.type.rpartition(".")[2]


def test_a_second_request_is_judged_on_the_first_though_its_answer_is_not_on_the_log_yet():
    table = Table()
    table.open()
    house = House(table)
    a, b = table.wager(1, ante=600_000), table.wager(1, ante=600_000)
    house.run()
    answers = {
        r.causation_id: r.request_answered.answers[0].refusal
        for r in map(JournalRecord.FromString, (s.value for s in house.decisions()))
    }
    assert answers == {a: 0, b: 14}


def test_an_outage_of_dealing_makes_no_set_early():
    table = Table()
    house = House(table)
    house.down.add("dealing")
    table.to_dealt(range(1, 7))
    house.run()
    hands = [table.set(position) for position in range(1, 7)]
    house.run()
    house.down.clear()
    house.run()
    reading = check_complete(house.log)
    assert [reading.refusals(hand) for hand in hands] == [[""]] * 6


@pytest.mark.parametrize("order", list(permutations(OWNERS)))
def test_in_whatever_order_the_processors_come_to_answer_the_bytes_are_the_same(order):
    table = Table().play((1, 2), pot=500)
    want = set(recorded(House(Table().play((1, 2), pot=500)).run().log))
    house = House(table)
    house.down = set(OWNERS)
    for owner in order * 4:
        house.down = set(OWNERS) - {owner}
        house.run()
        for stored in house.decisions()[-2:]:
            house.log.again(stored)
    assert set(recorded(house.log)) == want
    house.down = set()
    assert house.run().finished()


def test_a_payout_that_arrives_after_the_correction_is_not_booked():
    """80 deal; 85 CardCorrected; 86 the payout of the deal at 80 arrives."""
    table = Table().to_payout()
    house = House(table)
    late = []
    house["settlement"].lost = lambda e: type_of(e) == "PayoutDue" and (late.append(e) or True)
    house.run()
    table.correct(1, table.some_hands(6)[5][4])
    house["settlement"].read()
    house["settlement"].lost = lambda _emit: False
    house.log.append(late[0].partition, late[0].key, late[0].headers, late[0].value)
    old = table.close_round(1)
    house.run()
    reading = check_complete(house.log)
    assert reading.refusals(old) != [""]
    assert reading.outcomes() == []
    table.void()
    house.run()
    check_outcomes(check_complete(house.log))


def test_a_payout_that_arrives_after_the_void_is_not_paid_beside_the_refund():
    table = Table().to_payout()
    house = House(table)
    late = []
    house["settlement"].lost = lambda e: type_of(e) == "PayoutDue" and (late.append(e) or True)
    house.run()
    table.void()
    house.run()
    house["settlement"].lost = lambda _emit: False
    house.run()
    assert late
    reading = check_complete(house.log)
    assert reading.outcomes() == ["round_voided"]
    check_money(reading)
    assert house.finished()


@pytest.mark.parametrize("dies_after", range(4))
def test_late_requests_and_old_repeats_after_the_round_leave_no_decision_and_no_ghost(dies_after):
    """Round over at 40; a late request at 60; a repeat at 61 of one accepted at 30; a death."""
    table = Table()
    house = House(table)
    table.open((1,))
    accepted = table.wager(1, ante=500)
    table.void()
    house.run()
    before = len(house.decisions())
    steps = [lambda: table.wager(1, ante=500), lambda: table.again(accepted), lambda: None]
    for number, step in enumerate(steps):
        if number == dies_after:
            for worker in house.workers.values():
                worker.crash()
        step()
        house.run()
    for worker in house.workers.values():
        worker.crash()
    house.run()
    assert len(house.decisions()) == before
    assert house.finished()


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_from_a_watermark_in_the_midst_of_a_finished_round_nothing_of_it_is_judged(part):
    """Round 7 opened at 10, over at 100, all its decisions recorded; commit 50; restart at 50."""
    table = Table().play()
    house = House(table).run()
    table.play((2,))
    second = table.round_id.encode()
    watermark = int(part * table.written[table.round_id].offset)
    for worker in house.workers.values():
        worker.committed = {PARTITION: watermark}
        worker.start()
    house.run()
    for worker in house.workers.values():
        assert worker.alarms == []
    assert max(recorded(house.log).values()) == 1
    after = house.decisions()[-5:]
    assert {dict(s.headers)["ce_subject"] for s in after} == {second}
    assert house.finished()


def test_a_position_void_in_the_midst_of_the_deal_gives_its_card_to_nobody_else():
    """Position 3 void after card 8 of 35."""
    def dealt(void_after: int) -> dict:
        table = Table().to_betting_closed(range(1, 7))
        hands = table.some_hands(7)
        for ordinal in range(1, 36):
            table.draw(ordinal, hands[(ordinal - 1) % 7][(ordinal - 1) // 7])
            if ordinal == void_after:
                table.void(3)
        house = House(table).run()
        [dealt] = check_complete(house.log).bodies("hands_dealt")
        return {h.position: list(h.cards) for h in (*dealt.hands, dealt.dealer)}

    assert dealt(8) == dealt(0)
    assert len(dealt(8)) == 7


def test_a_producer_that_hashes_keys_otherwise_makes_no_second_half_of_a_round():
    ordinary = Table().play()
    log = Log()
    for stored in ordinary.log.all():
        by_crc = zlib.crc32(b"T1") % PARTITIONS
        assert by_crc != PARTITION
        log.append(by_crc if stored.offset % 2 else PARTITION, stored.key, stored.headers,
                   stored.value)
    house = House(log).run()
    reading = check_complete(log)
    assert reading.opened == [ordinary.round_id]
    astray = [q for q in house["wagers"].quarantined if q.reason == "foreign_partition"]
    assert len(astray) == len(ordinary.log.all()) // 2
    assert reading.names() == []


def test_a_worker_that_keeps_its_partitions_but_is_sought_back_folds_nothing_twice():
    table = Table().to_payout()
    house = House(table).run()
    worker = house["settlement"]
    for stored in house.log.records[PARTITION]:
        worker.take(stored)
    table.close_round()
    house.run()
    check_outcomes(check_complete(house.log))
    assert max(recorded(house.log).values()) == 1


def test_a_worker_woken_after_the_round_was_voided_writes_nothing_that_counts():
    table = Table().to_dealt()
    house = House(table)
    zombie = Worker("evaluation", house.log)
    held = []
    zombie.lost = lambda emit: held.append(emit) or True
    house.run()
    table.set_all()
    zombie.read()
    table.void()
    house.run()
    for emit in held:
        house.log.append(emit.partition, emit.key, emit.headers, emit.value)
    house.run()
    check_outcomes(check_complete(house.log))
    check_replay(house.log)


def test_the_wagers_processor_is_the_one_that_answers_wagers_and_so_on():
    table = Table().to_dealt()
    facts = {
        table.wager(1, ante=500): "wagers",
        table.withdraw(1, "ante"): "wagers",
        table.correct(1, ""): "dealing",
        table.rule_deal(): "dealing",
        table.set(2): "evaluation",
        table.void(1): "settlement",
        table.abandon(2, 1): "settlement",
        table.close_round(): "settlement",
    }
    house = House(table).run()
    by = {}
    for stored in house.decisions():
        record = JournalRecord.FromString(stored.value)
        if record.HasField("request_answered") and record.causation_id in facts:
            by[record.causation_id] = dict(stored.headers)["ce_source"].decode()
            assert record.source == by[record.causation_id]
            assert record.actor == ""
    assert by == facts


def test_a_decision_bears_the_time_and_id_of_the_fact_at_which_it_was_derived():
    table = Table().to_dealt()
    house = House(table).run()
    for stored in house.decisions():
        record = JournalRecord.FromString(stored.value)
        cause = JournalRecord.FromString(table.written[record.causation_id].value)
        assert record.occurred_at == cause.occurred_at
        assert dict(stored.headers) == dict(headers_of(record))
        assert serialize(record) == stored.value
        assert stored.key == b"T1"
        assert dict(stored.headers)["ce_type"].decode() in TYPE_OF_BODY.values()


def test_the_engine_counts_what_it_saw():
    table = Table()
    table.open()
    wager = table.wager(1, ante=500)
    table.wager(1, ante=2_000_000)
    table.again(wager)
    house = House(table).run()
    counts = house["wagers"].engine.counts
    assert counts["fact", "wager_requested"] == 3
    assert counts["no_effect", "repeat"] == 1
    assert counts["emitted", "request_answered"] == 2
    assert counts["decision_seen", "request_answered"] == 2
    assert counts["refusal", "REFUSAL_ABOVE_MAXIMUM"] == 1
    assert house["dealing"].engine.counts["refusal", "REFUSAL_ABOVE_MAXIMUM"] == 0


def test_no_processor_has_another_name():
    with pytest.raises(ValueError, match="gateway"):
        Worker("gateway", Log())


def test_reading_a_journal_needs_no_engine():
    """The fold that assertions use finds what the engines wrote."""
    table = Table().play()
    assert {(d.event_id, d.value) for d in read(table).decisions} == set(
        recorded(House(table).run().log))
