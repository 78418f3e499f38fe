"""A bug blocks one round in one build; a version not known here waits for a build that knows it."""

import pytest

from pitledger.derive import LATEST_VERSION
from pitledger.journal.record import partition_of
from pitledger.pb import facts_pb2
from pitledger.processors.chain import OWNERS, Chain
from tests.kit.house import House, build
from tests.kit.laws import check_complete, check_outcomes, check_replay
from tests.kit.log import PARTITIONS, Log
from tests.kit.reading import read
from tests.kit.table import HI_LO, Table

PARTITION = partition_of("T1", PARTITIONS)


class RaisesAt(Chain):
    """A build with a bug: it raises at one kind of fact of the rounds of one patron."""

    body = ""

    def __init__(self, opened):
        super().__init__(opened)
        self.unlucky = "unlucky" in self.round.terms.seats.values()
        if self.unlucky and self.body == "round_opened":
            raise ZeroDivisionError("a bug")

    def fact(self, fact, body):
        if self.unlucky and body == self.body:
            raise ZeroDivisionError("a bug")
        return super().fact(fact, body)

    def end(self, fact):
        if self.unlucky and self.body == "end":
            raise ZeroDivisionError("a bug")
        return super().end(fact)


def raising_at(name: str) -> type[Chain]:
    return type("RaisesAtOne", (RaisesAt,), {"body": name})


PLACES = ("round_opened", "wager_requested", "no_more_bets", "card_drawn", "dealer_exposed", "end")


def a_table_with_an_unlucky_round() -> Table:
    table = Table()
    table.play()
    table.to_payout({1: "unlucky", 2: "bob"})
    table.play((3,))
    return table


@pytest.mark.parametrize("place", PLACES)
def test_a_bug_blocks_its_round_and_the_tables_others_play_on(place):
    table = a_table_with_an_unlucky_round()
    first, unlucky, last = read(table).opened
    house = House(table)
    for worker in house.workers.values():
        worker.chains = {1: raising_at(place)}
    house.run()
    written = {dict(s.headers)["ce_subject"].decode() for s in house.decisions()}
    assert {first, last} <= written
    reading = read(table)
    for round_id in (first, last):
        assert reading.names(round_id)[-1] == "round_settled"
    for worker in house.workers.values():
        assert [(a.kind, a.round_id) for a in worker.alarms] == [("round_blocked", unlucky)]
        assert "ZeroDivisionError" in worker.alarms[0].detail
        held = worker.engine.committable(PARTITION)
        assert held == table.written[unlucky].offset


@pytest.mark.parametrize("place", PLACES)
def test_a_mended_build_derives_the_blocked_round_whole(place):
    house = House(a_table_with_an_unlucky_round())
    for worker in house.workers.values():
        worker.chains = {1: raising_at(place)}
    house.run()
    for worker in house.workers.values():
        worker.upgrade()
    house.run()
    check_outcomes(check_complete(house.log))
    check_replay(house.log)
    assert house.finished()


@pytest.mark.parametrize("owner", OWNERS)
def test_a_bug_of_one_processors_build_stops_no_other_build(owner):
    house = House(a_table_with_an_unlucky_round())
    house[owner].chains = {1: raising_at("card_drawn")}
    house.run()
    for other in set(OWNERS) - {owner}:
        assert house[other].kinds() == []
    house[owner].upgrade()
    house.run()
    assert house.finished()
    check_complete(house.log)


def test_what_was_derived_before_the_bug_stays_expected():
    table = Table()
    table.to_betting_closed({1: "unlucky"})
    house = House(table)
    house["wagers"].chains = {1: raising_at("card_drawn")}
    house.down.add("wagers")
    house.run()
    table.draw(1, 5)
    house.down.clear()
    house.run()
    assert [e.type.rpartition(".")[2] for e in house["wagers"].emitted] == [
        "RequestAnswered", "BettingClosed"]
    table.open((1,))
    house.run()
    assert not house.finished()


def test_a_blocked_round_is_not_dropped_when_it_ends_and_all_before_the_bug_was_seen():
    """Raised at 45, the round ended at 60, all decisions before 45 seen: the watermark stays."""
    table = Table().to_dealt({1: "unlucky"})
    house = House(table)
    for worker in house.workers.values():
        worker.chains = {1: raising_at("hand_set")}
    house.run()
    table.set(1)
    house.run()
    table.close_table()
    house.run()
    assert {w.engine.committable(PARTITION) for w in house.workers.values()} == {0}


def test_foreign_decisions_of_a_blocked_round_are_left_to_a_build_that_can_judge_them():
    house = House(a_table_with_an_unlucky_round())
    house["wagers"].chains = {1: raising_at("no_more_bets")}
    house.run()
    assert house["wagers"].kinds() == ["round_blocked"]
    assert house["wagers"].quarantined == []


# ---- versions


UNKNOWN = LATEST_VERSION + 1


class NextVersion(Chain):
    """How a later build judges a version that this one does not know."""


NEW = {1: Chain, UNKNOWN: NextVersion}


def a_table_that_moves_on_to_an_unknown_version() -> Table:
    table = Table(HI_LO)
    table.play((1,))
    table.play((1, 2), adjudication_version=UNKNOWN)
    table.play((2,))
    return table


def test_a_round_of_an_unknown_version_waits_and_the_tables_next_rounds_play():
    table = a_table_that_moves_on_to_an_unknown_version()
    first, unknown, last = read(table).opened
    house = House(table).run()
    reading = read(table)
    assert reading.names(unknown) == []
    for round_id in (first, last):
        assert reading.outcomes(round_id) == ["round_settled"]
    for worker in house.workers.values():
        assert [(a.kind, a.round_id) for a in worker.alarms] == [("unknown_version", unknown)]
        assert worker.engine.committable(PARTITION) == table.written[unknown].offset


def test_a_build_that_knows_the_version_judges_the_round_later():
    house = House(a_table_that_moves_on_to_an_unknown_version()).run()
    for worker in house.workers.values():
        worker.upgrade(NEW)
    house.run()
    assert house.finished()
    with build(NEW):
        check_outcomes(check_complete(house.log))
        check_replay(house.log)


@pytest.mark.parametrize("old", OWNERS)
def test_an_old_build_among_new_ones_neither_loses_nor_doubles_a_round(old):
    house = House(a_table_that_moves_on_to_an_unknown_version())
    for owner in set(OWNERS) - {old}:
        house[owner].chains = NEW
    house.run()
    for worker in house.workers.values():
        worker.commit()
    house[old].upgrade(NEW)
    house.run()
    assert house.finished()
    with build(NEW):
        check_outcomes(check_complete(house.log))


def test_facts_and_decisions_of_an_unknown_version_are_not_quarantined():
    table = Table()
    table.open(adjudication_version=UNKNOWN)
    table.wager(1, ante=500)
    _with_unknown_field(table)
    _of_unknown_type(table)
    _decision_of_a_later_build(table)
    house = House(table).run()
    for worker in house.workers.values():
        assert worker.quarantined == []
        assert worker.kinds() == ["unknown_version"]


def test_in_a_round_of_a_known_version_the_same_are_quarantined():
    table = Table()
    table.open()
    table.wager(1, ante=500)
    _with_unknown_field(table)
    _of_unknown_type(table)
    _decision_of_a_later_build(table)
    house = House(table).run()
    reasons = [q.reason.partition(":")[0] for q in house["wagers"].quarantined]
    assert reasons == ["outside_vocabulary", "unknown_type", "foreign_decision"]


def test_an_old_build_ends_the_round_before_a_round_of_an_unknown_version():
    table = Table().to_payout()
    first = table.round_id
    table.open(adjudication_version=UNKNOWN)
    reading = read(table)
    assert reading.outcomes(first) == ["round_settled"]
    assert reading.ended == [first]


def test_a_table_closed_ends_a_round_of_an_unknown_version_in_an_old_build_too():
    table = Table()
    table.open(adjudication_version=UNKNOWN)
    table.close_table()
    assert read(table).ended == [table.round_id]


def test_a_table_closed_outside_the_vocabulary_ends_nothing():
    table = Table().to_dealt()
    record = table.record("table_closed", facts_pb2.TableClosed(reason="x"))
    record.table_closed.MergeFromString(b"\x98\x06\x07")
    table.log.put(record)
    reading = read(table)
    assert reading.not_facts == ["unknown field in TableClosed"]
    assert reading.ended == []


def test_a_field_that_this_build_does_not_know_makes_a_rounds_terms_invalid_for_every_build():
    table = Table()
    table.open()
    content = table.opened
    content.round_number = 2
    content.MergeFromString(b"\x98\x06\x07")
    event_id = table.new_id()
    table.fact("round_opened", content, event_id=event_id, round_id=event_id)
    table.round_id = event_id
    wager = table.wager(1, ante=500)
    reading = read(table)
    assert reading.opened[-1] == event_id
    assert reading.refusals(wager) == ["RULES_INVALID"]


@pytest.mark.parametrize("body", ["round_opened", "wager_requested"])
def test_a_field_added_to_the_envelope_makes_a_record_no_fact(body):
    table = Table()
    record = table.record(body, table.opened if body == "round_opened" else _wager())
    if body == "round_opened":
        record.round_id = record.event_id
    record.MergeFromString(b"\x98\x3f\x07")
    table.log.put(record)
    assert read(table).not_facts == ["unknown_field"]


def _wager():
    return facts_pb2.WagerRequested(position=1)


def _with_unknown_field(table: Table) -> None:
    wager = _wager()
    wager.MergeFromString(b"\x98\x06\x07")
    table.fact("wager_requested", wager)


def _of_unknown_type(table: Table) -> None:
    record = table.record("wager_requested", _wager())
    record.ClearField("wager_requested")
    value = record.SerializeToString() + b"\x92\x26\x00"  # field 610, empty
    headers = (
        ("ce_id", record.event_id.encode()),
        ("ce_type", b"pitledger.v1.InsuranceOffered"),
        ("ce_subject", table.round_id.encode()),
    )
    table.log.append(PARTITION, b"T1", headers, value)


def _decision_of_a_later_build(table: Table) -> None:
    headers = (
        ("ce_id", b"7c0c9b3e-0000-5000-8000-000000000000"),
        ("ce_type", b"pitledger.v1.RoundSettled"),
        ("ce_subject", table.round_id.encode()),
    )
    table.log.append(PARTITION, b"T1", headers, b"\xff")


def test_the_log_of_the_kit_is_the_brokers():
    log = Log()
    log.append(0, b"k", (), b"")
    assert log.first_since(0, log.clock) == 0
    assert log.first_since(0, log.clock + 1) == 1
