"""The commands that persons type while a chaos run goes on."""

import subprocess
import sys
from collections.abc import Sequence

from tests.chaos.processes import ROOT

_PITLEDGER = (sys.executable, "-c", "import services.cli; services.cli.main()")
_COMMAND_S = 90.0


def pitledger(environment: dict[str, str], command: Sequence[str]) -> tuple[int, str, str]:
    """Exit code, output and errors; 2 where it did not end in time."""
    try:
        done = subprocess.run(
            (*_PITLEDGER, *command), env=environment, cwd=ROOT, text=True, capture_output=True,
            check=False, timeout=_COMMAND_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 2, "", f"did not end within {_COMMAND_S:g} s"
    return done.returncode, done.stdout, done.stderr
