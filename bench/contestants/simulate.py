"""`pitledger simulate` as a user runs it. ROUNDS JOURNAL."""

import json
import subprocess
import sys
from pathlib import Path

from bench.contestants.timing import report


def work() -> int:
    pitledger = Path(sys.executable).with_name("pitledger")
    command = [str(pitledger), "simulate", "--game", "both", "--tables", "8", "--seed", "1"]
    command += ["--rounds", sys.argv[1], "-o", sys.argv[2], "--json"]
    Path(sys.argv[2]).unlink(missing_ok=True)
    done = subprocess.run(command, capture_output=True, check=True)
    return int(json.loads(done.stdout)["rounds"])


report(work)
