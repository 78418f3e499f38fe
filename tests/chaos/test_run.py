"""What becomes of a chaos run: what it notes, what it is called, and its exit code."""

import json
import signal
import subprocess
import sys
from contextlib import ExitStack
from threading import Event
from types import SimpleNamespace

import pytest
from kafka.errors import KafkaError

from pitledger.sources.connection import BrokersAway
from pitledger.sources.kafka import HoleInJournal
from tests.chaos import __main__ as command
from tests.chaos import run as chaos
from tests.chaos.floor import Floor
from tests.chaos.injector import STORM, Done, Injector
from tests.chaos.schedule import Fault, Kind
from tests.chaos.test_report import REPORT
from tests.chaos.workers import Death, Worker


def test_a_worker_that_took_its_settings_for_wrong_is_unrest_and_one_that_starts_again_is_not():
    deaths = [Death(1.0, "wagers-1", 2, "another process has"), Death(2.0, "dealing-1", 70, "away")]
    assert chaos.settings_taken_for_wrong(deaths) == [
        "wagers-1 ended by itself with exit code 2: another process has"
    ]


@pytest.mark.parametrize("trouble", [KafkaError("not the coordinator"), BrokersAway("no answer")])
@pytest.mark.parametrize("asked", ["_ends", "_commits"])
def test_brokers_that_do_not_answer_at_the_end_are_behind_in_words(monkeypatch, asked, trouble):
    def fail(_connection):
        raise trouble

    for name in ("_ends", "_commits"):
        monkeypatch.setattr(chaos, name, fail if name == asked else lambda _connection: {})
    monkeypatch.setattr(chaos, "QUIET_S", 0.0)
    monkeypatch.setattr(chaos.time, "sleep", lambda _seconds: None)
    with pytest.raises(chaos.NotDone, match=trouble.args[0]):
        chaos._wait_finished(None)


@pytest.fixture
def floor(tmp_path):
    """A floor that is a process of nothing but sleep."""
    floor = Floor(None, {}, tmp_path, 1, 1.0, 3)
    floor._process = sleeper()
    floor._log.write_text("floor: no broker\n")
    with ExitStack() as stack:
        stack.callback(lambda: (floor._process.kill(), floor._process.wait()))
        yield floor


def sleeper():
    return subprocess.Popen((sys.executable, "-c", "import time; time.sleep(60)"))


def test_a_stopped_floor_stands_still_and_goes_on(floor, monkeypatch):
    states = []
    monkeypatch.setattr("tests.chaos.floor.time.sleep", lambda _s: states.append(state_of(floor)))
    assert floor.stop_for(4)
    assert states == ["T"]
    assert state_of(floor, stopped=False) in "RS"


def test_a_floor_killed_while_it_is_stopped_is_not_continued_nor_is_its_successor(
    floor, monkeypatch
):
    first, second = floor._process, sleeper()

    def killed_and_replaced(_seconds):
        floor.kill()
        first.wait()
        second.send_signal(signal.SIGSTOP)
        floor._process = second

    monkeypatch.setattr("tests.chaos.floor.time.sleep", killed_and_replaced)
    assert not floor.stop_for(4)
    assert state_of(floor) == "T"


def state_of(floor, *, stopped=True):
    """As the kernel has it, once it has heard of the signal."""
    for _ in range(1000):
        with open(f"/proc/{floor._process.pid}/stat") as stat:
            state = stat.read().rpartition(")")[2].split()[0]
        if (state == "T") == stopped:
            break
        Event().wait(0.001)
    return state


@pytest.mark.parametrize(
    ("failed_before", "deaths"),
    [(True, ["exit code -9: floor: no broker"]), (False, [])],
    ids=["failed", "told to end before it played"],
)
def test_a_floor_that_fails_as_it_is_to_end_is_among_the_deaths(
    floor, monkeypatch, failed_before, deaths
):
    floor._supervisor = SimpleNamespace(join=lambda: None)
    monkeypatch.setattr(floor, "_start", lambda *_: None)
    monkeypatch.setattr(floor, "_release_tables", lambda: None)
    if failed_before:
        floor._process.kill()
        floor._process.wait()
    with pytest.raises(chaos.FloorStuck):
        floor.finish()
    assert floor.deaths == deaths


def test_tables_that_a_killed_floor_left_held_are_released_before_the_last_round(
    floor, monkeypatch
):
    given = []

    def answer(_environment, command):
        given.append(" ".join(command))
        return 0, json.dumps({"holds": [{"table_id": "T1", "event_id": "h1"}]}), ""

    monkeypatch.setattr("tests.chaos.floor.pitledger", answer)
    floor._release_tables()
    assert given[0] == "hold list --from kafka --json"
    [release] = given[1:]
    assert release.startswith("hold release T1 --held h1 ")
    assert floor.results["holds_released"] == 1


@pytest.mark.parametrize("failing", ["list", "release"])
def test_a_table_that_cannot_be_released_is_told_of(floor, monkeypatch, failing):
    def answer(_environment, command):
        code = 2 if command[1] == failing else 0
        return code, json.dumps({"holds": [{"table_id": "T1", "event_id": "h1"}]}), "no broker"

    monkeypatch.setattr("tests.chaos.floor.pitledger", answer)
    with pytest.raises(chaos.FloorStuck, match="no broker"):
        floor._release_tables()


def test_a_storm_says_how_many_joined_in_time(tmp_path, monkeypatch):
    made = []

    def add(owner, *, static):
        log = tmp_path / f"{len(made)}.log"
        log.write_text("assigned" if len(made) != 1 else "")
        made.append(Worker(owner, log.stem, "", 0, log))
        return made[-1]

    workers = SimpleNamespace(add=add, remove=lambda *_: None, of=lambda _owner: [])
    injector = Injector(None, None, workers, None, None, None, None, "", print)
    monkeypatch.setattr(
        injector, "_until", lambda condition, _timeout: 0.0 if condition() else None
    )
    monkeypatch.setattr("tests.chaos.injector.time.sleep", lambda _seconds: None)
    done = Done(Fault(1, 3.0, Kind.REBALANCE_STORM, 0, 0.0))
    injector._storm(done)
    assert len(made) == STORM
    assert "2 of them joined in time" in done.target


# ---- the command -----------------------------------------------------------------------------


@pytest.fixture
def outcome(monkeypatch, tmp_path):
    """The exit code of a command whose runs end as given, seed by seed."""
    monkeypatch.setattr(command, "HOME", tmp_path)
    monkeypatch.setattr(command, "why_not", lambda: "")
    monkeypatch.setattr(signal, "signal", lambda *_: None)

    def outcome(*ends):
        def end(settings, _plan, _say):
            report = ends[settings.seed - 1]
            if isinstance(report, Exception):
                raise report
            return report

        monkeypatch.setattr(command, "run", end)
        seeds = [str(seed + 1) for seed in range(len(ends))]
        monkeypatch.setattr(sys, "argv", ["chaos", "--seed", *seeds])
        return command.main()

    return outcome


NOT_RUN = chaos.NotRun("before the first fault: not live")
UNREADABLE = HoleInJournal("offset 7 could not be read")


def test_a_clean_run_exits_with_0_and_is_written_down_where_it_says(outcome, tmp_path, capsys):
    assert outcome(REPORT) == 0
    assert "## Seed 3" in (tmp_path / "chaos-report.md").read_text()
    assert f"written down in {tmp_path / 'chaos-report.md'}" in capsys.readouterr().out


def test_what_could_not_be_run_exits_with_2_and_what_is_not_clean_with_1(outcome, capsys):
    assert outcome(NOT_RUN) == 2
    assert "seed 1: could not be run: before the first fault" in capsys.readouterr().out
    assert outcome(UNREADABLE) == 1
    assert "seed 1: NOT CLEAN: offset 7" in capsys.readouterr().out
    assert outcome(NOT_RUN, REPORT) == 2
    assert outcome(NOT_RUN, UNREADABLE, REPORT) == 1


@pytest.mark.parametrize("trouble", [NOT_RUN, UNREADABLE])
def test_a_run_without_a_verdict_leaves_no_older_one_of_its_seed(outcome, tmp_path, trouble):
    outcome(REPORT)
    outcome(trouble)
    assert not (tmp_path / "seed-1.json").exists()


@pytest.mark.parametrize(
    "trouble",
    [chaos.BrokerError("port 9 is taken"), BrokersAway("no answer"), chaos.NotDone("not live")],
)
def test_trouble_before_the_first_fault_means_it_could_not_be_run(trouble):
    with pytest.raises(chaos.NotRun, match=str(trouble)), chaos._before_the_first_fault():
        raise trouble
