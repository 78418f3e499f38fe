"""`pitledger replay --all` as a user runs it: every decision derived again. JOURNAL."""

import json
import subprocess
import sys
from pathlib import Path

from bench.contestants.timing import report


def work() -> int:
    pitledger = Path(sys.executable).with_name("pitledger")
    command = [str(pitledger), "replay", "--all", "--json", "--from", sys.argv[1]]
    done = subprocess.run(command, capture_output=True, check=True)
    counts = json.loads(done.stdout)
    assert counts["identical"] == counts["rounds"]
    return int(counts["rounds"])


report(work)
