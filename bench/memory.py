"""Resident memory of each process over an hour of load: flat, or not."""

import statistics
import time

from bench.load import Load
from bench.processes import resident_mib
from bench.stage import Stage

SAMPLE_S = 10
_TOLD_EVERY = 30
"""Samples between two lines of progress: five minutes."""


def run_memory(minutes: float, rate: float) -> None:
    """Measure and print."""
    print(f"\nMemory: VmRSS in MiB, {minutes:g} min at {rate:g} rounds/s", flush=True)
    samples: dict[str, list[float]] = {}
    with Stage() as stage:
        stage.start_workers()
        with Load(stage.environment, rate) as load:
            pids = stage.pids | {"load": [load.pid]}
            print("  pids " + ", ".join(f"{name} {each[0]}" for name, each in pids.items()))
            ends = time.monotonic() + 60 * minutes
            taken = 0
            while time.monotonic() < ends:
                time.sleep(SAMPLE_S)
                for name, each in pids.items():
                    samples.setdefault(name, []).append(sum(map(resident_mib, each)))
                taken += 1
                if taken % _TOLD_EVERY == 0:
                    now = ", ".join(f"{name} {each[-1]:.1f}" for name, each in samples.items())
                    print(f"  after {taken * SAMPLE_S / 60:.0f} min: {now}", flush=True)
            told = load.finish()
    print(f"  {told['settled']:,} rounds settled")
    print("  min / median / max; slope over the last half")
    for name, sizes in samples.items():
        spread = f"{min(sizes):.1f} / {statistics.median(sizes):.1f} / {max(sizes):.1f}"
        print(f"    {name:<12} {spread:<26} {_slope(sizes):+.2f} MiB an hour", flush=True)


def _slope(each: list[float]) -> float:
    """MiB an hour, least squares, of the last half."""
    half = each[len(each) // 2 :]
    if len(half) < 2:
        return 0.0
    hours = [index * SAMPLE_S / 3600 for index in range(len(half))]
    return statistics.linear_regression(hours, half).slope
