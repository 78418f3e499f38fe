"""How many processes are worth running at once."""

import os


def cores() -> int:
    """How many this process may use; at least 1."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return found or 1
