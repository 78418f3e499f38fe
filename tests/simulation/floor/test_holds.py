"""A table that a person holds: no round is opened or closed there until it is released."""

from pitledger.journal.holds import Holds
from pitledger.journal.ids import fact_id
from pitledger.journal.record import JournalRecord, headers_of, partition_of, serialize
from pitledger.pb import facts_pb2
from services.floor.faults import CLEAN
from services.floor.floor import Floor
from tests.simulation.floor.room import PARTITIONS, Room

HELD, OTHER = "saigon-001", "hilo-002"
MINUTE_US = 60_000_000


def a_room(rounds=8):
    return Room(Floor(1, 2, rates=CLEAN, rounds=rounds))


def write(room, table=HELD, **body):
    """A person's fact at a table; its id."""
    record = JournalRecord(
        event_id=fact_id(room.now_us // 1000, len(room.journal)), table_id=table,
        occurred_at=room.now_us, source="desk", actor="s1", **body,
    )
    partition = partition_of(table, PARTITIONS)
    room.append(partition, table.encode(), headers_of(record), serialize(record))
    return record.event_id


def hold(room, table=HELD):
    return write(room, table, table_held=facts_pb2.TableHeld(reason="a claim"))


def release(room, held_id, table=HELD):
    write(room, table, table_released=facts_pb2.TableReleased(reason="settled", held_id=held_id))


def count(room, body, table=HELD):
    return sum(
        fact.record is not None and fact.record.WhichOneof("body") == body
        and fact.table_id == table
        for fact in room.facts
    )


def run_until(room, met, steps=2000):
    for _ in range(steps):
        if met():
            return
        room.run(1)
    raise AssertionError("it did not come")


def breaches(room):
    holds = Holds()
    facts = (JournalRecord.FromString(stored.value) for stored in room.journal)
    return [breach for fact in facts if (breach := holds.take(fact)) is not None]


def test_a_held_table_opens_no_round_and_goes_on_when_released():
    room = a_room()
    held_id = hold(room)

    run_until(room, lambda: count(room, "table_closed", OTHER))
    assert count(room, "round_opened") == 0

    release(room, held_id)
    room.run()
    assert count(room, "round_opened") == 4
    assert len(room.true_outcomes()) == 8
    assert breaches(room) == []


def test_a_round_that_is_open_is_dealt_and_paid_but_not_closed_before_the_release():
    room = a_room()
    run_until(room, lambda: count(room, "no_more_bets"))
    held_id = hold(room)

    run_until(room, lambda: count(room, "table_closed", OTHER))
    assert count(room, "dealer_exposed") == 1
    assert (count(room, "round_closed"), count(room, "round_opened")) == (0, 1)

    release(room, held_id)
    room.run()
    assert (count(room, "round_closed"), count(room, "round_opened")) == (4, 4)
    assert breaches(room) == []


def test_the_gaming_day_ends_a_held_tables_round_and_the_next_day_opens_none():
    room = a_room()
    run_until(room, lambda: count(room, "no_more_bets"))
    hold(room)

    run_until(room, lambda: count(room, "dealer_exposed"))
    room.run(10)

    for _ in range(24 * 60):
        room.now_us += MINUTE_US
        room.run(1)
        if count(room, "table_closed"):
            break

    (closed,) = [fact.record for fact in room.facts
                 if fact.table_id == HELD and fact.record.WhichOneof("body") == "table_closed"]
    assert closed.round_id
    assert [outcome.WhichOneof("body") for outcome in room.true_outcomes()
            if outcome.round_id == closed.round_id] == ["round_settled"]
    room.run(200)
    assert count(room, "round_opened") == 1
    assert breaches(room) == []


def test_a_floor_that_is_told_to_finish_closes_a_held_table_with_its_round():
    room = a_room()
    run_until(room, lambda: count(room, "no_more_bets"))
    hold(room)
    run_until(room, lambda: count(room, "table_closed", OTHER))

    for script in room.floor.scripts:
        script.finish()
    room.run(50)

    assert room.floor.done
    assert (count(room, "round_closed"), count(room, "table_closed")) == (0, 1)
    assert breaches(room) == []


def test_a_hold_from_before_the_floor_began_holds_and_a_forged_one_does_not():
    source = a_room()
    hold(source)
    (stored,) = source.journal
    forged = tuple((name, b"x" if name == "ce_id" else value) for name, value in stored.headers)
    for headers, opened in ((stored.headers, 0), (forged, 4)):
        room = a_room()
        room.floor.remember(stored.key, headers, stored.value, stored.broker_time)

        run_until(room, lambda room=room: count(room, "table_closed", OTHER))
        room.run(200)

        assert count(room, "round_opened") == opened


def test_a_round_in_which_the_console_died_ends_with_the_held_table():
    """Given a floor that dies in mid-round at a table that is held by then, when another comes
    and is told to finish before the hold is released, then its TableClosed ends that round."""
    room = a_room()
    run_until(room, lambda: count(room, "no_more_bets"))
    hold(room)
    (opened,) = (f for f in room.facts
                 if f.table_id == HELD and f.record.WhichOneof("body") == "round_opened")
    room.floor = Floor(2, 2, rates=CLEAN, rounds=8, first_round_number=1000)
    for stored in room.journal:
        room.floor.remember(stored.key, stored.headers, stored.value, stored.broker_time)

    run_until(room, lambda: count(room, "table_opened") == 2)
    for script in room.floor.scripts:
        script.finish()
    room.run(50)

    assert room.floor.done
    (outcome,) = (o for o in room.true_outcomes() if o.round_id == opened.record.round_id)
    assert outcome.WhichOneof("body") == "round_voided"
