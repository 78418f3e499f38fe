"""Laws of the engine: same journal under crashes, repeats, loss, forgeries; nothing raises."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitledger.engine import Engine, Hole
from pitledger.journal.record import TYPE_OF_BODY, JournalRecord, Stored, serialize
from pitledger.processors.chain import OWNERS
from pitledger.replay import Replay
from tests.kit.house import House
from tests.kit.laws import check_complete, check_outcomes, recorded
from tests.kit.log import NOW_MS, Log
from tests.kit.reading import read
from tests.kit.table import HI_LO, Table
from tests.kit.wild import wild_fact
from tests.property.test_fold_laws import any_table, games, seeds


@settings(max_examples=40, deadline=None)
@given(games, seeds, st.sampled_from((0.02, 0.1, 0.5)), st.randoms(use_true_random=False))
def test_crashes_lost_sends_and_delays_leave_the_same_decisions(game, each, wild, rng):
    facts = any_table(game, each, wild).log
    want = {(d.event_id, d.value) for d in read(facts).decisions}
    log = Log()
    house = House(log)
    for worker in house.workers.values():
        worker.lost = lambda _emit: rng.random() < 0.3
    for fact in facts.all():
        log.append(fact.partition, fact.key, fact.headers, fact.value)
        worker = house[rng.choice(OWNERS)]
        match rng.randrange(5):
            case 0:
                worker.crash()
            case 1:
                worker.commit()
            case 2:
                worker.start()
            case 3:
                worker.resend()
            case _:
                worker.read(limit=rng.randrange(1, 20))
    for worker in house.workers.values():
        worker.lost = lambda _emit: False
    house.run()
    assert set(recorded(log)) == want


@settings(max_examples=40, deadline=None)
@given(games, seeds, st.randoms(use_true_random=False))
def test_decisions_that_are_late_doubled_or_forged_change_nothing_derived(game, each, rng):
    facts = any_table(game, each * 2, 0.05).log
    true = House(facts).run().decisions()
    log, forged = Log(), set()
    house = House(log)
    for stored in facts.all():
        log.append(stored.partition, stored.key, stored.headers, stored.value)
        if true and rng.random() < 0.4:
            other = rng.choice(true)
            if rng.random() < 0.5:
                other = forge(rng, other)
                forged.add(other.value)
            log.again(other)
        if rng.random() < 0.3:
            house[rng.choice(OWNERS)].read()
    house.run()
    check_outcomes(check_complete(log, forged | {s.value for s in true}))
    assert {d.value for d in read(log).decisions} == {d.value for d in read(facts).decisions}


def forge(rng: Random, true: Stored) -> Stored:
    """The decision of an attacker, or of a build with a bug."""
    record = JournalRecord.FromString(true.value)
    record.occurred_at += rng.randrange(1, 9)
    value = rng.choice((serialize(record), b"", b"\xff", true.value[:-1]))
    headers = dict(true.headers)
    if rng.random() < 0.3:
        headers["ce_type"] = TYPE_OF_BODY[rng.choice(("round_settled", "hands_dealt"))].encode()
    if rng.random() < 0.2:
        headers["ce_id"] = b"\xff\xfe"
    return replace(true, headers=tuple(headers.items()), value=value)


names = st.sampled_from(("ce_id", "ce_type", "ce_subject", "ce_source", "", "x"))
texts = st.one_of(
    st.none(),
    st.binary(max_size=40),
    st.sampled_from([name.encode() for name in TYPE_OF_BODY.values()]),
)
noise = st.tuples(
    st.one_of(st.none(), st.binary(max_size=20), st.just(b"T1")),
    st.lists(st.tuples(names, texts), max_size=8),
    st.one_of(st.none(), st.binary(max_size=200)),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(noise, max_size=20), st.integers(0, 25))
def test_arbitrary_records_raise_nowhere(records, watermark):
    stored = [
        Stored(0, offset, NOW_MS, key or b"", tuple(headers), value or b"")
        for offset, (key, headers, value) in enumerate(records)]
    engine = Engine("wagers", 1)
    engine.on_assigned(0, watermark=watermark, end=5, memory=stored[:watermark])
    replay = Replay(1, steps_of="x")
    for offset, (key, headers, value) in enumerate(records):
        engine.on_record(0, offset, NOW_MS, key, headers, value)
        replay.take(stored[offset])
    assert engine.next_offset(0) == max(watermark, len(records))


@settings(max_examples=80, deadline=None)
@given(games, seeds, st.randoms(use_true_random=False))
def test_spoilt_records_of_real_rounds_raise_nowhere(game, each, rng):
    log = any_table(game, each, 0.1).log
    House(log).run()
    engines = [Engine(owner, log.partitions) for owner in OWNERS]
    replay = Replay(log.partitions)
    [partition] = {s.partition for s in log.all()}
    for engine in engines:
        engine.on_assigned(partition, watermark=0, end=0)
    for stored in log.all():
        spoilt = spoil(rng, stored, log)
        replay.take(spoilt)
        for engine in engines:
            engine.on_record(
                partition, spoilt.offset, spoilt.broker_time, spoilt.key, spoilt.headers,
                spoilt.value)
    for report in replay.reports():
        assert report.round_id
    for engine in engines:
        assert 0 <= engine.committable(partition) <= engine.next_offset(partition)


def spoil(rng: Random, stored: Stored, log: Log) -> Stored:
    other = rng.choice(log.all())
    value = bytearray(stored.value)
    match rng.randrange(12):
        case 0:
            value[rng.randrange(len(value))] ^= 1 << rng.randrange(8)
            return replace(stored, value=bytes(value))
        case 1:
            return replace(stored, value=stored.value[: rng.randrange(len(value))])
        case 2:
            return replace(stored, headers=other.headers)
        case 3:
            return replace(stored, value=other.value)
        case 4:
            return replace(stored, key=b"T2")
        case 5:
            return replace(stored, broker_time=stored.broker_time + rng.randrange(-(10**7), 10**7))
        case _:
            return stored


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-4, 2), max_size=60))
def test_whatever_offsets_come_each_record_is_folded_once_and_in_order(steps):
    table = Table(HI_LO)
    rng = Random(7)
    while len(table.log.all()) < 41:
        wild_fact(rng, table, 0.1)
    records = table.log.all()
    engine = Engine("dealing", table.log.partitions)
    partition = records[0].partition
    engine.on_assigned(partition, watermark=0, end=0)
    expected = 0
    for step in steps:
        offset = min(max(expected + step, 0), len(records) - 1)
        stored = records[offset]
        record = (stored.broker_time, stored.key, stored.headers, stored.value)
        if offset > expected:
            with pytest.raises(Hole) as hole:
                engine.on_record(partition, offset, *record)
            assert (hole.value.expected, hole.value.got) == (expected, offset)
        else:
            engine.on_record(partition, offset, *record)
            expected += offset == expected
        assert engine.next_offset(partition) == expected


@settings(max_examples=30, deadline=None)
@given(games, seeds)
def test_the_watermark_never_goes_back_and_never_passes_an_unfinished_round(game, each):
    table = Table(game)
    house = House(table)
    last = dict.fromkeys(OWNERS, 0)
    for seed in each:
        wild_fact(Random(seed), table, 0.05)
        house.run()
        reading = read(table)
        open_rounds = [r for r in reading.opened if r not in reading.ended]
        stuck = [round_id for round_id, _ in reading.stuck]
        for owner, worker in house.workers.items():
            [partition] = {s.partition for s in table.log.all()}
            watermark = worker.engine.committable(partition)
            assert watermark >= last[owner]
            last[owner] = watermark
            for round_id in (*open_rounds, *stuck):
                assert watermark <= table.written[round_id].offset


