"""Journals that the bench writes in bulk are such as the real thing leaves."""

import time

from bench.prepared import floor_of, partitions_of_tables, play, renumbered
from pitledger.journal.record import TYPE_BYTES, JournalRecord, Stored
from pitledger.journal.table import is_stale
from pitledger.journal.vocabulary import read_fact
from pitledger.replay import Replay

PARTITIONS = 4


def played(tables: set[int], each: int) -> list[Stored]:
    records: list[Stored] = []
    play(floor_of(max(tables) + 1, each), tables, PARTITIONS, records.append)
    return records


def test_rounds_in_bulk_are_whole_and_replay_is_identical():
    records = played({0, 1, 2}, 3)
    replay = Replay(PARTITIONS)
    for record in records:
        replay.take(record)
    reports = list(replay.reports())
    assert len(reports) == 9
    assert all(report.identical and report.state == "settled" for report in reports)


def test_only_the_tables_that_are_asked_for_play():
    assert {record.key for record in played({1, 3}, 1)} == {b"hilo-002", b"hilo-004"}


def test_a_renumbered_opening_is_a_fact_of_now_with_a_higher_number_and_an_id_of_its_own():
    opened = [r for r in played({0}, 2) if dict(r.headers)["ce_type"] == TYPE_BYTES["round_opened"]]
    again = [renumbered(record, copy, 2) for copy in (1, 2) for record in opened]
    facts = [
        read_fact(each.partition, PARTITIONS, each.key, dict(each.headers), each.value)
        for each in again
    ]
    assert [fact.record.round_opened.round_number for fact in facts] == [3, 4, 5, 6]
    assert len({fact.record.event_id for fact in facts}) == 4
    assert not any(is_stale(fact.record, time.time_ns() // 1_000_000) for fact in facts)


def test_what_is_no_opening_stays_as_it_is():
    other = next(
        r
        for r in played({0}, 1)
        if "round_id" in str(JournalRecord.FromString(r.value))
        and dict(r.headers)["ce_type"] != TYPE_BYTES["round_opened"]
    )
    assert renumbered(other, 5, 2) is other


def test_tables_lie_where_their_records_do():
    places = partitions_of_tables(3, PARTITIONS)
    found = {record.key: record.partition for record in played({0, 1, 2}, 1)}
    assert found == dict(zip([b"saigon-001", b"hilo-002", b"saigon-003"], places, strict=True))
