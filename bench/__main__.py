"""`make bench`: prints hardware, commands and min / median / max of all figures.

    python -m bench                                 core, live and archive
    python -m bench --only core [--runs 5] [--rounds 10000]
    python -m bench --only live [--runs 3] [--seconds 20] [--shells pitledger,confluent,quix]
    python -m bench --only capacity [--seconds 10]  workers, tables, positions, open rounds; restart
    python -m bench --only cost [--runs 3] [--seconds 20]     by part and by thread
    python -m bench --only restart
    python -m bench --only memory [--minutes 60] [--rate 5]
    python -m bench --only archive [--rounds 100000] [--runs 3]      seal, size, verify, packet

`--quick` takes fewer steps: for a look, not for figures. The rivals have their own requirements
(`bench/requirements.lock`) and their own environment under `.run/bench`. All but core needs a
JDK 17+ and Maven; of archive one part.
"""

import argparse
import signal
import sys

from bench.archive import run_archive
from bench.capacity import run_capacity
from bench.core import run_core
from bench.cost import run_cost
from bench.live import run_live
from bench.machine import describe_machine
from bench.memory import run_memory
from bench.restart import run_restart
from bench.shells import SHELLS, Shell
from bench.stage import clear_old_stages
from services.broker.apache import why_not


def main() -> int:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: stopped"))
    clear_old_stages()
    print(describe_machine(), flush=True)
    missing = why_not()
    if options.only in ("cost", "capacity", "restart", "memory") and missing:
        sys.exit(f"bench: {missing}")
    match options.only:
        case "capacity":
            run_capacity(options.seconds or 10, quick=options.quick)
            run_restart(quick=options.quick)
        case "cost":
            run_cost(options.runs or 3, options.seconds or 20)
        case "restart":
            run_restart(quick=options.quick)
        case "memory":
            run_memory(options.minutes, options.rate)
        case part:
            runs = options.runs or (1 if options.quick else 3)
            if part in (None, "core"):
                run_core(options.rounds or 10_000, runs)
            if part in (None, "live"):
                run_live(options.shells, runs, options.seconds or 20, quick=options.quick)
            if part in (None, "archive"):
                run_archive(options.rounds or (2_000 if options.quick else 100_000), runs)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parts = ("core", "live", "cost", "capacity", "restart", "memory", "archive")
    parser.add_argument("--only", choices=parts, help="one part")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter steps")
    parser.add_argument("--runs", type=int, help="runs of each figure (default 3)")
    parser.add_argument("--rounds", type=int, help="core: rounds a run; archive: of the day")
    parser.add_argument("--seconds", type=float, help="live, capacity: a window's length")
    parser.add_argument("--shells", type=_shells, default=tuple(SHELLS.values()), help="live")
    parser.add_argument("--minutes", type=float, default=60, help="memory: how long")
    parser.add_argument("--rate", type=float, default=5, help="memory: rounds a second")
    return parser.parse_args()


def _shells(text: str) -> tuple[Shell, ...]:
    try:
        return tuple(SHELLS[name] for name in text.split(","))
    except KeyError as unknown:
        raise argparse.ArgumentTypeError(f"{unknown}: one of {', '.join(SHELLS)}") from None


if __name__ == "__main__":
    sys.exit(main())
