"""Round numbers and ids: what a restart must know of the time before its watermark."""

import random

import pytest

from pitledger.derive import TableFold
from pitledger.engine import Engine, Refold
from pitledger.journal.ids import fact_id
from pitledger.journal.record import partition_of
from tests.kit.house import House, Worker
from tests.kit.laws import check_complete, check_outcomes, check_replay, recorded
from tests.kit.log import PARTITIONS, Log
from tests.kit.reading import read
from tests.kit.table import Table

MINUTE = 60_000
PARTITION = partition_of("T1", PARTITIONS)


def test_a_round_opened_repeated_after_the_round_and_a_restart_opens_no_ghost():
    table = Table().play()
    house = House(table).run()
    for worker in house.workers.values():
        worker.crash()
        assert worker.committed[PARTITION] == len(house.log.records[PARTITION])
    table.again(table.round_id)
    house.run()
    assert house.finished()
    check_outcomes(check_complete(house.log))
    assert max(recorded(house.log).values()) == 1


def test_a_repeat_of_any_round_opened_after_any_restart_has_no_effect():
    table = Table()
    house = House(table)
    opened = []
    for _ in range(4):
        table.play((1,))
        opened.append(table.round_id)
        house.run()
        for worker in house.workers.values():
            worker.crash()
        for event_id in opened:
            table.again(event_id)
        house.run()
        assert house.finished()
    reading = check_complete(house.log)
    assert reading.opened == opened
    check_outcomes(reading)


@pytest.mark.parametrize("number", [1, 2])
def test_a_round_number_that_does_not_rise_has_no_effect_and_alarms(number):
    table = Table()
    table.play()
    table.play()
    house = House(table).run()
    house["wagers"].crash()
    ignored = table.open(number=number)
    house.run()
    assert read(table).no_effect[ignored] == ["round_number_not_rising"]
    for worker in house.workers.values():
        assert [(a.kind, a.round_id) for a in worker.alarms] == [("round_ignored", ignored)]
    assert house.finished()


def test_the_next_number_opens_in_mid_round_and_ends_the_round_before():
    table = Table().to_payout()
    first = table.round_id
    table.to_dealt()
    second = table.round_id
    house = House(table).run()
    reading = check_complete(house.log)
    assert reading.names(first)[-1] == "round_settled"
    assert reading.names(second)[-1] == "hands_dealt"
    table.open()
    house.run()
    reading = check_complete(house.log)
    assert reading.names(second)[-1] == "round_voided"


def test_a_same_number_with_another_id_in_mid_round_leaves_the_round_as_it_is():
    table = Table().to_dealt()
    open_round = table.round_id
    table.record("round_opened", table.opened)
    rival = table.new_id()
    table.fact("round_opened", table.opened, event_id=rival, round_id=rival)
    table.set_all()
    table.expose()
    table.close_round()
    reading = read(table)
    assert reading.no_effect[rival] == ["round_number_not_rising"]
    assert reading.names(open_round)[-1] == "round_settled"


def test_the_id_of_an_earlier_round_opens_nothing_though_its_number_rises():
    table = Table().play()
    old = table.round_id
    table.opened.round_number = 9
    table.fact("round_opened", table.opened, event_id=old, round_id=old)
    reading = read(table)
    assert reading.opened == [old]
    assert reading.no_effect[old] == ["round_id_repeated"]


@pytest.mark.parametrize("off", [-5 * MINUTE - 2, 5 * MINUTE + 2])
def test_a_stale_round_opened_has_no_effect_and_alarms(off):
    table = Table()
    table.number += 1
    table.open((1,))
    table = Table()
    late = _opened(table, 1, time_ms=table.log.clock + off)
    house = House(table).run()
    assert read(table).no_effect[late] == ["stale"]
    assert house["dealing"].kinds() == ["round_ignored"]


@pytest.mark.parametrize("off", [-5 * MINUTE + 2, 5 * MINUTE - 2])
def test_a_round_opened_within_five_minutes_of_the_brokers_clock_opens(off):
    table = Table()
    opened = _opened(table, 1, time_ms=table.log.clock + off)
    assert read(table).opened == [opened]


def test_either_of_its_two_times_makes_a_round_opened_stale():
    table = Table()
    now = table.log.clock
    _opened(table, 1, time_ms=now, occurred_at=1000 * (now - 6 * MINUTE))
    _opened(table, 2, time_ms=now - 6 * MINUTE, occurred_at=1000 * now)
    assert read(table).opened == []


def test_a_stale_round_opened_leaves_no_number_behind():
    table = Table()
    _opened(table, 2**64 - 1, time_ms=table.log.clock - 6 * MINUTE)
    table.play()
    assert read(table).opened == [table.round_id]


def test_a_number_bears_on_the_ten_minutes_after_it_and_no_longer():
    table = Table()
    _opened(table, 1000, time_ms=table.log.clock)
    table.log.clock += 10 * MINUTE - 1
    inside = _opened(table, 1, time_ms=table.log.clock)
    table.log.clock += 10 * MINUTE + 1
    outside = _opened(table, 1, time_ms=table.log.clock)
    reading = read(table)
    assert reading.no_effect[inside] == ["round_number_not_rising"]
    assert reading.opened[-1] == outside


def test_no_id_opens_two_rounds_when_the_brokers_clock_goes_back():
    """A new leader's clock was four minutes ahead; the console's retry meets the old one's."""
    table = Table()
    table.log.clock += 4 * MINUTE
    table.open()
    table.wager(1, ante=500)
    table.log.clock -= 4 * MINUTE
    table.again(table.round_id)
    table.no_more_bets()
    house = House(table).run()
    reading = check_complete(house.log)
    assert reading.opened == [table.round_id]
    assert reading.no_effect[table.round_id] == ["round_id_repeated"]
    assert reading.names() == ["betting_closed"]


def test_an_hour_ahead_for_a_minute_ignores_no_round_without_an_alarm_and_doubles_none():
    log = Log()
    table = Table(log=log)
    house = House(table)
    table.play()
    house.run()
    log.clock += 60 * MINUTE
    ignored = _opened(table, table.number + 1, time_ms=log.clock - 60 * MINUTE)
    house.run()
    log.clock -= 59 * MINUTE
    table.again(ignored)
    house.run()
    table.number += 1
    table.play()
    house.run()
    for worker in house.workers.values():
        worker.crash()
    table.play()
    house.run()
    reading = check_complete(log)
    check_outcomes(reading)
    check_replay(log)
    assert reading.no_effect[ignored] == ["stale"]
    assert ignored in reading.opened
    assert house["wagers"].kinds() == ["round_ignored"]
    assert house.finished()


def test_a_clock_that_goes_back_before_the_memory_asks_for_an_earlier_one():
    log = Log()
    table = Table(log=log)
    for _ in range(3):
        table.play()
        log.clock += 20 * MINUTE
    house = House(table).run()
    house["wagers"].crash()
    since = log.records[PARTITION][-1].broker_time
    log.clock -= 35 * MINUTE
    late = table.play().round_id
    effects = []
    worker = house["wagers"]
    do = worker._do
    worker._do = lambda some: (effects.extend(some), do(some))[0]
    worker.read()
    [refold] = [e for e in effects if isinstance(e, Refold)]
    assert refold.partition == PARTITION
    assert refold.before_ms < since - 15 * MINUTE
    house.run()
    assert late in read(log).opened
    check_complete(house.log)


def test_after_a_refold_was_asked_for_nothing_more_is_folded_until_the_new_assignment():
    engine, log, table = Engine("wagers", PARTITIONS), Log(), None
    table = Table(log=log)
    table.play()
    records = log.records[PARTITION]
    since = log.clock
    engine.on_assigned(
        PARTITION, watermark=0, end=0, memory_since=since)
    [refold] = _take(engine, records[0])
    assert refold == Refold(PARTITION, records[0].broker_time)
    assert [_take(engine, stored) for stored in records[:3]] == [[], [], []]
    assert engine.committable(PARTITION) == 0
    engine.on_assigned(PARTITION, watermark=0, end=0, memory_since=since - 30 * MINUTE)
    assert _take(engine, records[0]) == []
    assert engine.open_rounds(PARTITION) == 1


def test_round_numbers_of_more_than_an_hour_ago_are_forgotten_and_a_refold_brings_them_back():
    log = Log()
    table = Table(log=log)
    house = House(table)
    table.play()
    first = table.written[table.round_id]
    house.run()
    for _ in range(8):
        log.clock += 10 * MINUTE
        table.play()
        house.run()
    engine = house["wagers"].engine
    fold = engine._assigned[PARTITION].tables["T1"]
    assert len(fold.table._numbers) == 6
    log.clock = first.broker_time + MINUTE
    table.number = 98
    event_id = dict(first.headers)["ce_id"].decode()
    _opened(table, 99, time_ms=log.clock, event_id=event_id)
    house.run()
    reading = check_complete(log)
    check_outcomes(reading)
    assert reading.no_effect[event_id] == ["round_id_repeated"]
    assert house.finished()


def test_what_lies_below_the_watermark_is_not_judged():
    """Facts and decisions of finished rounds in the memory have neither effect nor alarm."""
    table = Table().play()
    house = House(table).run()
    log = house.log
    log.append(PARTITION, b"T1", (("ce_type", b"nonsense"),), b"\xff\xff")
    house.run()
    worker = house["wagers"]
    before = len(worker.quarantined)
    worker.crash()
    worker.read()
    assert len(worker.quarantined) == before == 1
    assert worker.engine.counts["fact", "round_opened"] == 0


@pytest.mark.parametrize("seed", range(25))
def test_after_a_restart_anywhere_the_same_rounds_open_whatever_the_clock_did(seed):
    rng = random.Random(seed)
    log = Log(partitions=1)
    table = Table(log=log)
    ids = [fact_id(log.clock + rng.randrange(-MINUTE, MINUTE), n) for n in range(12)]
    for _ in range(40):
        log.clock += rng.choice((1, MINUTE, 4 * MINUTE, -3 * MINUTE, -8 * MINUTE, 70 * MINUTE))
        event_id = rng.choice(ids) if rng.random() < 0.3 else ""
        _opened(table, rng.randrange(1, 60), time_ms=log.clock, event_id=event_id)
    want = _opened_from(log, 0)
    assert len({round_id for _, round_id in want}) == len(want) > 3
    for watermark in range(len(log.records[0])):
        assert _opened_from(log, watermark) == [at for at in want if at[0] >= watermark]


def _opened_from(log, watermark):
    """(offset, round id) of what opens at the watermark and after it."""
    opened = {}

    class Watched(TableFold):
        def fact(self, offset, fact, broker_time):
            derived = super().fact(offset, fact, broker_time)
            if derived.opened:
                opened[offset] = derived.opened
            return derived

    worker = Worker("wagers", log)
    worker.make_fold = lambda _table_id: Watched()
    worker.committed = {0: watermark}
    worker.start()
    worker.read()
    return sorted(opened.items())


def test_a_table_knows_nothing_of_another_tables_numbers():
    log = Log(partitions=1)
    Table(table_id="A", log=log).open(number=50)
    other = Table(table_id="B", log=log)
    other.open(number=1)
    assert len(read(log).opened) == 2


def test_one_round_id_at_two_tables_is_two_rounds():
    """Two consoles that made the same id: neither round may end or hide the other."""
    log = Log(partitions=1)
    first, second = Table(table_id="A", log=log), Table(table_id="B", log=log)
    first.open()
    first.wager(1, ante=500)
    second.new_id = lambda: first.round_id
    second.open()
    del second.new_id
    house = House(log).run()
    second.wager(1, ante=700)
    second.void()
    house.run()
    assert house.committable() == {-len(log.records[0])}
    for worker in house.workers.values():
        worker.crash()
    first.no_more_bets()
    first.void()
    house.run()
    assert house.finished()
    reading = check_complete(log)
    assert [len(v.lines) for v in reading.bodies("round_voided")] == [1, 1]
    check_replay(log)


def test_numbers_are_searched_by_time_and_not_all_of_them():
    fold = TableFold()
    table = Table()
    for number in range(1, 30):
        record = table.record("round_opened", table.opened)
        record.round_opened.round_number = number
        time_ms = table.log.clock + number * MINUTE
        record.event_id = fact_id(time_ms, number)
        record.occurred_at = 1000 * time_ms
        assert fold.table.note_number(record, time_ms) == ""
    assert fold.table.forget(table.log.clock + 20 * MINUTE)
    assert not fold.table.forget(table.log.clock + 20 * MINUTE)


def _opened(table, number, *, time_ms, occurred_at=None, event_id=""):
    """A RoundOpened whose times are `time_ms`, as its console had them."""
    table.serial += 1
    event_id = event_id or fact_id(time_ms, table.serial)
    table.opened.round_number = number
    table.opened.adjudication_version = 1
    return table.fact(
        "round_opened", table.opened, event_id=event_id, round_id=event_id,
        occurred_at=1000 * time_ms if occurred_at is None else occurred_at)


def _take(engine, stored):
    return engine.on_record(
        stored.partition, stored.offset, stored.broker_time, stored.key, stored.headers,
        stored.value)
