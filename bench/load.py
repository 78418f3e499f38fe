"""The load: `services.floor` on a stage, as a process of its own."""

import json
import signal
import subprocess
import sys
import time
from typing import Any

from bench.environment import ROOT
from bench.stage import Stage

TABLES = 100
_BEGINS_S, _ENDS_S = 120, 900


class Load:
    """Automated shoe, no faults; a context manager that waits for the first record."""

    def __init__(
        self,
        stage: Stage,
        rate: float,
        *,
        tables: int = TABLES,
        positions: int = 6,
        warmup_s: float = 0,
    ) -> None:
        self._stage, self._before = stage, stage.records()
        command = [
            *(sys.executable, "-m", "services.floor", "--profile", "bench", "--seed", "1"),
            *("--rate", str(rate), "--tables", str(tables), "--positions", str(positions)),
            *("--warmup", str(warmup_s), "--patience", "600"),
        ]
        self._log = stage.home / "load.log"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=stage.environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def finish(self) -> dict[str, Any]:
        """Let the open rounds end; what it measured."""
        self._process.send_signal(signal.SIGTERM)
        out, _ = self._process.communicate(timeout=_ENDS_S)
        if self._process.returncode:
            sys.exit(f"bench: the load failed; see {self._log}")
        result: dict[str, Any] = json.loads(out.splitlines()[-1])
        return result

    def __enter__(self) -> "Load":
        deadline = time.monotonic() + _BEGINS_S
        while self._stage.records() == self._before:
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._process.kill()
                self._process.communicate()
                sys.exit(f"bench: the load does not begin; see {self._log}")
            time.sleep(0.1)
        return self

    def __exit__(self, *_error: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()
