"""Bad input on the journal: no effect, a copy in quarantine, an alarm, and the tables play on."""

import gc
import tracemalloc
from dataclasses import replace
from hashlib import sha256

import pytest

from pitledger.audit import audit
from pitledger.engine import Engine
from pitledger.journal.record import (
    CASE_DECISION_TYPES,
    DECISION_TYPES,
    TYPE_OF_BODY,
    JournalRecord,
    headers_of,
    partition_of,
    serialize,
)
from pitledger.journal.vocabulary import as_fact
from pitledger.pb import facts_pb2, rules_pb2
from pitledger.processors.opening import terms_of
from pitledger.replay import Replay, replay_all
from tests.kit.house import House
from tests.kit.laws import check_complete, check_outcomes
from tests.kit.log import PARTITIONS
from tests.kit.reading import read
from tests.kit.table import Table

PARTITION = partition_of("T1", PARTITIONS)


def _wager(table: Table, **envelope) -> JournalRecord:
    message = facts_pb2.WagerRequested(position=1, patron_id="p1", instrument="value_chip")
    message.stakes.add(kind=1, amount_minor=5000)
    return table.record("wager_requested", message, **envelope)


def _with(headers, **changes):
    return tuple((name, changes.get(name, value)) for name, value in headers)


def _without(headers, name):
    return tuple(h for h in headers if h[0] != name)


NOISE = {
    "undecodable": lambda t, r: (b"T1", headers_of(r), b"\xff\xfe"),
    "cut short": lambda t, r: (b"T1", headers_of(r), serialize(r)[:-1]),
    "empty": lambda t, r: (b"T1", headers_of(r), b""),
    "no value": lambda t, r: (b"T1", headers_of(r), None),
    "no key": lambda t, r: (None, headers_of(r), serialize(r)),
    "another key": lambda t, r: (b"T2", headers_of(r), serialize(r)),
    "no headers": lambda t, r: (b"T1", (), serialize(r)),
    "headers of no value": lambda t, r: (
        b"T1", tuple((name, None) for name, _ in headers_of(r)), serialize(r)),
    "no ce_id": lambda t, r: (b"T1", _without(headers_of(r), "ce_id"), serialize(r)),
    "no ce_type": lambda t, r: (b"T1", _without(headers_of(r), "ce_type"), serialize(r)),
    "no ce_subject": lambda t, r: (b"T1", _without(headers_of(r), "ce_subject"), serialize(r)),
    "another ce_id": lambda t, r: (b"T1", _with(headers_of(r), ce_id=b"x"), serialize(r)),
    "another ce_subject": lambda t, r: (b"T1", _with(headers_of(r), ce_subject=b"x"), serialize(r)),
    "another ce_type": lambda t, r: (
        b"T1", _with(headers_of(r), ce_type=TYPE_OF_BODY["no_more_bets"].encode()), serialize(r)),
    "an unknown ce_type": lambda t, r: (
        b"T1", _with(headers_of(r), ce_type=b"pit.v9.X"), serialize(r)),
    "a decision under a fact's type": lambda t, r: (b"T1", headers_of(r), _decision_bytes(t, r)),
    "doubled ce_id": lambda t, r: (b"T1", (*headers_of(r), ("ce_id", b"x")), serialize(r)),
    "an id that is no UUIDv7": lambda t, r: _put(r, event_id="7"),
    "an id in capitals": lambda t, r: _put(r, event_id=r.event_id.upper()),
    "a cause": lambda t, r: _put(r, causation_id=r.event_id),
    "a console's number on a terminal's fact": lambda t, r: _put(r, table_seq=1),
    "an unknown enum value": lambda t, r: _put_body(r, facts_pb2.WagerRequested(
        position=1, stakes=[{"kind": 99, "amount_minor": 1}])),
}


def _put(record, **envelope):
    changed = JournalRecord()
    changed.CopyFrom(record)
    for name, value in envelope.items():
        setattr(changed, name, value)
    return b"T1", headers_of(changed), serialize(changed)


def _put_body(record, message):
    changed = JournalRecord()
    changed.CopyFrom(record)
    changed.wager_requested.CopyFrom(message)
    return b"T1", headers_of(changed), serialize(changed)


def _decision_bytes(table, record):
    changed = JournalRecord()
    changed.CopyFrom(record)
    changed.round_settled.SetInParent()
    return serialize(changed)


@pytest.mark.parametrize("name", NOISE)
def test_what_is_no_fact_has_no_effect_and_lies_in_quarantine_once(name):
    table = Table()
    table.open()
    table.wager(1, ante=1000)
    noise = table.log.append(PARTITION, *NOISE[name](table, _wager(table)))
    table.no_more_bets()
    table.deal("Ac 2c 3c 4c 5c", "Ad 2d 3d 4d 5d", "Ah 2h 3h 4h 5h")
    house = House(table).run()
    reading = check_complete(house.log)
    [close] = reading.bodies("betting_closed")
    assert [c.stake_minor for c in close.circles] == [1000]
    for worker in house.workers.values():
        assert worker.kinds() == ["not_a_fact"]
        said = (dict(noise.headers).get("ce_id") or b"").decode(errors="replace")
        assert [alarm.event_id for alarm in worker.alarms] == [said]
        [copy] = worker.quarantined
        assert (copy.offset, copy.key, copy.value) == (
            noise.offset, noise.key or b"", noise.value or b"")
    as_stored = [replace(s, key=s.key or b"", value=s.value or b"") for s in house.log.all()]
    for report in replay_all(as_stored, PARTITIONS):
        assert report.difference is None


@pytest.mark.parametrize(("length", "opens"), [(256, True), (257, False), (500_000, False)])
def test_a_table_whose_id_would_make_decisions_too_large_never_opens(length, opens):
    table = Table(table_id="t" * length)
    table.open()
    table.no_more_bets()
    table.close_table()
    decided, audited = read(table), audit(table.log.all(), PARTITIONS)
    assert bool(decided.decisions) is opens
    assert decided.not_facts == ([] if opens else ["table_id_too_long"] * 3)
    assert bool(audited.counts.get("rounds_ended_voided")) is opens


def test_a_copy_goes_into_quarantine_also_while_the_engine_folds_silently():
    table = Table().to_dealt()
    table.log.append(PARTITION, b"T1", (), b"\xff")
    house = House(table)
    assert not house["wagers"].engine.is_live(PARTITION)
    house["wagers"].read()
    assert [q.reason for q in house["wagers"].quarantined] == ["undecodable"]


def test_a_fact_in_another_partition_than_its_tables_is_no_fact():
    table = Table()
    table.open()
    record = _wager(table)
    other = (PARTITION + 1) % PARTITIONS
    table.log.append(other, b"T1", headers_of(record), serialize(record))
    house = House(table).run()
    assert [q.reason for q in house["wagers"].quarantined] == ["foreign_partition"]
    assert house.decisions() == []


def test_a_fact_of_a_round_that_never_was_has_no_effect():
    table = Table().to_dealt()
    real, table.round_id = table.round_id, table.new_id()
    stray = table.wager(1, ante=500)
    table.round_id = real
    assert read(table).no_effect == {stray: ["other_round"]}


def test_before_any_round_facts_have_no_effect():
    table = Table()
    table.round_id = table.new_id()
    early = table.wager(1, ante=500)
    assert read(table).no_effect == {early: ["no_open_round"]}


def test_a_fact_of_a_finished_round_gets_no_decision():
    table = Table().play()
    facts = (
        table.wager(1, ante=500), table.correct(1, "Ks"), table.void(), table.rule_deal(),
        table.set(1), table.close_round(), table.close_table(), table.left(1),
        table.expose(), table.draw(16, "Ks"),
    )
    reading = read(table)
    assert {fact: ["no_open_round"] for fact in facts} == reading.no_effect
    assert reading.names()[-1] == "round_settled"


def test_facts_of_a_table_and_of_cases_bear_on_no_round():
    table = Table().to_dealt()
    before = len(read(table).decisions)
    table.fact("table_held", facts_pb2.TableHeld(reason="dispute"), round_id="")
    table.fact("posted_limits_changed", facts_pb2.PostedLimitsChanged(), round_id="")
    table.fact("dealer_changed", facts_pb2.DealerChanged(dealer_id="d2"), round_id="")
    table.fact("processor_started", facts_pb2.ProcessorStarted(processor="wagers"), round_id="")
    table.fact("dispute_opened", facts_pb2.DisputeOpened(claim="x"), round_id="", case_id="c1")
    reading = read(table)
    assert len(reading.decisions) == before
    assert sorted(r for [r] in reading.no_effect.values()) == ["case_fact"] + ["table_fact"] * 4


def test_a_table_closed_that_names_no_round_or_another_ends_nothing():
    table = Table().to_dealt()
    table.close_table(round_id="")
    table.close_table(round_id=table.new_id())
    assert read(table).ended == []


def test_a_table_closed_repeated_after_the_table_reopened_ends_nothing():
    table = Table().to_dealt()
    closed = table.close_table()
    table.to_dealt()
    table.again(closed)
    reading = read(table)
    assert len(reading.ended) == 1
    assert reading.no_effect[closed] == ["other_round"]


def test_a_repeated_command_id_has_no_effect_and_one_answer():
    table = Table()
    table.open()
    wager = table.wager(1, ante=600_000)
    table.again(wager)
    table.no_more_bets()
    table.again(wager)
    house = House(table).run()
    reading = check_complete(house.log)
    assert reading.no_effect == {wager: ["repeat", "repeat"]}
    assert reading.refusals(wager) == [""]
    assert max(len(c.wager_ids) for c in reading.bodies("betting_closed")[0].circles) == 1


def test_the_same_id_with_other_bytes_has_no_effect():
    table = Table()
    table.open()
    wager = table.wager(1, ante=500)
    table.log.put(_wager(table, event_id=wager))
    table.no_more_bets()
    reading = read(table)
    assert reading.no_effect == {wager: ["repeat_with_other_bytes"]}
    assert [c.stake_minor for c in reading.bodies("betting_closed")[0].circles] == [500]


def test_a_fact_with_the_id_of_the_rounds_opening_has_no_effect():
    table = Table()
    table.open()
    table.log.put(_wager(table, event_id=table.round_id))
    assert read(table).no_effect == {table.round_id: ["repeat_with_other_bytes"]}


def test_a_request_sent_too_early_may_come_again_in_its_round():
    """A request for round 8 while 7 is open; the same bytes again when 8 is open."""
    table = Table().to_dealt()
    seven = table.round_id
    opened = table.record("round_opened", table.opened)
    opened.round_id = opened.event_id
    opened.round_opened.round_number = table.number = 2
    table.round_id = opened.event_id
    wager = table.wager(1, ante=700)
    table.log.put(opened)
    table.again(wager)
    table.again(wager)
    house = House(table).run()
    reading = check_complete(house.log)
    assert reading.no_effect[wager] == ["other_round", "repeat"]
    assert reading.refusals(wager) == [""]
    assert reading.outcomes(seven) == ["round_voided"]


def test_console_facts_out_of_sequence_wait_for_the_missing_one_and_come_again():
    """A batch with card 3 fails, card 4 is written, 3 and 4 are repeated."""
    table = Table().to_betting_closed((1, 2))
    hands = table.some_hands(3)
    table.hands = dict(zip((1, 2, 0), hands, strict=True))
    sequence = [hand[i] for i in range(5) for hand in hands]
    table.draw(1, sequence[0])
    table.draw(2, sequence[1])
    four = table.draw(4, sequence[3], table_seq=5)
    table.seq = 3
    three = table.draw(3, sequence[2])
    table.again(four)
    table.again(three)
    table.again(four)
    table.seq = 5
    for ordinal in range(5, 16):
        table.draw(ordinal, sequence[ordinal - 1])
    reading = read(table)
    assert reading.no_effect == {four: ["out_of_sequence", "repeat"], three: ["repeat"]}
    assert [tuple(h.cards) for h in reading.bodies("hands_dealt")[0].hands] == hands[:2]


def test_supervisors_facts_have_no_number_and_do_not_disturb_the_consoles():
    table = Table().to_betting_closed((1,))
    table.report()
    table.void(1)
    table.draw(1, "Ks")
    assert read(table).no_effect == {}


# ---- forged decisions


def _forgery(true, **changes):
    record = JournalRecord.FromString(true.value)
    record.occurred_at += 1
    return replace(true, value=serialize(record), **changes)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("body", sorted(
    t.decode().rpartition(".")[2]
    for t in DECISION_TYPES - CASE_DECISION_TYPES
    if b"Irregular" not in t))
def test_a_forged_decision_changes_nothing_whether_before_or_after_the_true_one(body, when):
    def facts() -> Table:
        table = Table()
        if body == "RoundVoided":
            table.to_dealt()
            table.void()
            return table
        return table.play()

    true = House(facts()).run().log.records[PARTITION]
    [forged, *_] = [
        _forgery(s) for s in true if dict(s.headers)["ce_type"].endswith(b"." + body.encode())]
    table = facts()
    if when == "before":
        house = House(table)
        table.log.records[PARTITION].insert(5, forged)
        _renumber(table.log)
        house.run()
    else:
        house = House(table).run()
        table.log.again(forged)
        house.run()
    check_outcomes(check_complete(house.log, {forged.value}))
    assert house.finished()
    if when == "before":
        for worker in house.workers.values():
            assert worker.kinds() == ["foreign_decision"]
            assert [q.value for q in worker.quarantined] == [forged.value]


def _renumber(log):
    log.records[PARTITION] = [
        replace(stored, offset=offset) for offset, stored in enumerate(log.records[PARTITION])]


def test_a_forged_decision_of_a_kind_that_is_not_due_opens_no_gate():
    """A forged BettingClosed under its true id, while the true one is delayed."""
    table = Table().to_dealt()
    house = House(table)
    house.down.add("wagers")
    house.run()
    true = House(Table().to_dealt()).run().decisions()
    [close] = [s for s in true if dict(s.headers)["ce_type"].endswith(b"BettingClosed")]
    forged = _forgery(close)
    house.log.again(forged)
    house.run()
    assert [s.value for s in house.decisions()] == [forged.value]
    [report] = replay_all(house.log.all(), PARTITIONS)
    assert report.recorded == 0
    assert (report.difference.recorded, report.difference.derived) == (forged.value, close.value)
    house.log.again(close)
    house.run()
    assert [dict(s.headers)["ce_type"].rpartition(b".")[2] for s in house.decisions()][2:] == [
        b"HandsDealt"]


def test_the_true_bytes_under_another_type_key_or_subject_are_not_the_decision():
    table = Table().to_dealt()
    [true] = [
        s for s in House(Table().to_dealt()).run().decisions()
        if dict(s.headers)["ce_type"].endswith(b"BettingClosed")]
    fakes = (
        replace(true, headers=_with(true.headers, ce_type=b"pitledger.v1.HandsDealt")),
        replace(true, headers=_with(true.headers, ce_subject=b"another round")),
        replace(true, headers=_with(true.headers, ce_id=b"another id")),
        replace(true, key=b"T9"),
    )
    house = House(table)
    house.down.add("wagers")
    house.run()
    for fake in fakes:
        house.log.again(fake)
    house.run()
    assert len(house.decisions()) == len(fakes)
    assert house["dealing"].kinds() == ["foreign_decision"] * 4
    house.log.again(true)
    house.run()
    assert len(house.decisions()) == len(fakes) + 2


def test_a_true_decision_in_another_partition_is_not_on_the_journal():
    table = Table()
    table.open((1,))
    table.void()
    log = table.log
    house = House(table)
    for owner in house.workers:
        house[owner].lost = lambda _emit: True
    house.run()
    for worker in house.workers.values():
        for emit in worker.engine.outstanding(PARTITION):
            log.append((PARTITION + 1) % PARTITIONS, emit.key, emit.headers, emit.value)
    house.run()
    assert not house.finished()
    [report] = replay_all(log.all(), PARTITIONS)
    assert report.recorded == 0
    assert not report.identical


def test_a_forged_decision_in_quarantine_bears_its_position_and_reason():
    table = Table().to_dealt()
    headers = (
        ("ce_id", b"x"), ("ce_type", b"pitledger.v1.RoundSettled"),
        ("ce_subject", table.round_id.encode()))
    forged = table.log.append(PARTITION, b"T1", headers, b"\xff")
    house = House(table).run()
    [copy] = house["wagers"].quarantined
    assert (copy.partition, copy.offset, copy.reason) == (
        PARTITION, forged.offset, "foreign_decision")


def test_decisions_of_rounds_no_longer_held_are_left_to_archivist_and_auditor():
    house = House(Table().play()).run()
    old = house.decisions()[-1]
    house.log.again(_forgery(old))
    house.run()
    for worker in house.workers.values():
        assert worker.alarms == []
    [report] = replay_all(house.log.all(), PARTITIONS)
    assert report.difference.recorded == house.decisions()[-1].value


@pytest.mark.parametrize("name", NOISE)
def test_replay_takes_noise_without_raising(name):
    table = Table().to_dealt()
    key, headers, value = NOISE[name](table, _wager(table))
    noise = table.log.append(PARTITION, key or b"", headers, value or b"")
    replay = Replay(PARTITIONS, steps_of=table.round_id)
    for stored in table.log.all():
        replay.take(stored)
    assert all(not s.derived for s in replay.steps if s.stored == noise)


def test_of_the_facts_of_an_open_round_no_bytes_are_kept():
    table = Table()
    table.open()
    for _ in range(20):
        table.fact("conduct_noted", facts_pb2.ConductNoted(kind=1, note="x" * 1_000_000))
    engine = Engine("wagers", PARTITIONS)
    engine.on_assigned(PARTITION, watermark=0, end=0)
    tracemalloc.start()
    try:
        for stored in table.log.all():
            value = bytes(bytearray(stored.value))  # as read from a broker: nobody else has it
            place = stored.partition, stored.offset, stored.broker_time
            engine.on_record(*place, stored.key, stored.headers, value)
        del value
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 3_000_000


@pytest.mark.parametrize("large", ["posted_limits", "submission"])
def test_of_rounds_that_were_opened_and_are_over_no_large_rules_are_kept(large):
    def opened(number):
        table = Table(table_id=f"T{number}")
        changes = {"posted_limits": rules_pb2.PostedLimits(wagers=[{}] * (200_000 + number))}
        if large == "submission":
            rules = rules_pb2.RulesSubmission.FromString(table.submission.data)
            rules.accepted_instruments.extend(f"chip_{n}" for n in range(40_000 + number))
            data = rules.SerializeToString(deterministic=True)
            changes = {"submission": data, "submission_digest": sha256(data).digest()}
        table.open(**changes)
        return read_fact(table.log.all()[0])

    def read_fact(stored):
        return as_fact(JournalRecord.FromString(stored.value), stored.value)

    terms_of(opened(0))
    tracemalloc.start()
    try:
        for number in range(1, 8):
            terms_of(opened(number))
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 1_000_000
