"""The processors' workers, and a supervisor that starts again whatever ended.

A worker's place keeps its port and its name; the process in it changes.
"""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from services.broker.process import free_port
from services.runtime.settings import OWNERS
from tests.chaos.processes import Children

RESTART_S = 0.5
"""What the supervisor waits before it starts a process again."""
_LOOK_S = 0.1


@dataclass(eq=False)
class Worker:
    """One place for a worker. `wanted`: whether the supervisor keeps a process there."""

    owner: str
    name: str
    instance: str
    port: int
    log: Path
    process: subprocess.Popen | None = None
    wanted: bool = True
    other_build: bool = False
    suspended: bool = False
    starts: int = 0
    doomed: set[int] = field(default_factory=set)
    """Pids that we ended ourselves."""

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def signal(self, number: int) -> None:
        process = self.process
        if process is None:
            return
        if number in (signal.SIGKILL, signal.SIGTERM):
            self.doomed.add(process.pid)
        if number in (signal.SIGSTOP, signal.SIGCONT):
            self.suspended = number == signal.SIGSTOP
        process.send_signal(number)


@dataclass(frozen=True, slots=True)
class Death:
    """A worker that ended although nobody ended it."""

    at: float
    name: str
    code: int
    reason: str


class Workers:
    """All workers; a context manager whose end kills them."""

    def __init__(
        self, children: Children, environment: dict[str, str], folder: Path,
        owners: Sequence[str] = OWNERS, static: Sequence[bool] = (True, False),
    ) -> None:
        """`static`: the members that each begins with."""
        self.places: list[Worker] = []
        self.deaths: list[Death] = []
        self._children = children
        self._environment = environment
        self._folder = folder
        self._numbers = dict.fromkeys(owners, 0)
        self._members = static
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)

    def __enter__(self) -> "Workers":
        for owner in self._numbers:
            for static in self._members:
                self.add(owner, static=static)
        self._supervisor.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._supervisor.join()
        for worker in self.places:
            if worker.is_running():
                worker.signal(signal.SIGKILL)

    def of(self, owner: str) -> list[Worker]:
        """The places of a processor that are wanted."""
        with self._lock:
            return [each for each in self.places if each.owner == owner and each.wanted]

    def wanted(self) -> list[Worker]:
        with self._lock:
            return [each for each in self.places if each.wanted]

    def add(self, owner: str, *, static: bool) -> Worker:
        """Another worker of a processor: a static member of its group, or a dynamic one."""
        with self._lock:
            self._numbers[owner] += 1
            name = f"{owner}-{self._numbers[owner]}"
            log = self._folder / f"{name}.log"
            worker = Worker(owner, name, name if static else "", free_port(), log)
            self._start(worker)
            self.places.append(worker)
        return worker

    def remove(self, worker: Worker, number: int = signal.SIGTERM) -> None:
        """End it, and do not start it again."""
        with self._lock:
            worker.wanted = False
            worker.signal(number)

    def total_starts(self) -> int:
        return sum(worker.starts for worker in self.places)

    def _start(self, worker: Worker) -> None:
        module = "tests.kit.other_build" if worker.other_build else f"services.{worker.owner}"
        command = [sys.executable, "-m", module]
        if worker.other_build:
            command.append(worker.owner)
        environment = self._environment | {
            "PITLEDGER_HTTP_PORT": str(worker.port),
            "PITLEDGER_INSTANCE": worker.instance,
        }
        worker.suspended = False
        worker.starts += 1
        worker.process = self._children.start(command, environment, worker.log)

    def _supervise(self) -> None:
        ended: dict[Worker, float] = {}
        while not self._over.wait(_LOOK_S):
            for worker in self.wanted():
                if worker.is_running():
                    ended.pop(worker, None)
                elif worker not in ended:
                    ended[worker] = time.monotonic()
                    self._note_death(worker)
                elif time.monotonic() - ended[worker] > RESTART_S:
                    with self._lock:
                        if worker.wanted:
                            self._start(worker)

    def _note_death(self, worker: Worker) -> None:
        process = worker.process
        if process is None or process.pid in worker.doomed:
            return
        reason = last_words(worker.log)
        self.deaths.append(Death(time.monotonic(), worker.name, process.returncode, reason))


def last_words(log: Path) -> str:
    """The last line of a log that says why its process ended, in short."""
    for line in reversed(log.read_text(errors="replace").splitlines()[-50:]):
        try:
            entry = json.loads(line)
        except ValueError:
            return line[:300]
        if entry.get("level") in ("critical", "error"):
            return ", ".join(
                str(entry[name])[:200] for name in ("event", "error", "reason") if name in entry
            )
    return "nothing was said"
