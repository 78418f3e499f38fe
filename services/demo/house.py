"""The demo's processes: broker, four processors, floor. All end with it, whatever happens."""

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from pitledger.sources.connection import Connection
from pitledger.sources.environment import Environment
from services.broker import apache
from services.broker.apache import ApacheKafka
from services.broker.embedded import EmbeddedBroker
from services.broker.process import BrokerProcess
from services.demo.guard import kill_group, start_guard
from services.demo.interrupts import Interrupts
from services.runtime.settings import OWNERS

ROOT = Path(__file__).resolve().parents[2]
STOP_TIMEOUT_S = 10.0
_TAIL_LINES = 15


class Died(Exception):
    """A process of the demo ended by itself: which, how, and the tail of its log."""


class Occupied(Exception):
    """Another demo runs in the same folder, or it is none that can be written to."""


class Child:
    """One process of ours in a session of its own: Ctrl-C reaches the demo alone."""

    def __init__(self, name: str, log: Path, process: "subprocess.Popen[bytes]") -> None:
        self.name = name
        self.log = log
        self.process = process

    @property
    def pid(self) -> int:
        return self.process.pid

    def http_port(self) -> int | None:
        """Where a processor serves, as its log says; None: not yet."""
        for line in self.log.read_text(errors="replace").splitlines():
            with contextlib.suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, dict) and entry.get("event") == "http":
                    return int(entry["port"])
        return None


class House:
    """Starts processes and stops them all; logs lie in `home`. A context manager."""

    def __init__(self, home: Path, broker: str, interrupts: Interrupts) -> None:
        self.home = home
        self.processors: list[Child] = []
        self.floor: Child | None = None
        self._interrupts = interrupts
        self.kind = broker
        self.since = time.monotonic()
        self._broker: BrokerProcess | None = None
        self._visitor: subprocess.Popen[bytes] | None = None
        self._groups: list[int] = []
        self._lock = _claim(home)
        self._guard = self._start_guard()
        interrupts.at_once = self._kill_all

    def __enter__(self) -> "House":
        return self

    def __exit__(self, *_: object) -> None:
        with self._interrupts.held():
            self._stop()

    # ---- starting ----------------------------------------------------------------------------

    def start_broker(self) -> Connection:
        """Returns how to reach it. Raises BrokerError."""
        if self.kind == "apache":
            apache.find_java()
            apache.resolve_jars()
            data = self.home / "kafka"
            shutil.rmtree(data, ignore_errors=True)
            broker: BrokerProcess = ApacheKafka(data=data)
        else:
            broker = EmbeddedBroker(log=self.home / "broker.log")
        broker.log.unlink(missing_ok=True)
        self._broker = broker
        with self._interrupts.held():
            broker.start()
            assert broker.pid is not None
            self._to_guard(broker.pid)
        return Connection.from_environment(Environment(self.environment()))

    def start_processors(self) -> None:
        for owner in OWNERS:
            with self._interrupts.held():
                child = self._start(owner, (f"services.{owner}",), PITLEDGER_HTTP_PORT="0")
                self.processors.append(child)

    def start_floor(self, options: Sequence[str]) -> Child:
        with self._interrupts.held():
            self.floor = self._start("floor", ("services.floor", *options))
        return self.floor

    def environment(self) -> dict[str, str]:
        """Of every process on this broker; settings of the user's own cluster are not for it."""
        assert self._broker is not None
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("PITLEDGER_")
        }
        return kept | {
            "PITLEDGER_BROKER": self.kind,
            "PITLEDGER_BOOTSTRAP": self._broker.bootstrap,
        }

    def run(self, command: Sequence[str]) -> int:
        """Run a command on this broker to its end, its output beside ours; its exit code."""
        with self._interrupts.held():
            self._visitor = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                env=self.environment(),
                cwd=ROOT,
                start_new_session=True,
            )
            self._to_guard(self._visitor.pid)
        return self._visitor.wait()

    # ---- watching ----------------------------------------------------------------------------

    @property
    def broker_name(self) -> str:
        assert self._broker is not None
        return f"{self._broker.name} at {self._broker.bootstrap}"

    def check(self) -> None:
        """Raise Died if a process ended that should not have, Interrupted if we are to stop."""
        self._interrupts.check()
        assert self._broker is not None
        code = self._broker.exit_code()
        if code is not None:
            raise Died(_obituary(self._broker.name, code, self._broker.log))
        for child in self.processors:
            code = child.process.poll()
            if code is not None:
                raise Died(_obituary(child.name, code, child.log))

    def floor_is_over(self) -> bool:
        """Whether the floor played to its end. Raises Died if it failed."""
        assert self.floor is not None
        code = self.floor.process.poll()
        if code:
            raise Died(_obituary("floor", code, self.floor.log))
        return code is not None

    # ---- stopping ----------------------------------------------------------------------------

    def _stop(self) -> None:
        """Devices first, then processors, the broker last: nobody talks to one who has gone."""
        for process in self._with_no_say():
            kill_group(process.pid)
            process.wait()
        for child in self.processors:
            child.process.terminate()
        deadline = time.monotonic() + (STOP_TIMEOUT_S if self._broker_runs() else 0)
        for child in self.processors:
            try:
                child.process.wait(max(deadline - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                kill_group(child.pid)
                child.process.wait()
        if self._broker is not None:
            self._broker.stop()
        self._dismiss_guard()
        self._lock.close()

    def _broker_runs(self) -> bool:
        """Without it nobody can leave its group in good order."""
        broker = self._broker
        return broker is not None and broker.pid is not None and broker.exit_code() is None

    def _with_no_say(self) -> "list[subprocess.Popen[bytes]]":
        """The processes without anything to bring to an end that still run."""
        both = (self._visitor, self.floor.process if self.floor else None)
        return [process for process in both if process and process.returncode is None]

    def _kill_all(self) -> None:
        processors = [child.process for child in self.processors]
        for process in (*processors, *self._with_no_say()):
            if process.returncode is None:
                kill_group(process.pid)
        if self._broker is not None and self._broker.pid is not None:
            kill_group(self._broker.pid)

    # ---- processes ---------------------------------------------------------------------------

    def _start(self, name: str, module: Sequence[str], **settings: str) -> Child:
        """Only while signals are held, until it is noted where it will be found to be stopped."""
        log = self.home / f"{name}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                (sys.executable, "-m", *module),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=self.environment() | settings,
                cwd=ROOT,
                start_new_session=True,
            )
            self._to_guard(process.pid)
        return Child(name, log, process)

    def _start_guard(self) -> "subprocess.Popen[str]":
        with self._interrupts.held():
            return start_guard()

    def _to_guard(self, group: int) -> None:
        self._groups.append(group)
        self._tell_guard(f"+{group}")

    def _dismiss_guard(self) -> None:
        for group in self._groups:
            self._tell_guard(f"-{group}")
        with contextlib.suppress(BrokenPipeError):
            self._guard.communicate()

    def _tell_guard(self, line: str) -> None:
        assert self._guard.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._guard.stdin.write(line + "\n")


def tail(log: Path) -> str:
    """The last lines of a log, indented."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return "\n".join(f"  {line[:400]}" for line in lines[-_TAIL_LINES:])


def _obituary(name: str, code: int, log: Path) -> str:
    how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return f"{name} {how}; its log, {log}, ends:\n{tail(log) or '  (empty)'}"


def _claim(home: Path) -> IO[str]:
    """Lock the folder, as long as the file stays open. Raises Occupied."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        lock = (home / "lock").open("w")
    except OSError as error:
        raise Occupied(f"--home {home}: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise Occupied(f"another demo runs in {home}; --home FOLDER takes another one") from None
    return lock
