"""Live, watermark, offsets: after any crash the same decisions, and nothing lost or twice."""

import pytest

from pitledger.engine import Emit, Engine, Hole
from pitledger.journal.record import partition_of
from pitledger.processors.chain import OWNERS
from tests.kit.house import House, Worker
from tests.kit.laws import check_complete, check_outcomes, check_replay, recorded
from tests.kit.log import PARTITIONS, Log
from tests.kit.table import HI_LO, Table


def facts_of_an_eventful_table() -> Log:
    """Settled; corrected after the exposure; void by order; forgotten; still open."""
    table = Table()
    table.play()
    table.to_payout((1, 3), pot=500)
    table.correct(2, "")
    table.void(3)
    table.open((1,))
    table.wager(1, ante=500)
    table.void()
    table.to_dealt((2,))
    table.to_betting_closed((1,))
    return table.log


@pytest.mark.parametrize("owner", OWNERS)
def test_a_crash_after_any_record_changes_nothing_on_the_journal(owner):
    facts = facts_of_an_eventful_table().all()
    want = set(recorded(House(facts_of_an_eventful_table()).run().log))
    crash_at, taken = 0, 1
    while crash_at < taken:
        taken = _play_with_a_crash(facts, owner, crash_at, want)
        crash_at += 1
    assert taken > 60


def _play_with_a_crash(facts, owner, crash_at, want) -> int:
    log = Log()
    house = House(log)
    worker, taken = house[owner], 0
    for fact in facts:
        log.append(fact.partition, fact.key, fact.headers, fact.value)
        for _ in range(40):
            for other in house.workers.values():
                if other is not worker:
                    other.read()
            if not worker.read(limit=1):
                break
            if taken == crash_at:
                worker.crash()
            taken += 1
    house.run()
    assert set(recorded(log)) == want, f"{owner} died after {crash_at} records"
    return taken


@pytest.mark.parametrize("owner", OWNERS)
def test_a_crash_after_any_record_with_every_send_lost_changes_nothing(owner):
    """What it sent in its first life never arrived."""
    facts = facts_of_an_eventful_table().all()
    want = set(recorded(House(facts_of_an_eventful_table()).run().log))
    for crash_at in range(0, len(facts), 3):
        log = Log()
        house = House(log)
        house[owner].lost = lambda _emit: True
        for number, fact in enumerate(facts):
            log.append(fact.partition, fact.key, fact.headers, fact.value)
            while sum([w.read() for w in house.up()]):
                pass
            if number == crash_at:
                house[owner].lost = lambda _emit: False
                house[owner].crash()
        house[owner].lost = lambda _emit: False
        house.run()
        assert set(recorded(log)) == want


def test_the_watermark_is_the_first_offset_of_the_oldest_round_not_finished():
    table = Table()
    house = House(table)
    partition = partition_of("T1", PARTITIONS)
    engine = house["wagers"].engine
    table.to_payout()
    house.run()
    assert engine.committable(partition) == 0
    table.close_round()
    house.down.add("settlement")
    house.run()
    assert engine.committable(partition) == 0
    house.down.clear()
    house.run()
    assert engine.committable(partition) == engine.next_offset(partition) > 0


def test_a_round_ended_while_others_wait_is_not_forgotten_by_the_one_that_saw_all_its_own():
    house = House(Table().play())
    house.down = {"dealing"}
    house.run()
    house["wagers"].crash()
    house.down = set()
    house.run()
    assert house.finished()
    check_complete(house.log)


def test_an_open_round_of_one_table_holds_the_watermark_for_the_partitions_others():
    log = Log(partitions=1)
    first, second = Table(table_id="A", log=log), Table(table_id="B", log=log)
    first.to_dealt()
    for _ in range(3):
        second.play()
    house = House(log).run()
    assert house["dealing"].engine.committable(0) == 0
    first.void()
    house.run()
    assert house.finished()


def test_before_the_end_offset_nothing_is_emitted_and_then_all_that_is_due():
    log = Table().play().log
    partition = partition_of("T1", PARTITIONS)
    records = log.records[partition]
    engine = Engine("wagers", PARTITIONS)
    assert engine.on_assigned(partition, watermark=0, end=len(records)) == []
    effects = [_take(engine, stored) for stored in records]
    assert all(not e for e in effects[:-1])
    assert [e.type for e in effects[-1]] == [
        "pitledger.v1.RequestAnswered",
        "pitledger.v1.RequestAnswered",
        "pitledger.v1.BettingClosed",
    ]


def test_an_engine_is_not_live_before_the_end_that_was_read():
    log = Table().play().log
    partition = partition_of("T1", PARTITIONS)
    *before, last = log.records[partition]
    engine = Engine("wagers", PARTITIONS)
    engine.on_assigned(partition, watermark=0, end=last.offset + 1)
    for stored in before:
        assert _take(engine, stored) == []
    assert not engine.is_live(partition)
    assert list(engine.outstanding(partition)) == []
    effects = _take(engine, last)
    assert engine.is_live(partition)
    assert len([e for e in effects if isinstance(e, Emit)]) == 3


def test_what_was_recorded_before_the_restart_is_not_written_again():
    house = House(Table().to_payout()).run()
    before = len(house.log.all())
    for worker in house.workers.values():
        worker.crash()
    house.run()
    assert len(house.log.all()) == before


def test_a_send_that_was_lost_is_due_again_with_the_same_bytes():
    table = Table()
    house = House(table)
    lost = []
    house["wagers"].lost = lambda emit: lost.append(emit) or len(lost) < 4
    table.open()
    table.wager(1, ante=500)
    house["wagers"].read()
    partition = partition_of("T1", PARTITIONS)
    [due] = house["wagers"].engine.outstanding(partition)
    assert due == lost[0]
    for _ in range(4):
        house.run()
    assert house["wagers"].engine.outstanding(partition) == []
    assert lost == [due] * 4
    check_complete(house.log)


def test_a_hole_is_raised_and_nothing_is_folded():
    log = Table().play().log
    partition = partition_of("T1", PARTITIONS)
    engine = Engine("wagers", PARTITIONS)
    engine.on_assigned(partition, watermark=0, end=0)
    _take(engine, log.records[partition][0])
    with pytest.raises(Hole) as hole:
        _take(engine, log.records[partition][2])
    assert (hole.value.expected, hole.value.got) == (1, 2)
    assert engine.next_offset(partition) == 1
    assert _take(engine, log.records[partition][1]) != []


def test_records_fetched_again_are_ignored():
    log = Table().play().log
    partition = partition_of("T1", PARTITIONS)
    engine = Engine("wagers", PARTITIONS)
    engine.on_assigned(partition, watermark=0, end=0)
    emitted = []
    for last in range(len(log.records[partition])):
        for stored in log.records[partition][max(0, last - 5) : last + 1]:
            emitted += _take(engine, stored)
            assert engine.next_offset(partition) >= last
    assert engine.counts["no_effect", "repeat"] == 0
    assert len(emitted) == len({e.event_id for e in emitted}) == 3


def test_a_partition_assigned_anew_starts_afresh_though_it_was_held():
    table = Table().to_dealt()
    house = House(table).run()
    partition = partition_of("T1", PARTITIONS)
    worker = house["dealing"]
    worker.commit()
    worker.assign(partition)
    assert worker.engine.next_offset(partition) == 0
    assert worker.engine.open_rounds(partition) == 0
    table.set_all()
    table.expose()
    table.close_round()
    house.run()
    check_complete(house.log)
    assert max(recorded(house.log).values()) == 1


def test_a_partition_that_is_revoked_is_taken_over_by_another_worker():
    table = Table(HI_LO).to_dealt()
    house = House(table).run()
    old = house["evaluation"]
    old.commit()
    new = Worker("evaluation", house.log)
    new.committed = old.committed
    new.start()
    house.workers["evaluation"] = new
    table.set_all()
    table.expose()
    table.close_round()
    house.run()
    check_complete(house.log)


def test_a_zombie_that_writes_late_writes_only_what_is_there_already():
    table = Table().to_payout()
    house = House(table)
    zombie = Worker("settlement", house.log)
    sleeping = []
    zombie.lost = lambda emit: sleeping.append(emit) or True
    house.run()
    zombie.read()
    zombie.resend()
    table.close_round()
    house.run()
    zombie.lost = lambda _emit: False
    for emit in sleeping:
        house.log.append(emit.partition, emit.key, emit.headers, emit.value)
    zombie.read()
    house.run()
    check_outcomes(check_complete(house.log))
    check_replay(house.log)
    assert house.finished()


def test_two_workers_of_one_processor_at_once_change_nothing():
    table = Table()
    house = House(table)
    house.workers |= {f"{owner} again": Worker(owner, house.log) for owner in OWNERS}
    table.play()
    house.run()
    check_outcomes(check_complete(house.log))
    assert house.finished()


def test_without_committed_offset_an_engine_judges_only_what_opens_after_its_first_record():
    table = Table().to_dealt()
    house = House(table)
    for worker in house.workers.values():
        worker.committed = {p: len(r) for p, r in enumerate(house.log.records)}
        worker.start()
    table.set_all()
    table.play((1,))
    house.run()
    first, second = house.decisions(), table.round_id.encode()
    assert {dict(s.headers)["ce_subject"] for s in first} == {second}
    assert house.finished()


def _take(engine, stored):
    return engine.on_record(
        stored.partition, stored.offset, stored.broker_time, stored.key, stored.headers,
        stored.value)
