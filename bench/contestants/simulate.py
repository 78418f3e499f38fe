"""Floor, four engines and a journal in one process. ROUNDS JOURNAL."""

import sys
from pathlib import Path

from timing import report

from services.simulation import simulate

rounds, path = int(sys.argv[1]), Path(sys.argv[2])
report(lambda: simulate(("saigon5", "five_card_hi_lo"), 8, rounds, 1, False, path).rounds)
