"""The load: `services.floor` on a stage, as a process of its own."""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from bench.environment import ROOT

TABLES = 100
BEGINS_S = 1.0
"""About how long it takes from its start to the first round."""


class Load:
    """Six positions a table, automated shoe, no faults; a context manager."""

    def __init__(
        self,
        environment: Mapping[str, str],
        rate: float,
        *,
        tables: int = TABLES,
        positions: int = 6,
        warmup_s: float = 0,
    ) -> None:
        command = [
            *(sys.executable, "-m", "services.floor", "--profile", "bench", "--seed", "1"),
            *("--rate", str(rate), "--tables", str(tables), "--positions", str(positions)),
            *("--warmup", str(warmup_s), "--patience", "600"),
        ]
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=dict(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def finish(self) -> dict[str, Any]:
        """Let the open rounds end; what it measured."""
        self._process.send_signal(signal.SIGTERM)
        out, errors = self._process.communicate(timeout=900)
        if self._process.returncode:
            sys.exit(f"bench: the load failed: {errors.strip()}")
        result: dict[str, Any] = json.loads(out.splitlines()[-1])
        return result

    def __enter__(self) -> "Load":
        return self

    def __exit__(self, *_error: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()
