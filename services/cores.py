"""How many processes are worth running at once."""

import os

BYTES_A_PROCESS_MIN = 4 << 20
"""A process of its own is not worth its start for less of a journal's file."""


def cores() -> int:
    """How many this process may use; at least 1."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return found or 1


def processes_for(size: int) -> int:
    """How many for a journal's file of so many bytes; at least 1."""
    return max(1, min(cores(), size // BYTES_A_PROCESS_MIN))
