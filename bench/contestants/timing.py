"""How a contestant reports: one JSON line with rounds, wall seconds and CPU seconds."""

import json
import time
from collections.abc import Callable


def report(work: Callable[[], int]) -> None:
    """Run `work`, which returns how many rounds it did, and print its figures."""
    wall, cpu = time.perf_counter(), time.process_time()
    rounds = work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"rounds": rounds, "seconds": wall, "cpu": cpu}))
