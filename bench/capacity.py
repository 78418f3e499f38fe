"""What a round costs as a floor grows: workers, tables, positions, rounds left open.

Rates are asked of the load; what was reached, the latencies and the CPU are those of a window.
"""

from bench.prepared import Bulk
from bench.run import Run, load_stage, measure
from bench.stage import Stage

WORKERS = (1, 2, 4)
TABLES = (10, 100, 1_000)
POSITIONS = (1, 2, 3, 4, 5, 6)
LEFT_OPEN = (1, 100, 1_000)
CALM_RATE = 20
"""Ten tables can play two rounds a second each."""
WORKERS_RATE = 50
FLOOD_RATE = 400
"""More than can be settled here: what is reached is the most that these tables can have."""


def run_capacity(seconds: float, *, quick: bool) -> None:
    """Measure and print."""
    warmup = 3.0 if quick else 8.0
    print(f"\nCapacity: windows of {seconds:g} s after {warmup:g} s, single runs")
    for each in (1, 4) if quick else WORKERS:
        for rate in (WORKERS_RATE, FLOOD_RATE):
            run = measure(rate, seconds, warmup, workers=each)
            _say(f"workers a processor {each}, {rate}/s", run)
    for tables in (10, 1_000) if quick else TABLES:
        run = measure(CALM_RATE, seconds, warmup, tables=tables)
        _say(f"tables {tables:,}, {CALM_RATE}/s", run)
    for positions in (1, 6) if quick else POSITIONS:
        run = measure(CALM_RATE, seconds, warmup, positions=positions)
        _say(f"positions {positions}, {CALM_RATE}/s", run)
    for left_open in (1_000,) if quick else LEFT_OPEN:
        run = _with_open_rounds(left_open, seconds, warmup)
        _say(f"rounds left open {left_open:,}, {CALM_RATE}/s", run)


def _with_open_rounds(left_open: int, seconds: float, warmup: float) -> Run:
    """At tables that the load does not have; such a journal is not over, so it is not judged."""
    with Stage() as stage:
        with Bulk(stage.connection) as bulk:
            bulk.open_rounds(range(100, 100 + left_open))
        stage.start_workers()
        return load_stage(stage, CALM_RATE, seconds, warmup, judged=False)


def _say(what: str, run: Run) -> None:
    print(f"  {what:<34} {run.line()}", flush=True)
