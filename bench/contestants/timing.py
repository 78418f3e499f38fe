"""How a contestant reports: one JSON line with rounds, wall seconds and CPU seconds."""

import json
import os
import time
from collections.abc import Callable


def report(work: Callable[[], int]) -> None:
    """Run `work`, which returns how many rounds it did, and print its figures.

    CPU: this process's and its children's.
    """
    wall, cpu = time.perf_counter(), _cpu()
    rounds = work()
    wall, cpu = time.perf_counter() - wall, _cpu() - cpu
    print(json.dumps({"rounds": rounds, "seconds": wall, "cpu": cpu}))


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
