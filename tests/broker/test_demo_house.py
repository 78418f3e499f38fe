"""The demo's processes when a signal comes at the worst moment: just after one was started."""

import os
import signal
import subprocess

import pytest

from services.demo import house
from services.demo.house import House, Occupied
from services.demo.interrupts import Interrupted, Interrupts

_ORDER = ("guard", "broker", "wagers", "dealing", "evaluation", "settlement", "floor", "command")


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with Interrupts() as interrupts:
        for home in (file, file / "below"):
            with pytest.raises(Occupied, match=f"--home {home}: "):
                House(home, "embedded", interrupts)


@pytest.mark.parametrize("module", ["guard", "wagers", "settlement", "floor", "command"])
def test_what_is_started_as_the_signal_comes_is_stopped_too(tmp_path, monkeypatch, module):
    started = []

    class Interrupting(subprocess.Popen):
        def __init__(self, command, **more):
            super().__init__(command, **more)
            started.append(self)
            if any(word.endswith(module) for word in command):
                os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(house.subprocess, "Popen", Interrupting)
    with Interrupts() as interrupts, pytest.raises(Interrupted):
        _start_everything(tmp_path, interrupts)
    assert len(started) == _ORDER.index(module) + 1
    if module == "guard":
        started[0].communicate()  # nobody holds its other end any more
    assert all(process.returncode is not None for process in started)


def _start_everything(home, interrupts):
    with House(home, "embedded", interrupts) as demo:
        demo.start_broker()
        demo.start_processors()
        demo.start_floor(("--tables", "1"))
        demo.run(("sh", "-c", "sleep 60", "command"))
