"""The floor as load: one process after the other at the same tables, and what was acknowledged."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from services.floor.receipts import Receipts, read_receipts
from tests.chaos.commands import pitledger
from tests.chaos.processes import Children

_LOOK_S = 0.2
_PATIENCE_S = 30
FINISH_S = 150.0


class FloorStuck(Exception):
    """The tables could not be brought to their end in time."""


class Floor:
    """Keeps a floor at a steady rate; a context manager."""

    def __init__(
        self, children: Children, environment: dict[str, str], folder: Path, seed: int,
        rate: float, tables: int,
    ) -> None:
        self.tables, self.rate = tables, rate
        self.starts = 0
        self.deaths: list[str] = []
        """Floors that ended by themselves, or failed as they were to end: how."""
        self.results: Counter[str] = Counter()
        """What floors that ended in good order counted."""
        self._children = children
        self._environment = environment
        self._folder = folder
        self._seed = seed
        self._receipts = folder / "receipts"
        self._log = folder / "floor.log"
        self._out = folder / "floor.out"
        self._doomed: set[int] = set()
        self._process: subprocess.Popen | None = None
        self._over = threading.Event()
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)

    def __enter__(self) -> "Floor":
        self._play()
        self._supervisor.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._supervisor.join()

    def kill(self) -> None:
        """kill -9 in the middle of its rounds; the supervisor starts the next."""
        self._doomed.add(self._process.pid)
        self._process.kill()

    def stop_for(self, seconds: float) -> bool:
        """SIGSTOP, then SIGCONT: whether the process was still there, and not killed meanwhile."""
        process = self._process
        process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        process.send_signal(signal.SIGCONT)  # to the same one; to nobody if that has ended
        return process.poll() is None

    def finish(self) -> None:
        """Play the open rounds to their end, then one round more at each table, and close.

        The last round ends what a floor that was killed had left open; a table that it had left
        held a person releases. Raises FloorStuck.
        """
        self._over.set()
        self._supervisor.join()
        self._process.send_signal(signal.SIGTERM)
        code = self._wait()
        if code == 0:
            self._count()
        elif code != -signal.SIGTERM:  # that: just started, it had not yet begun to play
            self._note_death(code)
        self._release_tables()
        self._start(f"--rounds={self.tables}", "--profile=ordinary")
        if self._wait() != 0:
            raise FloorStuck(f"the last round of each table failed; see {self._log}")
        self._count()

    def receipts(self) -> Receipts:
        """What all floors were told is on the journal, and their foul play."""
        return read_receipts(self._receipts)

    def _play(self) -> None:
        self._start(f"--rate={self.rate}", "--faults")

    def _start(self, *options: str) -> None:
        self.starts += 1
        command = (
            *(sys.executable, "-m", "services.floor", f"--tables={self.tables}"),
            *(f"--seed={1000 * self._seed + self.starts}", f"--patience={_PATIENCE_S}"),
            *("--positions=3", f"--receipts={self._receipts}", *options),
        )
        self._process = self._children.start(command, self._environment, self._out, self._log)

    def _release_tables(self) -> None:
        code, out, error = pitledger(
            self._environment, ("hold", "list", "--from", "kafka", "--json")
        )
        if code:
            raise FloorStuck(f"nobody knows which tables are held: {error}")
        for hold in json.loads(out)["holds"]:
            release = ("hold", "release", hold["table_id"], "--held", hold["event_id"],
                       "--by=supervisor-2", "--reason=the console that held it is gone")
            code, _, error = pitledger(self._environment, release)
            if code:
                raise FloorStuck(f"{hold['table_id']} is not released: {error}")
            self.results["holds_released"] += 1

    def _wait(self) -> int:
        try:
            return self._process.wait(FINISH_S)
        except subprocess.TimeoutExpired:
            raise FloorStuck(f"tables do not end within {FINISH_S:.0f} s") from None

    def _count(self) -> None:
        result = json.loads(self._out.read_text().splitlines()[-1])
        for name in ("rounds", "facts", "resent", "producers_renewed"):
            self.results[name] += result[name]

    def _supervise(self) -> None:
        while not self._over.wait(_LOOK_S):
            code = self._process.poll()
            if code is None:
                continue
            self._note_death(code)
            time.sleep(_LOOK_S)
            self._play()

    def _note_death(self, code: int) -> None:
        if self._process.pid not in self._doomed:
            lines = self._log.read_text(errors="replace").splitlines() or ["nothing was said"]
            self.deaths.append(f"exit code {code}: {lines[-1][:300]}")
