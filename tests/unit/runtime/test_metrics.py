"""What a process shows Prometheus before anything has happened."""

import re
import time

import pytest

from pitledger.engine import Alarm
from pitledger.sources.environment import Environment
from services.runtime.metrics import ALARMS
from services.runtime.settings import Settings
from services.runtime.shell import Shell, Standing


def scraped(**variables) -> dict[str, float]:
    """A new processor's metrics, by name and labels."""
    variables = {f"PITLEDGER_{name}": value for name, value in variables.items()}
    shell = Shell(Settings.from_environment("dealing", Environment(variables)))
    shell.measures.watch(shell)
    lines = shell.measures.text().decode().splitlines()
    rows = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
    return {name: float(value) for name, value in rows}


def test_each_kind_of_alarm_is_counted_from_nought_on():
    rows = scraped()
    for kind in ALARMS:
        assert rows[f'pitledger_alarms_total{{kind="{kind}"}}'] == 0


def test_rounds_that_this_build_does_not_judge_are_shown_while_it_does_not():
    shell = Shell(Settings.from_environment("dealing", Environment({})))
    shell.measures.watch(shell)
    alarm = Alarm(3, 70, "round_blocked", "t1", "r1", "e1", "ValueError")

    def stuck(kind):
        return float(
            re.search(
                f'^pitledger_stuck_rounds{{kind="{kind}"}} (.+)$',
                shell.measures.text().decode(),
                re.MULTILINE,
            )[1]
        )

    assert stuck("round_blocked") == 0
    shell.noted.alarm(alarm)
    assert (stuck("round_blocked"), stuck("unknown_version")) == (1, 0)
    shell.assign([3])
    assert stuck("round_blocked") == 0


def test_the_journal_has_more_partitions_than_one_process_may_be_given():
    rows = scraped(PARTITIONS="48")
    assert rows["pitledger_journal_partitions"] == 48
    assert rows["pitledger_live_partitions"] == 0


def test_a_process_says_what_it_is_and_since_when():
    rows = scraped()
    (name,) = [name for name in rows if name.startswith("pitledger_build_info")]
    assert re.fullmatch(r'.*{build="\d[^"]*\+[0-9a-f]{8}",processor="dealing"}', name)
    assert rows["process_start_time_seconds"] > 1.7e9


AGES = ("oldest_round", "oldest_decision", "oldest_hole")


def ages(shell):
    rows = dict(line.rsplit(" ", 1) for line in shell.measures.text().decode().splitlines())
    return [pytest.approx(float(rows[f"pitledger_{name}_seconds"]), abs=5) for name in AGES]


def test_nothing_grows_old_in_a_partition_that_was_revoked(monkeypatch):
    # given: a partition with an open round, a decision and a record, all waited for
    shell = Shell(Settings.from_environment("dealing", Environment({})))
    shell.measures.watch(shell)
    shell.assign([3])
    shell.engine.on_assigned(3, watermark=0, end=0)
    monkeypatch.setattr(shell.engine, "open_rounds", lambda _partition: 1)
    now = time.monotonic()
    shell.standings[3] = Standing(
        open_since=(0, now - 300), waits_for="e1", waits_since=now - 200, hole_at=now - 100
    )
    assert ages(shell) == [300, 200, 100]
    # when: a rebalance begins, and does not end
    shell.revoke()
    # then
    assert ages(shell) == [0, 0, 0]
