"""A person's hold of a table: what it holds, what breaks it, and that it decides nothing."""

import pytest

from pitledger.journal.holds import REPEATS_KEPT, TEXT_MAX, Holds
from pitledger.journal.record import JournalRecord
from pitledger.pb import facts_pb2
from tests.kit.log import Log
from tests.kit.reading import read
from tests.kit.table import Table


def hold(table: Table, reason: str = "a claim", **envelope) -> str:
    message = facts_pb2.TableHeld(reason=reason, about_id="case-1")
    return table.fact("table_held", message, **{"round_id": "", "actor": "s1", **envelope})


def release(table: Table, held_id: str, **envelope) -> str:
    message = facts_pb2.TableReleased(reason="settled", held_id=held_id)
    return table.fact("table_released", message, **{"round_id": "", "actor": "s1", **envelope})


def folded(log: Log) -> tuple[Holds, list[tuple[str, str]]]:
    """The holds after all facts, and what broke them: (what, round id)."""
    holds, breaches = Holds(), []
    for stored in log.all():
        breach = holds.take(JournalRecord.FromString(stored.value))
        if breach is not None:
            assert breach.holds
            breaches.append((breach.what, breach.round_id))
    return holds, breaches


def test_a_hold_is_in_force_until_it_is_released():
    table = Table()

    held = hold(table, "the count is off")

    (found,) = folded(table.log)[0].in_force()
    assert (found.event_id, found.table_id, found.reason) == (held, "T1", "the count is off")
    assert (found.about_id, found.actor) == ("case-1", "s1")
    assert found.since_us > 0
    release(table, held)
    assert folded(table.log)[0].in_force() == ()


def test_a_round_opened_or_closed_at_a_held_table_is_a_breach():
    table = Table()
    hold(table)

    table.play()
    round_id = table.round_id

    assert folded(table.log)[1] == [("opened", round_id), ("closed", round_id)]


def test_what_lies_before_the_hold_or_after_its_release_is_none():
    table = Table()
    table.play()
    held = hold(table)
    release(table, held)
    table.play()

    assert folded(table.log)[1] == []


@pytest.mark.parametrize("end", [Table.close_table, Table.void])
def test_the_end_of_the_day_and_a_void_are_no_breach(end):
    table = Table().to_payout()
    hold(table)

    end(table)

    assert folded(table.log)[1] == []


def test_other_tables_play_on():
    log = Log()
    first, second = Table(table_id="T1", log=log), Table(table_id="T2", log=log)
    hold(first)

    second.play()

    assert folded(log)[1] == []


def test_a_repeat_of_an_opening_or_a_closing_of_before_the_hold_is_no_breach():
    table = Table()
    opened = table.open()
    table.begin(opened)
    closed = table.close_round()
    hold(table)

    table.again(opened)
    table.again(closed)

    assert folded(table.log)[1] == []


def test_a_repeat_of_a_hold_that_was_released_does_not_hold_again():
    table = Table()
    held = hold(table)
    release(table, held)

    table.again(held)

    assert folded(table.log)[0].in_force() == ()


def test_a_table_held_twice_plays_when_both_are_released():
    table = Table()
    first, second = hold(table, "one"), hold(table, "two")

    release(table, first)

    assert [held.reason for held in folded(table.log)[0].of("T1")] == ["two"]
    release(table, second)
    assert folded(table.log)[0].of("T1") == ()


def test_a_release_that_names_no_hold_releases_nothing():
    table = Table()
    hold(table)

    for name in ("", "another"):
        release(table, name)

    assert len(folded(table.log)[0].of("T1")) == 1


def test_a_breach_names_all_holds_that_are_in_force_the_oldest_first():
    table, holds = Table(), Holds()
    hold(table, "one")
    hold(table, "two")
    table.open()

    breaches = [holds.take(JournalRecord.FromString(stored.value)) for stored in table.log.all()]

    assert [held.reason for held in breaches[-1].holds] == ["one", "two"]


def test_what_is_remembered_of_a_table_that_plays_is_bounded():
    table, holds = Table(), Holds()
    for number in range(1, 4 * REPEATS_KEPT):
        table.open(number=number)

    for stored in table.log.all():
        holds.take(JournalRecord.FromString(stored.value))

    assert len(holds._tables["T1"].recent) == REPEATS_KEPT


def test_a_hold_changes_no_decision():
    """Put before every fact of a round, derive gives the same bytes as without it."""
    table = Table()
    table.play()
    plain = table.log.all()
    without = [decision.value for decision in read(table.log).decisions]

    for place in range(len(plain) + 1):
        held = Table(log=Log())
        for index, stored in enumerate([*plain, None]):
            if index == place:
                release(held, hold(held))
                hold(held)
            if stored is not None:
                held.log.clock = stored.broker_time - 1
                held.log.append(stored.partition, stored.key, stored.headers, stored.value)
        assert [decision.value for decision in read(held.log).decisions] == without


def test_a_hold_that_names_the_open_round_changes_no_decision_either():
    table, other = Table(), Table(log=Log())
    table.to_payout()
    other.to_payout()
    hold(other, round_id=other.round_id)
    release(other, hold(other), round_id=other.round_id)
    for each in (table, other):
        each.close_round()

    outcomes = [read(each.log).bodies("round_settled")[0] for each in (table, other)]
    assert outcomes[0] == outcomes[1]


def test_of_a_hold_with_endless_texts_their_beginning_is_kept():
    table = Table()
    hold(table, "why" * 100_000, actor="who" * 100_000)
    (found,) = folded(table.log)[0].in_force()
    assert (len(found.reason), len(found.actor)) == (TEXT_MAX, TEXT_MAX)
