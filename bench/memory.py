"""Resident memory of each process over an hour of load: flat, or not."""

import statistics
import sys
import time

from bench.load import Load
from bench.processes import resident_mib
from bench.stage import Stage

SAMPLE_S = 10
_TOLD_EVERY = 30
"""Samples between two lines of progress: five minutes."""
_STALL_S = 600
"""A worker that is kept from the processor for long by others is not to end here."""

Samples = dict[str, list[float]]
"""MiB by process; under "" the hours at which they were taken."""


def run_memory(minutes: float, rate: float) -> None:
    """Measure and print, what there is also where a process ended."""
    print(f"\nMemory: VmRSS in MiB, {minutes:g} min at {rate:g} rounds/s", flush=True)
    samples: Samples = {"": []}
    ended = ""
    with Stage({"PITLEDGER_STALL_S": str(_STALL_S)}) as stage:
        stage.start_workers()
        with Load(stage, rate) as load:
            pids = stage.pids | {"load": [load.pid]}
            print("  pids " + ", ".join(f"{name} {each[0]}" for name, each in pids.items()))
            try:
                _sample(pids, minutes, samples)
                print(f"  {load.finish()['settled']:,} rounds settled")
            except (ProcessLookupError, FileNotFoundError):
                ended = f"bench: a process ended: {', '.join(stage.ended()) or 'broker or load'}"
    _print(samples)
    if ended:
        sys.exit(ended)


def _sample(pids: dict[str, list[int]], minutes: float, samples: Samples) -> None:
    """Raises ProcessLookupError or FileNotFoundError where a process is no more."""
    began = time.monotonic()
    while (passed := time.monotonic() - began) < 60 * minutes:
        sizes = {name: sum(map(resident_mib, each)) for name, each in pids.items()}
        samples[""].append(passed / 3600)
        for name, size in sizes.items():
            samples.setdefault(name, []).append(size)
        if len(samples[""]) % _TOLD_EVERY == 0:
            now = ", ".join(f"{name} {size:.1f}" for name, size in sizes.items())
            print(f"  after {passed / 60:.0f} min: {now}", flush=True)
        time.sleep(SAMPLE_S)


def _print(samples: Samples) -> None:
    hours = samples.pop("")
    print(f"  {len(hours)} samples; min / median / max; slope over the last half")
    for name, sizes in samples.items():
        spread = f"{min(sizes):.1f} / {statistics.median(sizes):.1f} / {max(sizes):.1f}"
        print(f"    {name:<12} {spread:<26} {slope(hours, sizes):+.2f} MiB an hour", flush=True)


def slope(hours: list[float], sizes: list[float]) -> float:
    """MiB an hour over the last half, by least squares."""
    half = len(hours) // 2
    if len(hours) - half < 2:
        return 0.0
    return statistics.linear_regression(hours[half:], sizes[half:]).slope
