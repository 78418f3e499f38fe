"""`python -m tests.chaos --seed 1 [2 3 ...] --minutes 5 [--report FILE]`: see `tests/chaos`.

Needs a JDK 17+ and Maven. Each run is kept as JSON under .run/chaos, a seed's last one; all that
are there are written as one document: .run/chaos/chaos-report.md, and FILE. `--render FILE` does so
without a run, `--plan` shows what would be done.
Exit codes: 0 clean, 1 not clean, 2 it could not be run (and nothing that was run is not clean).
"""

import argparse
import signal
import sys
import time
from pathlib import Path

from pitledger.sources.connection import ConnectionFailed
from pitledger.sources.kafka import HoleInJournal
from services.broker.apache import why_not
from tests.chaos.processes import ROOT
from tests.chaos.report import document, load, save, told
from tests.chaos.run import NotRun, Settings, run
from tests.chaos.schedule import SHORT, Fault, Kind, schedule

HOME = ROOT / ".run" / "chaos"
CLEAN, NOT_CLEAN, NOT_RUN = range(3)


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # by way of all that is to be ended
    options = _options()
    if options.render:
        return _render(Path(options.render))
    kinds = SHORT if options.short else tuple(Kind)
    plans = {seed: schedule(seed, 60 * options.minutes, kinds) for seed in options.seed}
    if not all(plans.values()):
        print(f"chaos: no fault fits into {options.minutes:g} minutes", file=sys.stderr)
        return 2
    if options.plan:
        for seed, plan in plans.items():
            _say_plan(seed, plan)
        return 0
    missing = why_not()
    if missing:
        print(f"chaos: {missing}", file=sys.stderr)
        return 2
    codes = {_run(options, seed, plan) for seed, plan in plans.items()}
    _render(HOME / "chaos-report.md")
    if options.report:
        _render(Path(options.report))
    return NOT_CLEAN if NOT_CLEAN in codes else max(codes)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="one run each")
    parser.add_argument("--minutes", type=float, default=5.0, help="of faults (default 5)")
    parser.add_argument("--rate", type=float, default=8.0, help="rounds a second (default 8)")
    parser.add_argument("--tables", type=int, default=24, help="(default 24)")
    parser.add_argument("--short", action="store_true", help="only the kinds that fit in a minute")
    parser.add_argument("--plan", action="store_true", help="print the faults and do nothing")
    parser.add_argument("--report", metavar="FILE", help="write all runs kept there too")
    parser.add_argument("--render", metavar="FILE", help="write all runs kept, and do nothing else")
    return parser.parse_args()


def _run(options: argparse.Namespace, seed: int, plan: list[Fault]) -> int:
    _say_plan(seed, plan)
    kept = HOME / f"seed-{seed}.json"
    kept.unlink(missing_ok=True)  # if there is nothing to keep, an older run says nothing of it
    settings = Settings(
        seed, 60 * options.minutes, options.rate, options.tables, HOME / f"seed-{seed}"
    )
    begun = time.monotonic()
    try:
        report = run(settings, plan, lambda line: print(line, flush=True))
    except NotRun as trouble:
        print(f"seed {seed}: could not be run: {trouble}; see {settings.folder}", flush=True)
        return NOT_RUN
    except (ConnectionFailed, HoleInJournal) as trouble:
        print(f"seed {seed}: NOT CLEAN: {trouble}; see {settings.folder}", flush=True)
        return NOT_CLEAN
    save(report, kept)
    took = time.monotonic() - begun
    print(f"\n{told(report)}\n{took:.0f} s in all; {settings.folder}", flush=True)
    return CLEAN if report.sound else NOT_CLEAN


def _render(target: Path) -> int:
    kept = sorted(HOME.glob("seed-*.json"), key=lambda path: int(path.stem.split("-")[1]))
    if not kept:
        print(f"chaos: no run is kept in {HOME}", file=sys.stderr)
        return NOT_RUN
    target.write_text(document([load(path) for path in kept]))
    print(f"all runs kept here ({len(kept)}) are written down in {target}")
    return 0


def _say_plan(seed: int, plan: list[Fault]) -> None:
    kinds = len({fault.kind for fault in plan})
    print(f"seed {seed}: {len(plan)} faults of {kinds} kinds")
    for fault in plan:
        hold = f" for {fault.hold_s} s" if fault.hold_s else ""
        print(f"  {fault.at_s:6.1f} s  {fault.number:>3}  {fault.kind.value}{hold}")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("chaos: stopped", file=sys.stderr)
        sys.exit(130)
