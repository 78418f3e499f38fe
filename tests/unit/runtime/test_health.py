"""What /healthz and /livez say: judged partition by partition, and with a reason."""

import time

import pytest

from pitledger.engine import Alarm
from pitledger.sources.environment import Environment
from services.runtime.health import TURN_S, health, is_alive
from services.runtime.settings import Settings
from services.runtime.shell import SILENT_S, Shell, Standing


@pytest.fixture
def shell():
    """Three live partitions of brokers 1, 1 and 2, and all brokers answer."""
    shell = Shell(Settings.from_environment("wagers", Environment({})))
    shell.assigned = frozenset(range(3))
    now = time.monotonic()
    shell.standings = {n: Standing(begun_at=now - 60, live_at=now - 50) for n in range(3)}
    silent(shell)
    shell.leader = {0: 1, 1: 1, 2: 2}.get
    shell.engine.on_assigned(0, watermark=0, end=0)
    shell.engine.on_assigned(1, watermark=0, end=0)
    shell.engine.on_assigned(2, watermark=0, end=0)
    shell.turn()
    return shell


def silent(shell, *partitions):
    now = int(time.time() * 1000)
    ago = int((time.time() - SILENT_S - 5) * 1000)
    shell.polled_ms = lambda: {n: ago if n in partitions else now for n in range(3)}


def test_caught_up_is_ready_without_a_reason(shell):
    state = health(shell)
    assert (state["ready"], state["reason"], state["silent_partitions"]) == (True, "", [])


def test_one_silent_broker_among_those_that_answer_is_named_with_its_partitions(shell):
    silent(shell, 0, 1)
    state = health(shell)
    assert state["ready"] is False
    assert state["silent_partitions"] == [0, 1]
    assert state["silent_s"] >= SILENT_S
    assert str(state["reason"]).startswith(
        "broker 1 does not answer for partitions 0, 1, since 15 s"
    )


def test_a_partition_without_a_leader_is_said_to_have_none(shell):
    silent(shell, 2)
    shell.leader = lambda _partition: None
    assert str(health(shell)["reason"]).startswith("no broker leads partition 2, since 15 s")


def test_a_partition_that_was_never_answered_is_silent_since_it_was_begun(shell):
    shell.polled_ms = lambda: dict.fromkeys([0, 1], int(time.time() * 1000))
    assert health(shell)["silent_partitions"] == [2]
    shell.standings[2].begun_at = time.monotonic()
    assert health(shell)["silent_partitions"] == []


def test_what_is_not_live_is_behind_by_so_many_records(shell):
    shell.standings[1].live_at = None
    shell.highwater = lambda _partition: 7
    assert health(shell)["reason"] == "catches up on partition 1: 7 records behind"


def test_during_a_rebalance_nobody_is_called_silent(shell):
    silent(shell, 0, 1, 2)
    shell.revoke()
    assert health(shell)["silent_partitions"] == []
    assert "waits for partitions from the group" in str(health(shell)["reason"])


def test_before_it_has_begun_it_says_what_it_waits_for(shell):
    shell.assigned = None
    shell.waits_for = "Kafka at a:1: nobody listens there"
    assert health(shell)["reason"] == "Kafka at a:1: nobody listens there"


def test_a_processor_is_alive_unless_its_loop_stands_still_while_the_broker_answers(shell):
    assert is_alive(shell)
    shell.turned_at = time.monotonic() - TURN_S - 1
    assert not is_alive(shell)
    silent(shell, 0)
    assert is_alive(shell), "a broker's death is no reason to end it"
    silent(shell)
    shell.assigned = None
    assert is_alive(shell), "nothing to do yet"


def test_a_start_that_takes_long_is_no_standstill(shell):
    shell.assign(range(3))
    shell.turned_at = time.monotonic() - TURN_S - 1
    assert is_alive(shell)


def test_records_that_lie_where_nobody_looks_for_them_are_a_warning(shell):
    assert health(shell)["warning"] == ""
    shell.noted.alarm(Alarm(1, 7, "not_a_fact", "t", "r", "e", "foreign_partition"))
    assert str(health(shell)["warning"]).startswith("1 records lie in another partition")
    assert health(shell)["ready"]


def test_a_rebalance_that_took_long_is_no_standstill_of_the_batch_loop(shell):
    shell.turned_at = time.monotonic() - TURN_S - 1
    shell.revoke()
    assert is_alive(shell)
    shell.assign(range(3))
    assert is_alive(shell)
