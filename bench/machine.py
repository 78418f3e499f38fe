"""What the figures were measured on."""

import os
import platform
import sys
from pathlib import Path


def describe_machine() -> str:
    """Processor, cores, memory, kernel, Python; one line each."""
    return "\n".join(
        (
            f"processor  {_processor()}, {os.cpu_count()} cores",
            f"memory     {_memory_gib():.0f} GiB",
            f"system     {platform.system()} {platform.release()}",
            f"python     {platform.python_implementation()} {platform.python_version()}",
            f"load       {os.getloadavg()[0]:.2f} before the run",
            f"command    python -m bench {' '.join(sys.argv[1:])}".rstrip(),
        )
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
