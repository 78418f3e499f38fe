"""The four processors as processes on a real broker, under load, killed in the middle of rounds."""

import time
from collections import Counter

import pytest

from pitledger.audit.auditor import audit
from pitledger.audit.report import render
from pitledger.journal.record import JournalRecord
from pitledger.replay import Replay
from pitledger.sources.topics import create_topics
from services.runtime.settings import OWNERS
from tests.broker.rig import Rig, wait_until

OUTCOMES = ("round_settled", "round_voided")
LOAD = {"embedded": (4, 12), "apache": (12, 12)}
"""Rounds a second, tables."""


class House:
    """Four processors and a floor; a processor that ended by itself is started again."""

    def __init__(self, rig):
        self.rig = rig
        self.restarts = Counter()
        self.processes = {owner: self._start(owner) for owner in OWNERS}
        for worker in self.processes.values():
            worker.wait_ready()

    def play(self, seconds, *options):
        rate, tables = LOAD[self.rig.connection.broker]
        load = f"--rate={rate}", f"--tables={tables}", f"--seconds={seconds}"
        return self.rig.floor(*load, "--seed=7", "--patience=60", *options)

    def kill(self, owner):
        """kill -9, and start it again."""
        self.processes[owner].kill()
        self.processes[owner] = self._start(owner)

    def keep_up(self):
        """Do what a supervisor does: start again what ended."""
        for owner, worker in self.processes.items():
            if worker.process.poll() is not None:
                self.restarts[owner] += 1
                self.processes[owner] = self._start(owner)

    def finish(self, floor):
        """Wait for the floor and for what the processors still owe; the floor's own summary."""
        while floor.process.poll() is None:
            self.keep_up()
            time.sleep(0.2)
        summary = floor.summary()
        wait_until(self._is_done, "all rounds finished", 60)
        return summary

    def metric(self, name):
        return sum(worker.metric(name) for worker in self.processes.values())

    def _is_done(self):
        self.keep_up()
        return all(worker.is_ready() for worker in self.processes.values()) and not self.metric(
            "pitledger_open_rounds"
        )

    def _start(self, owner):
        instance = f"{owner}-1" if self.rig.connection.broker == "apache" else ""
        return self.rig.start(module=f"services.{owner}", INSTANCE=instance)


def judge(rig):
    """One outcome a round, every replay identical, and an auditor that agrees."""
    journal = rig.journal()
    partitions = rig.connection.partitions
    replay = Replay(partitions)
    for stored in journal:
        replay.take(stored)
    reports = list(replay.reports())
    assert [report.difference for report in reports if not report.identical] == []
    assert {report.state for report in reports} <= {"settled", "voided"}
    outcomes = {}
    for stored in journal:
        record = JournalRecord.FromString(stored.value)
        if record.WhichOneof("body") in OUTCOMES:
            outcomes.setdefault(record.round_id, set()).add(stored.value)
    assert {len(values) for values in outcomes.values()} == {1}
    assert set(outcomes) == {report.round_id for report in reports}
    report = audit(journal, partitions)
    assert report.sound, render(report)
    return reports


@pytest.fixture
def rig(broker, kind, tmp_path):
    rig = Rig(broker, kind, tmp_path, partitions=4)
    create_topics(rig.connection)
    yield rig
    rig.close()


def test_each_processor_is_killed_in_the_middle_of_rounds_and_no_round_suffers(rig):
    house = House(rig)
    floor = house.play(seconds=35)
    time.sleep(4)
    for owner in OWNERS:
        house.kill(owner)
        time.sleep(4)
    result = house.finish(floor)
    print(f"{rig.connection.broker}: {result}; ended by themselves: {dict(house.restarts)}")
    reports = judge(rig)
    assert len(reports) >= 20
    for owner in OWNERS:
        wait_until(lambda owner=owner: rig.committed(owner) == rig.ends(), f"{owner} committed")


def test_all_four_are_killed_at_once(rig):
    house = House(rig)
    floor = house.play(seconds=20)
    time.sleep(5)
    for owner in OWNERS:
        house.kill(owner)
    house.finish(floor)
    judge(rig)


def test_a_second_worker_of_each_joins_and_leaves_under_load(rig):
    house = House(rig)
    floor = house.play(seconds=25)
    time.sleep(3)
    others = [rig.start(module=f"services.{owner}", INSTANCE=f"{owner}-2") for owner in OWNERS]
    for other in others:
        wait_until(lambda other=other: other.line("ready"), "the second worker", 60)
    time.sleep(2)
    for other in others:
        assert other.terminate() == 0
    house.finish(floor)
    judge(rig)
