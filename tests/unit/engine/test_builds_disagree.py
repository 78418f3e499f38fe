"""Two builds derive other bytes under one version: who reads the other's says so at once.

Nobody reads what is never written, so a writer whose record stops the chain hears of it by what
does not come.
"""

import pytest

from pitledger.audit import audit
from pitledger.engine import BUILD_HEADER
from pitledger.journal.record import (
    CASE_DECISION_TYPES,
    DECISION_TYPES,
    TYPE_BYTES,
    TYPE_OF_BODY,
    partition_of,
)
from pitledger.processors.chain import OWNERS, Chain
from tests.kit.house import House
from tests.kit.log import PARTITIONS, Log
from tests.kit.reading import read
from tests.kit.table import Table

PARTITION = partition_of("T1", PARTITIONS)
CHAIN = ["betting_closed", "hands_dealt", "hands_evaluated", "payout_due", "round_settled"]
CHANGES = {
    "request_answered": lambda body: body.answers.add(limit_minor=7),
    "betting_closed": lambda body: setattr(body, "pot_minor", body.pot_minor + 1),
    "hands_dealt": lambda body: setattr(body, "revision", body.revision + 7),
    "deal_irregular": lambda body: setattr(body, "revision", body.revision + 7),
    "hands_evaluated": lambda body: setattr(body, "revision", body.revision + 7),
    "payout_due": lambda body: body.lines[0].citations.append("680a.99"),
    "round_settled": lambda body: body.lines[0].citations.append("680a.99"),
    "round_voided": lambda body: body.lines[0].citations.append("680a.99"),
}
OWNER = {
    "betting_closed": "wagers", "hands_dealt": "dealing", "deal_irregular": "dealing",
    "hands_evaluated": "evaluation", "payout_due": "settlement", "round_settled": "settlement",
    "round_voided": "settlement",
}  # fmt: skip
STOPPED_AFTER = {"betting_closed": 1, "hands_dealt": 2, "hands_evaluated": 3}
"""How much of the chain is written; what settlement alone writes is stopped by nobody."""


class Otherwise(Chain):
    """A build that derives other bytes for one kind of decision."""

    kind = ""
    by = ""  # only its own; "" for anybody's

    def _decide(self, fact, owner, question, subject, name, body, gates):
        if name == self.kind and self.by in ("", owner):
            if name == "request_answered":  # the one of all that are accepted
                body = type(body)(answers=body.answers, returned=body.returned)
            CHANGES[name](body)
        return super()._decide(fact, owner, question, subject, name, body, gates)


def build_with_another(kind: str, by: str = "") -> dict[int, type[Chain]]:
    return {1: type("Other", (Otherwise,), {"kind": kind, "by": by})}


def a_round_with(kind: str) -> Table:
    table = Table()
    if kind == "deal_irregular":
        table.to_dealt()
        table.report()
        table.close_table()
    elif kind == "round_voided":
        table.to_dealt()
        table.close_table()
    else:
        table.play()
    return table


def written(house: House) -> list[str]:
    names = [dict(s.headers)["ce_type"].decode() for s in house.decisions()]
    by_type = {name: body for body, name in TYPE_OF_BODY.items()}
    return [by_type[name] for name in names if not name.endswith("RequestAnswered")]


def check_all_is_written(house: House) -> None:
    assert {d.value for d in read(house.log).decisions} <= {s.value for s in house.decisions()}
    assert house.finished()


def alarms_of(worker, kind: str) -> list:
    text = TYPE_OF_BODY[kind] + " by "
    return [a for a in worker.alarms if a.kind == "foreign_decision" and a.detail.startswith(text)]


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("owner", OWNERS)
def test_each_reader_alarms_with_the_record_that_differs_from_what_it_derives(kind, owner):
    """`owner`'s build is the other one: it is told by others' records, and others by its own."""
    house = House(a_round_with(kind))
    house[owner].chains = build_with_another(kind)
    house.run()
    records = {s.offset: s for s in house.decisions()}
    for reader in OWNERS:
        told = {a.offset for a in alarms_of(house[reader], kind)}
        differ = {
            offset
            for offset, stored in records.items()
            if dict(stored.headers)["ce_type"] == TYPE_BYTES[kind]
            and (dict(stored.headers)["ce_source"].decode() == owner) != (reader == owner)
        }
        assert told == differ, reader
    [alarm, *_] = [a for reader in OWNERS for a in alarms_of(house[reader], kind)]
    stored = records[alarm.offset]
    assert alarm.event_id.encode() == dict(stored.headers)["ce_id"]
    assert alarm.detail == f"{TYPE_OF_BODY[kind]} by {dict(stored.headers)['ce_source'].decode()}"


@pytest.mark.parametrize(("kind", "links"), STOPPED_AFTER.items())
def test_a_writer_of_another_link_sees_the_next_one_not_come(kind, links):
    house = House(Table().play())
    writer = house[OWNER[kind]]
    writer.chains = build_with_another(kind)
    house.run()
    assert written(house) == CHAIN[:links]
    _, waits_for = writer.engine.oldest_unseen(PARTITION)
    assert waits_for.body == CHAIN[links]
    assert writer.engine.shut_gates(PARTITION) > 0 or links == len(CHAIN) - 2
    writer.upgrade()
    house.run()
    check_all_is_written(house)


@pytest.mark.parametrize("kind", CHAIN[:4])
def test_a_successor_of_another_mind_and_all_others_alarm_at_once(kind):
    """A rolling restart in mid-round: the partition goes to a worker of the other build."""
    table = Table().to_payout()
    house = House(table).run()
    successor = house[OWNER[kind]]
    successor.upgrade(build_with_another(kind))
    house.run()
    for worker in house.workers.values():
        assert len(alarms_of(worker, kind)) == 1, worker.owner
    both = [s.value for s in house.decisions() if dict(s.headers)["ce_type"] == TYPE_BYTES[kind]]
    assert len(set(both)) == 2
    table.close_round()
    successor.upgrade()
    house.run()
    check_all_is_written(house)


@pytest.mark.parametrize("kind", ["round_settled", "round_voided"])
def test_a_successor_reads_an_outcome_that_it_derives_otherwise(kind):
    """For the others the round is over, and they look at it no more: the auditor does."""
    house = House(a_round_with(kind))
    settlement = house["settlement"]
    house.run()
    settlement.chains = build_with_another(kind)
    settlement.start()
    house.run()
    assert len(alarms_of(settlement, kind)) == 1
    report = audit(house.log.all(), PARTITIONS)
    assert [one.kind for one in (*report.foreign, *report.findings)]


@pytest.mark.parametrize("kind", OWNER)
def test_a_decision_that_comes_before_its_reader_derives_one_is_told_too(kind):
    """Another build derives it from an earlier fact."""
    whole = a_round_with(kind)
    [true, *_] = [d for d in read(whole.log).decisions if d.body == kind]
    opened = next(s for s in whole.log.records[PARTITION])
    log = Log()
    log.records[PARTITION].append(opened)
    headers = (
        ("ce_id", true.event_id.encode()),
        ("ce_source", true.owner.encode()),
        ("ce_type", TYPE_BYTES[kind]),
        ("ce_subject", true.round_id.encode()),
        (BUILD_HEADER, b"9.9.9+0badc0de"),
    )
    log.append(PARTITION, b"T1", headers, true.value)
    house = House(log).run()
    for worker in house.workers.values():
        [alarm] = alarms_of(worker, kind)
        assert alarm.detail.endswith(f" by {true.owner}, build 9.9.9+0badc0de")


@pytest.mark.parametrize("kind", ["request_answered", "payout_due", "round_settled"])
def test_what_nothing_builds_on_is_told_by_all_others_and_written_by_the_build_that_follows(kind):
    """No gate stops a build's own answers, payout and outcome; and for it the round is over."""
    house = House(Table().play())
    owner = OWNER.get(kind, "wagers")
    house[owner].chains = build_with_another(kind, owner)
    house.run()
    assert written(house) == CHAIN
    for worker in house.workers.values():
        worker.commit()
        assert bool(alarms_of(worker, kind)) == (worker.owner != owner)
    true = {d.value for d in read(house.log).decisions}
    assert not true <= {s.value for s in house.decisions()}
    assert house[owner].committed[PARTITION] == len(house.log.records[PARTITION])
    house[owner].upgrade()
    house.run()
    check_all_is_written(house)


def test_all_decisions_about_rounds_that_there_are_were_tried():
    types = {TYPE_BYTES[kind] for kind in CHANGES}
    assert types == DECISION_TYPES - CASE_DECISION_TYPES
