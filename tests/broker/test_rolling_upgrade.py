"""Workers of two builds on one journal: a version that only one knows, and rules that differ.

The next build is this tree with the patches of docs/upgrades.md; the wrong ones judge rounds of
version 1 otherwise.
"""

import json
import time

import kafka
import pytest

from pitledger.audit.auditor import audit
from pitledger.journal.record import JournalRecord, partition_of
from pitledger.pb import facts_pb2
from pitledger.replay import replay_all
from pitledger.sources.topics import create_topics
from services.runtime.build import build
from services.runtime.settings import OWNERS
from tests.broker.rig import ROOT, Rig, wait_until
from tests.kit.log import Log
from tests.kit.table import Table
from tests.upgrades.play import TEN_EACH
from tests.upgrades.trees import tree

PARTITIONS = 4
WAIT_S = 120
OUTCOMES = ("round_settled", "round_voided")
TWENTY = ("9c 9d 2h 4c 5c", "Qc Qd Qh 3c 3d", "Jc Jd Jh 4d 6d")
"""Position 1 qualifies by a total of 20."""


class Wire(Log):
    """Facts of tables that a test plays, written to the journal one after the other."""

    def __init__(self, rig):
        super().__init__(PARTITIONS)
        self._topic = rig.connection.topic
        self._producer = kafka.KafkaProducer(
            bootstrap_servers=list(rig.connection.bootstrap), acks="all"
        )
        self.clock = time.time_ns() // 1_000_000

    def append(self, partition, key, headers, value):
        self.clock = max(self.clock, time.time_ns() // 1_000_000 - 1)
        sent = self._producer.send(
            self._topic, value, key=key, partition=partition, headers=list(headers)
        )
        sent.get(20)
        return super().append(partition, key, headers, value)

    def table(self, partition, name):
        """A table in a partition."""
        names = (f"{name}-{number}" for number in range(1000))
        return Table(table_id=next(n for n in names if partition_of(n, PARTITIONS) == partition),
                     log=self)  # fmt: skip

    def close(self):
        self._producer.close()


@pytest.fixture
def rig(apache_broker, tmp_path):
    rig = Rig(apache_broker, "apache", tmp_path, partitions=PARTITIONS)
    create_topics(rig.connection)
    yield rig
    rig.close()


@pytest.fixture
def wire(rig):
    wire = Wire(rig)
    yield wire
    wire.close()


def start(rig, owner, home=ROOT):
    return rig.start(module=f"services.{owner}", home=home, WAIT_S=2)


def alarms(worker, kind):
    return [line for line in worker.lines() if line["event"] == "alarm" and line["kind"] == kind]


def outcomes(rig):
    """Round id -> its outcomes on the journal, as the builds wrote them."""
    found = {}
    for stored in rig.journal():
        record = JournalRecord.FromString(stored.value)
        if record.WhichOneof("body") in OUTCOMES:
            found.setdefault(record.round_id, []).append(stored.value)
    return found


def settled(rig, rounds):
    return set(rounds) <= set(outcomes(rig))


def is_done(workers):
    open_rounds = [worker.metric("pitledger_open_rounds") for worker in workers]
    return all(worker.is_ready() for worker in workers) and not any(open_rounds)


def floor(rig, home, seconds):
    """The simulated floor of a build: it opens rounds under the latest version that it knows."""
    load = "--rate=6", "--tables=6", "--seed=3", f"--patience={WAIT_S}"
    return rig.floor(*load, f"--seconds={seconds}", home=home)


def pitledger(rig, home, *arguments):
    """Exit code and what it says, of a build's command line."""
    done = rig.pitledger(*arguments, "--from", "kafka", "--json", home=home)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def leaves_position(table, position):
    """A fact of the next contract: PlayerLeft.positions, which this build cannot write."""
    left = facts_pb2.PlayerLeft()
    left.MergeFromString(bytes([0x12, 1, position]))
    table.fact("player_left", left)


def second_version_round(table):
    table.to_dealt((1, 2), *TEN_EACH, adjudication_version=2)
    leaves_position(table, 1)
    table.set(2)
    table.expose()
    table.abandon(1, 1)
    table.close_round()
    return table.round_id


def test_processors_first_then_rounds_of_the_next_version(rig, wire, tmp_path):
    next_build = tree(tmp_path / "next", "1-a-field", "2-an-event", "3-a-rule")
    old = [start(rig, owner) for owner in OWNERS]
    for worker in old:
        worker.wait_ready()
    load = floor(rig, ROOT, seconds=6)
    open_at_first = [wire.table(partition, "first").to_dealt() for partition in range(PARTITIONS)]

    new = []
    for owner in OWNERS:
        new.append(start(rig, owner, next_build))
        wait_until(lambda: new[-1].line("ready"), f"the next build's {owner}", WAIT_S)
    rounds_of_first = load.summary(WAIT_S)["rounds"] + PARTITIONS

    # Too early: half of the partitions are still with the build that knows version 1 alone.
    of_second = [second_version_round(wire.table(n, "second")) for n in range(PARTITIONS)]
    for worker in old:
        wait_until(lambda worker=worker: alarms(worker, "unknown_version"), "the alarm", WAIT_S)
    for table in open_at_first:
        table.set_all()
        table.expose()
        table.close_round()
    wait_until(lambda: settled(rig, [t.round_id for t in open_at_first]), "version 1", WAIT_S)
    waiting = set(of_second) - set(outcomes(rig))
    assert {line["round_id"] for line in alarms(old[0], "unknown_version")} <= waiting

    for worker in old:
        assert worker.terminate() == 0
    wait_until(lambda: settled(rig, of_second), "version 2, by those who know it", WAIT_S)
    rounds_of_second = floor(rig, next_build, seconds=3).summary(WAIT_S)["rounds"] + PARTITIONS
    wait_until(lambda: is_done(new), "all rounds finished", WAIT_S)

    rounds = rounds_of_first + rounds_of_second
    code, counts = pitledger(rig, next_build, "replay", "--all")
    assert (code, counts["identical"], counts["open"]) == (0, rounds, 0), counts
    assert pitledger(rig, next_build, "audit")[0] == 0
    code, counts = pitledger(rig, ROOT, "replay", "--all")
    assert code == 1
    assert counts["different"] == 0
    assert (counts["identical"], counts["not_judged"]) == (rounds_of_first, rounds_of_second)
    assert not [line for worker in [*old, *new] for line in alarms(worker, "foreign_decision")]


def test_builds_that_judge_one_version_otherwise(rig, wire, tmp_path):
    wrong_hands = tree(tmp_path / "hands", "wrong-hands")
    wrong_payout = tree(tmp_path / "payout", "wrong-payout")
    homes = {"evaluation": wrong_hands}
    workers = {owner: start(rig, owner, homes.get(owner, ROOT)) for owner in OWNERS}
    for worker in workers.values():
        worker.wait_ready()

    # Of a link that others build on: nothing is paid until one build remains.
    stopped = wire.table(0, "stopped").play((1, 2), *TWENTY)
    for owner in ("wagers", "dealing", "settlement"):
        told = _told(workers[owner], "HandsEvaluated")
        assert told["round_id"] == stopped.round_id
        writer, _, name = told["detail"].partition(", build ")
        assert writer == "pitledger.v1.HandsEvaluated by evaluation"
        assert name not in ("", build())
    evaluation = workers["evaluation"]
    late = "a decision is long in coming"
    wait_until(lambda: evaluation.line(late), "that the payout does not come", WAIT_S)
    line = evaluation.line(late)
    assert (line["of"], line["question"]) == ("settlement", "payout")
    assert outcomes(rig) == {}
    _replaced(rig, workers, "evaluation", ROOT)
    wait_until(lambda: settled(rig, [stopped.round_id]), "the one build left", WAIT_S)

    # Of what settlement alone concludes: the others tell, and its successor writes the true one.
    _replaced(rig, workers, "settlement", wrong_payout)
    booked = wire.table(1, "booked").play((1, 2), *TEN_EACH)
    for owner in ("wagers", "dealing", "evaluation"):
        for body in ("PayoutDue", "RoundSettled"):
            assert _told(workers[owner], body)["round_id"] == booked.round_id
    assert len(outcomes(rig)[booked.round_id]) == 1
    wait_until(lambda: rig.committed("settlement") == rig.ends(), "it is over for it", WAIT_S)
    _replaced(rig, workers, "settlement", ROOT)
    wait_until(lambda: len(outcomes(rig)[booked.round_id]) == 2, "the true outcome", WAIT_S)
    wait_until(lambda: is_done(workers.values()), "all rounds finished", WAIT_S)

    journal = rig.journal()
    report = audit(journal, PARTITIONS)
    assert report.sound
    assert len(report.foreign) == 3
    derived = {one.round_id: one for one in replay_all(journal, PARTITIONS)}
    assert {one.state for one in derived.values()} == {"settled"}
    [wrong, true] = outcomes(rig)[booked.round_id]
    assert derived[booked.round_id].sums == JournalRecord.FromString(true) != wrong


def _told(worker, body):
    def lines():
        return [one for one in alarms(worker, "foreign_decision") if f".{body} " in one["detail"]]

    wait_until(lines, f"the alarm of {body}", WAIT_S)
    return lines()[0]


def _replaced(rig, workers, owner, home):
    assert workers[owner].terminate() == 0
    workers[owner] = start(rig, owner, home)
    workers[owner].wait_ready()
