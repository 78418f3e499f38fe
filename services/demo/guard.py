"""Ends what the demo started when the demo itself is gone, even by kill -9.

`python -m services.demo.guard` reads lines: `+PID`, a process group began; `-PID`, it ended. When
its standard input closes, the demo is over, and whatever still runs of those is killed.
"""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run until standard input closes."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        if line.startswith("+"):
            groups.add(int(line[1:]))
        else:
            groups.discard(int(line[1:]))
    for group in groups:
        kill_group(group)


def start_guard() -> "subprocess.Popen[str]":
    """A guard, in a session of its own; it is told by its standard input."""
    return subprocess.Popen(
        (sys.executable, "-m", "services.demo.guard"),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        cwd=ROOT,
        text=True,
        bufsize=1,
        start_new_session=True,
    )


def kill_group(group: int) -> None:
    """kill -9 of a process group; nothing where it is over."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
