"""Children end with us, also if we are killed; nobody else does."""

import os
import signal
import subprocess
import sys
import time

from tests.chaos.processes import ROOT, Children

SLEEP = (sys.executable, "-c", "import time; time.sleep(600)")


def test_what_still_runs_is_ended_with_its_parent(tmp_path):
    with Children() as children:
        child = children.start(SLEEP, dict(os.environ), tmp_path / "log")
        assert child.poll() is None
    assert child.returncode == -signal.SIGKILL


def test_a_parent_that_is_killed_leaves_no_child(tmp_path):
    program = f"""
import os, subprocess, time
from pathlib import Path
from tests.chaos.processes import Children
with Children() as children:
    ours = children.start({SLEEP!r}, dict(os.environ), Path({str(tmp_path / "log")!r}))
    other = subprocess.Popen({SLEEP!r}, start_new_session=True)
    children.guard("node", other.pid)
    print(ours.pid, other.pid, flush=True)
    time.sleep(600)
"""
    parent = subprocess.Popen(
        (sys.executable, "-c", program), stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    pids = [int(word) for word in parent.stdout.readline().split()]
    assert all(is_alive(pid) for pid in pids)
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 60
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_process_that_ended_by_its_owner_is_not_ended_again(tmp_path):
    bystander = subprocess.Popen(SLEEP, start_new_session=True)
    with Children() as children:
        children.guard("node", bystander.pid)  # as if the pid had come to be another's since
        children.guard("node", subprocess.Popen((sys.executable, "-c", "")).pid)
    time.sleep(0.5)
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
