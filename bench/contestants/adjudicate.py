"""`pitledger adjudicate --jsonl` as a user runs it, six positions and all wagers. JSONL."""

import subprocess
import sys
from pathlib import Path

from bench.contestants.timing import report


def work() -> int:
    pitledger = Path(sys.executable).with_name("pitledger")
    command = [str(pitledger), "adjudicate", "--jsonl", sys.argv[1]]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout.count(b"\n")


report(work)
