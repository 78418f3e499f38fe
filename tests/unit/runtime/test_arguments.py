"""Processes that take no arguments say so, and do not start."""

import subprocess
import sys

import pytest

from services.runtime.settings import AUDITOR, OWNERS

MODULES = [f"services.{name}" for name in (*OWNERS, AUDITOR)]


def started(*arguments):
    command = sys.executable, "-m", *arguments
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("module", [*MODULES, "services.broker.apache", "services.broker.embedded"])
def test_help_is_answered_and_nothing_is_started(module):
    done = started(module, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ")


@pytest.mark.parametrize("module", ["services.wagers", "services.auditor"])
def test_an_argument_is_refused_and_not_ignored(module):
    done = started(module, "--port", "9")
    assert (done.returncode, done.stdout) == (2, "")
    assert "unrecognized arguments: --port 9" in done.stderr


@pytest.mark.parametrize("port", ["0", "65536", "-1", "x"])
def test_a_port_that_is_none_is_refused(port):
    done = started("services.broker.embedded", port)
    assert done.returncode == 2
