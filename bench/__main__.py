"""`make bench`: prints hardware, commands and min / median / max of all figures.

    python -m bench [--runs 5] [--rounds 10000] [--only core|live] [--seconds 30]

The rivals have their own requirements (`bench/requirements.lock`) and their own environment under
`.run/bench`. The live part needs a JDK 17+ and Maven, and says so where they are missing.
"""

import argparse
import sys

from bench.core import run_core
from bench.live import run_live
from bench.machine import describe_machine


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="runs of each figure (default 5)")
    parser.add_argument("--rounds", type=int, default=10_000, help="rounds a run (default 10,000)")
    parser.add_argument("--seconds", type=int, default=30, help="a live run's length (default 30)")
    parser.add_argument("--only", choices=("core", "live"), help="one part")
    options = parser.parse_args()
    print(describe_machine(), flush=True)
    if options.only != "live":
        run_core(options.rounds, options.runs)
    if options.only != "core":
        run_live(options.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
