"""Children of ours: each in a session of its own, ended by its pid and by nothing else.

A guard process ends them if we ourselves are gone, even by kill -9.
"""

import subprocess
import threading
from contextlib import suppress
from pathlib import Path

from services.demo.guard import start_guard

ROOT = Path(__file__).parents[2]


class Children:
    """Starts processes; a context manager that kills what is left of them at its end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen] = set()
        self._others: dict[str, int] = {}
        self._guard = start_guard()

    def start(self, command, environment, output: Path, errors: Path | None = None):
        """A process, whose output is appended to a file."""
        with output.open("ab") as out, (errors or output).open("ab") as err:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment,
                cwd=ROOT,
                start_new_session=True,
            )
        with self._lock:
            self._running.add(process)
            over = {child for child in self._running if child.poll() is not None}
            self._running -= over
        self._tell(f"+{process.pid}")
        for child in over:
            self._release(child.pid)
        return process

    def guard(self, name: str, pid: int) -> None:
        """Have a process ended with us that somebody else started, and ends: `name`'s present one.
        """
        with self._lock:
            before = self._others.pop(name, None)
            self._others[name] = pid
        if before is not None:
            self._release(before)
        self._tell(f"+{pid}")

    def _release(self, pid: int) -> None:
        """It is over: its pid may come to be another's."""
        self._tell(f"-{pid}")

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            left, self._running = self._running, set()
        for process in left:
            if process.poll() is None:
                process.kill()
            process.wait()
            self._release(process.pid)
        for pid in self._others.values():
            self._release(pid)
        with suppress(BrokenPipeError):
            self._guard.communicate()

    def _tell(self, line: str) -> None:
        with suppress(BrokenPipeError, ValueError):
            self._guard.stdin.write(line + "\n")
