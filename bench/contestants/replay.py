"""Every decision of a journal file derived again and compared. JOURNAL."""

import sys
from pathlib import Path

from timing import report

from pitledger.replay import replay_all
from pitledger.sources.file import read_file
from services.simulation.driver import PARTITIONS


def work() -> int:
    rounds = 0
    for each in replay_all(read_file(Path(sys.argv[1])), PARTITIONS):
        assert each.identical, each.round_id
        rounds += 1
    return rounds


report(work)
