"""Processors, auditor, replay and archive pass over cases: no effect, no alarm, no quarantine."""

import pytest

from pitledger.archive.collect import Collector
from pitledger.audit import audit
from pitledger.replay import replay_all
from tests.cases.desk import Desk
from tests.kit.house import House
from tests.kit.table import Table


@pytest.fixture
def house():
    """A case from claim to posting while the table plays on, answers and a forgery recorded."""
    table = Table()
    desk = Desk(table.play())
    house = House(table).run()
    desk.open()
    desk.hold()
    first = table.round_id
    table.to_payout()
    desk.approve(desk.propose(settlement=desk.reference(first)))
    desk.decline("none")
    desk.record_what_is_missing()
    for one in list(desk.read().derived.values()):
        if one.concluded.body == "adjustment_posted":
            desk.put(one.concluded, one.concluded.value + b"\x10")
    table.close_round()
    return house.run()


def test_no_processor_alarms_or_quarantines_and_all_go_on(house):
    for worker in house.workers.values():
        assert worker.alarms == []
        assert worker.quarantined == []
    assert house.finished()


def test_the_auditor_finds_nothing_and_replay_is_identical(house):
    report = audit(house.log.all(), house.log.partitions)
    assert report.findings == report.foreign == report.listed == ()
    assert report.counts["decisions_of_cases"] == 7
    assert report.counts["rounds_settled"] == 2
    assert all(one.identical for one in replay_all(house.log.all(), house.log.partitions))


def test_they_lie_in_the_archives_remainder(house):
    collector = Collector(house.log.partitions)
    for partition in range(house.log.partitions):
        collector.begin(partition, 0)
    sealed = [one for stored in house.log.all() for one in collector.take(stored)]
    loose = [s for p in range(4) if (cut := collector.cut(p)) is not None for s in cut.records]
    kinds = [dict(stored.headers)["ce_type"].rpartition(b".")[2] for stored in loose]
    assert len(sealed) == 2
    assert kinds.count(b"CaseAnswered") == 5
    assert kinds.count(b"AdjustmentPosted") == 2
    assert kinds.count(b"DisputeOpened") == 1
