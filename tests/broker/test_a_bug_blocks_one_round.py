"""A bug in one round's fold blocks that round in that build, on every worker that meets it.

Two workers of the build with the bug, one after the other; then the mended one derives it whole.
"""

import json

import pytest

from pitledger.replay import Replay
from services.cli.run import run
from tests.broker.rig import Rig, wait_until
from tests.simulation.floor.test_live import Answerer

UNLUCKY, OTHER = "saigon-001", "hilo-002"
WAIT_S = 100


@pytest.fixture
def rig(apache_broker, tmp_path, monkeypatch):
    rig = Rig(apache_broker, "apache", tmp_path, partitions=4)
    rig.create()
    rig.lend_environment(monkeypatch)
    yield rig
    rig.close()


@pytest.fixture
def others(rig):
    """The three other processors, of the true build, in this process."""
    answerer = Answerer(rig.connection, ("dealing", "evaluation", "settlement"))
    answerer.start()
    assert answerer.ready.wait(WAIT_S)
    yield
    answerer.stop()


def play(rig, first, rounds):
    """Rounds at two tables by turns; one without a close is voided after a while."""
    floor = rig.floor("--tables=2", "--rate=8", "--seed=1", "--patience=3", f"--first={first}",
                      f"--rounds={rounds}")
    assert floor.summary(WAIT_S)["rounds"] == rounds


def reports(rig):
    """By table and number."""
    replay = Replay(rig.connection.partitions)
    for stored in rig.journal():
        replay.take(stored)
    return {(report.table_id, report.opened.round_opened.round_number): report
            for report in replay.reports(so_far=True)}


def lacking(rig):
    """Rounds with a decision that is not on the journal."""
    return {name for name, report in reports(rig).items() if report.missing}


def stuck(worker):
    return json.loads(worker.http("/status")[1])["stuck"]


def url(worker):
    return f"http://127.0.0.1:{worker.line('http')['port']}"


def examined(capsys, *urls):
    """The doctor's answer."""
    capsys.readouterr()
    options = [option for one in urls for option in ("--processors", one)]
    code = run(["doctor", "--from", "kafka", "--json", *options])
    answer = json.loads(capsys.readouterr().out)
    assert code == (1 if answer["waits"] else 0)
    return answer


@pytest.mark.usefixtures("others")
@pytest.mark.timeout(600)
def test_a_bug_blocks_its_round_on_both_workers_and_the_mended_build_derives_it_whole(
        rig, capsys, monkeypatch):
    buggy = [rig.start(f"{UNLUCKY}/1", owner="wagers", module="tests.kit.builds")
             for _ in range(2)]
    for worker in buggy:
        wait_until(lambda worker=worker: worker.line("ready"), "ready", WAIT_S)
    play(rig, first=1, rounds=4)

    wait_until(lambda: lacking(rig) == {(UNLUCKY, 1)}, "all but one are decided", WAIT_S)
    (first,) = [worker for worker in buggy if stuck(worker)]
    second = buggy[1 - buggy.index(first)]
    [one] = stuck(first)
    assert (one["kind"], one["table"]) == ("round_blocked", UNLUCKY)
    assert one["why"].endswith(f"Bug: {UNLUCKY}/1")
    [alarm] = [line for line in first.lines() if line["event"] == "alarm"]
    assert (alarm["kind"], alarm["round_id"], alarm["offset"]) == (
        "round_blocked", one["round_id"], one["offset"])
    assert first.metric("pitledger_blocked_rounds_total") == 1

    assert first.terminate() == 0
    wait_until(lambda: [each["round_id"] for each in stuck(second)] == [one["round_id"]],
               "the other worker meets it", WAIT_S)
    assert second.process.poll() is None
    play(rig, first=3, rounds=2)
    wait_until(lambda: lacking(rig) == {(UNLUCKY, 1)}, "the next rounds are decided", WAIT_S)

    monkeypatch.setattr("services.cli.doctor.PATIENCE_MS", 0)
    answer = examined(capsys, url(second))
    waits = {finding["kind"]: finding for finding in answer["waits"]}
    assert set(waits) == {"missing", "blocked", "no_process"}
    for kind in ("missing", "blocked"):
        assert waits[kind]["round_id"] == one["round_id"]
    assert waits["missing"]["owner"] == "wagers"
    assert "-bug" in waits["blocked"]["text"]
    [status] = answer["processes"]
    assert status["status"]["build"].endswith("-bug")
    builds = {build["build"] for build in answer["builds"] if build["processor"] == "wagers"}
    assert builds == {status["status"]["build"]}
    groups = {group["processor"]: group for group in answer["groups"]}
    assert len(groups["wagers"]["members"]) == 1
    assert groups["settlement"]["members"] == []

    assert second.terminate() == 0
    mended = rig.start(module="services.wagers")
    wait_until(lambda: lacking(rig) == set(), "the round is derived whole", WAIT_S)
    assert all(report.identical for report in reports(rig).values())
    assert len(reports(rig)) == 6
    assert stuck(mended) == []
    wait_until(lambda: rig.committed("wagers") == rig.ends(), "nothing is open", WAIT_S)
    for owner in ("dealing", "evaluation", "settlement"):
        rig.commit(rig.ends(), owner)
    answer = examined(capsys, url(mended))
    assert answer["read"]["whole"] is False
    assert {waits["kind"] for waits in answer["waits"]} == {"no_process"}
    assert answer["told"] == []
    assert len({build["build"] for build in answer["builds"]}) == 2
