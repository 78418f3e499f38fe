"""The demo as a user runs it: `python -m services.demo`, a process and its children."""

import os
import re
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_MARK = "DEMO_TEST_MARK"
_PROCESSES = 7
"""Broker, guard, floor, four processors."""


class Demo:
    """One run; its processes are known by a mark in their environment."""

    def __init__(self, home, broker, *options):
        self.mark = uuid.uuid4().hex
        self.output = home.with_name(home.name + ".out")
        command = [sys.executable, "-m", "services.demo", "--home", str(home), *options]
        with self.output.open("wb") as out:
            self.process = subprocess.Popen(
                command,
                stdout=out,
                stderr=out,
                cwd=ROOT,
                env=os.environ | {"BROKER": broker, _MARK: self.mark},
            )

    @property
    def text(self):
        return self.output.read_text()

    def wait_for(self, pattern, timeout_s=60):
        """The match, as soon as the output has it."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            found = re.search(pattern, self.text)
            if found:
                return found
            assert self.process.poll() is None, self.text
            time.sleep(0.05)
        raise AssertionError(f"{pattern} not within {timeout_s} s: {self.text}")

    def wait_until_it_plays(self):
        self.wait_for("logs in")
        deadline = time.monotonic() + 10
        while len(self.left()) < _PROCESSES and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(self.left()) == _PROCESSES, self.text

    def wait(self, timeout_s=120):
        """Its exit code."""
        return self.process.wait(timeout_s)

    def left(self):
        """Command lines of its processes that still run, itself not counted."""
        wanted = f"{_MARK}={self.mark}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().decode()
            except OSError:
                continue  # it ended meanwhile
        found.pop(self.process.pid, None)
        return found

    def pid_of(self, command):
        """Its process of this name; a process that was just started has none for a moment."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            for pid, line in self.left().items():
                if f"services.{command}" in line or f"\0{command}\0" in line:
                    return pid
            time.sleep(0.05)
        raise AssertionError(f"no process {command}: {self.left()}")


@pytest.fixture
def start(tmp_path):
    """Start demos; none of their processes outlives the test."""
    demos = []

    def begin(broker="embedded", *options, home=None):
        demo = Demo(home or tmp_path / f"demo-{len(demos)}", broker, "--seed", "7", *options)
        demos.append(demo)
        return demo

    yield begin
    for demo in demos:
        if demo.process.poll() is None:
            demo.process.kill()
            demo.process.wait()
        for pid in demo.left():
            os.kill(pid, signal.SIGKILL)


@pytest.fixture(params=["embedded", "apache"])
def broker(request):
    if request.param == "apache":
        request.getfixturevalue("apache_tools")
    return request.param


@pytest.fixture
def users_own_cluster(monkeypatch):
    """Settings that are none of the demo's business."""
    monkeypatch.setenv("PITLEDGER_TOPIC", "production")
    monkeypatch.setenv("PITLEDGER_BOOTSTRAP", "127.0.0.1:1")


@pytest.mark.usefixtures("users_own_cluster")
def test_a_short_demo_plays_proves_itself_and_leaves_nothing_behind(start, broker):
    demo = start(broker, "--seconds", "10")
    assert demo.wait() == 0, demo.text
    assert "verdict: identical" in demo.text
    rounds, of = re.search(r"replay  (\d+) of (\d+) rounds identical", demo.text).groups()
    assert rounds == of
    assert int(rounds) >= 10
    assert re.search(rf"audit   {rounds} rounds = \d+ settled .* no finding", demo.text)
    assert re.search(r"money   players .* USD: sums to zero", demo.text)
    assert re.search(rf"sealed  {rounds} rounds and .* verified byte by byte", demo.text)
    assert demo.left() == {}


def test_ctrl_c_while_it_plays_leaves_nothing_behind(start, broker):
    demo = start(broker)
    demo.wait_for(r"[1-9]\d* settled")
    demo.process.send_signal(signal.SIGINT)
    assert demo.wait(30) == 130, demo.text
    assert demo.left() == {}
    assert "Traceback" not in demo.text


@pytest.mark.parametrize("delay_s", [0.0, 0.1, 0.3, 0.6, 1.2, 2.5, 4.0])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_set_up_leaves_nothing_behind(start, tmp_path, delay_s, number):
    demo = start(home=tmp_path / "home")
    while not (tmp_path / "home" / "lock").exists():
        time.sleep(0.01)
    time.sleep(delay_s)
    demo.process.send_signal(number)
    assert demo.wait(30) == 128 + number, demo.text
    assert demo.left() == {}
    assert "Traceback" not in demo.text


def test_a_second_ctrl_c_ends_everything_at_once(start):
    demo = start()
    settlement = int(demo.wait_for(r"settlement (\d+)")[1])
    demo.wait_until_it_plays()
    os.kill(settlement, signal.SIGSTOP)  # it will not stop when it is asked to
    demo.process.send_signal(signal.SIGINT)
    time.sleep(1.5)
    assert demo.process.poll() is None
    demo.process.send_signal(signal.SIGINT)
    assert demo.wait(5) == 130
    _assert_soon_over(demo)


def test_a_processor_that_does_not_stop_is_killed(start):
    demo = start()
    settlement = int(demo.wait_for(r"settlement (\d+)")[1])
    demo.wait_until_it_plays()
    os.kill(settlement, signal.SIGSTOP)
    demo.process.send_signal(signal.SIGINT)
    assert demo.wait(30) == 130, demo.text
    assert demo.left() == {}


def test_a_killed_demo_takes_its_processes_with_it(start):
    demo = start()
    demo.wait_until_it_plays()
    demo.process.kill()
    demo.wait()
    _assert_soon_over(demo)


def test_a_processor_that_dies_is_named_with_the_tail_of_its_log(start):
    demo = start()
    pid = int(demo.wait_for(r"evaluation (\d+)")[1])
    demo.wait_until_it_plays()
    os.kill(pid, signal.SIGKILL)
    assert demo.wait(30) == 1
    assert "evaluation was killed by signal 9" in demo.text
    assert '"event": "ready"' in demo.text.partition("evaluation.log")[2]
    assert demo.left() == {}


@pytest.mark.parametrize(("command", "name"), [("broker", "embedded broker"), ("floor", "floor")])
def test_a_broker_or_floor_that_dies_is_named(start, command, name):
    demo = start()
    demo.wait_until_it_plays()
    os.kill(demo.pid_of(command), signal.SIGKILL)
    assert demo.wait(60) == 1
    assert f"{name} was killed by signal 9" in demo.text
    assert "Traceback" not in demo.text
    assert demo.left() == {}


def test_two_demos_do_not_share_a_folder(start, tmp_path):
    first = start(home=tmp_path / "same")
    first.wait_for("embedded broker at")
    second = Demo(tmp_path / "same", "embedded")
    assert second.wait() == 2
    first.process.send_signal(signal.SIGTERM)
    assert first.wait(30) == 143


@pytest.mark.parametrize("options", [("--tables", "0"), ("--rate", "0"), ("--seconds", "0")])
def test_options_that_make_no_demo_are_refused(start, options):
    demo = start("embedded", *options)
    assert demo.wait() == 2
    assert "must be above 0" in demo.text


def test_an_unknown_broker_is_refused(start):
    demo = start("rabbit")
    assert demo.wait() == 2
    assert "rabbit" in demo.text


def _assert_soon_over(demo):
    deadline = time.monotonic() + 5
    while demo.left() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert demo.left() == {}
