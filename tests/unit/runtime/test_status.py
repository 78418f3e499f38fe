"""`/status`: what one process knows of its partitions and of what waits in them."""

import json
import time

import pytest

from pitledger.engine import Alarm
from pitledger.journal.record import partition_of
from pitledger.pb import decisions_pb2
from pitledger.sources.environment import Environment
from services.runtime.build import build
from services.runtime.settings import Settings
from services.runtime.shell import Shell, Standing
from services.runtime.status import SHOWN_MAX, status
from tests.kit.house import build as other_build
from tests.kit.log import Log
from tests.kit.table import Table
from tests.unit.engine.test_failures_and_versions import raising_at

PARTITIONS = 48
PARTITION = partition_of("T1", PARTITIONS)


@pytest.fixture
def shell():
    variables = {"PITLEDGER_INSTANCE": "settlement-1"}
    shell = Shell(Settings.from_environment("settlement", Environment(variables)))
    shell.assigned = frozenset([PARTITION])
    shell.standings = {PARTITION: Standing(live_at=time.monotonic())}
    shell.engine.on_assigned(PARTITION, watermark=0, end=0)
    shell.polled_ms = lambda: {PARTITION: int(time.time() * 1000)}
    return shell


def shown(shell, table, chains=None):
    """The status after a table's records, as it is served."""
    with other_build(chains):
        for stored in table.log.all():
            for effect in shell.engine.on_record(
                PARTITION, stored.offset, stored.broker_time, stored.key, stored.headers,
                stored.value,
            ):
                if isinstance(effect, Alarm):
                    shell.noted.alarm(effect)
    return json.loads(json.dumps(status(shell)))


def a_table():
    return Table(log=Log(PARTITIONS))


def test_a_process_says_who_it_is_and_where_it_stands(shell):
    table = a_table().to_payout()
    shell.highwater = lambda _partition: 100

    state = shown(shell, table)

    assert (state["processor"], state["instance"]) == ("settlement", "settlement-1")
    assert state["build"] == build()
    assert state["ready"] is True
    (partition,) = state["partitions"]
    count = len(table.log.all())
    assert partition["next"] == count
    assert partition["lag"] == 100 - count
    assert (partition["committable"], partition["open_rounds"]) == (0, 1)
    assert partition["live"] is True
    assert partition["hole"] is None


def test_the_decision_that_is_waited_for_is_named_with_its_owner(shell):
    table = a_table().to_payout()

    shown(shell, table)
    _, decision = shell.engine.oldest_unseen(PARTITION)
    shell.standings[PARTITION].waits_for = decision.event_id
    shell.standings[PARTITION].waits_since = time.monotonic() - 33

    (waiting,) = status(shell)["waiting"]
    assert (waiting["owner"], waiting["question"]) == ("wagers", "request")
    assert (waiting["table"], waiting["round_id"]) == ("T1", table.round_id)
    assert waiting["waits_s"] >= 33


def test_a_blocked_round_is_shown_with_its_position_and_the_stack(shell):
    table = a_table()
    table.to_payout({1: "unlucky"})

    state = shown(shell, table, {1: raising_at("no_more_bets")})

    (stuck,) = state["stuck"]
    assert state["stuck_rounds"] == 1
    assert (stuck["kind"], stuck["round_id"]) == ("round_blocked", table.round_id)
    assert stuck["why"] == "ZeroDivisionError: a bug"
    assert stuck["stack"].startswith("Traceback")
    record = table.log.all()[stuck["offset"]]
    assert dict(record.headers)["ce_type"] == b"pitledger.v1.NoMoreBets"


def test_a_round_of_an_unknown_version_is_shown(shell):
    table = a_table()
    table.open(adjudication_version=7)

    (stuck,) = shown(shell, table)["stuck"]

    assert (stuck["kind"], stuck["why"]) == ("unknown_version", "")


def test_what_is_not_judged_is_counted_and_only_the_first_are_shown(shell):
    table = a_table()
    for _ in range(SHOWN_MAX + 5):
        table.open(adjudication_version=7)

    state = shown(shell, table)

    assert state["stuck_rounds"] == SHOWN_MAX + 5
    assert [stuck["offset"] for stuck in state["stuck"]] == list(range(SHOWN_MAX))


def test_the_last_foreign_decisions_are_shown(shell):
    table = a_table().to_payout()
    forged = table.record("betting_closed", decisions_pb2.BettingClosed(pot_minor=5))
    table.log.put(forged)

    (foreign,) = shown(shell, table)["foreign"]

    assert (foreign["type"], foreign["by"]) == ("pitledger.v1.BettingClosed", "terminal")
    assert (foreign["round_id"], foreign["event_id"]) == (table.round_id, forged.event_id)


def test_a_new_assignment_forgets_which_rounds_were_stuck(shell):
    table = a_table()
    table.open(adjudication_version=7)
    shown(shell, table)

    shell.assign([PARTITION])

    assert (status(shell)["stuck"], status(shell)["stuck_rounds"]) == ([], 0)
