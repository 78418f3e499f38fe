"""What the kernel knows of a process, and how one is ended."""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

STOP_S = 30


def cpu_seconds(pid: int) -> float:
    """User and system time of a process, all its threads."""
    return _cpu_seconds(Path(f"/proc/{pid}/stat"))


def thread_cpu_seconds(pid: int) -> tuple[float, float]:
    """User and system time of a process's first thread, and of all its others."""
    tasks = {task.name: _cpu_seconds(task / "stat") for task in Path(f"/proc/{pid}/task").iterdir()}
    main = tasks.pop(str(pid))
    return main, sum(tasks.values())


def _cpu_seconds(stat: Path) -> float:
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int) -> float:
    """VmRSS."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ProcessLookupError(pid)


def stop(processes: Iterable["subprocess.Popen[bytes]"]) -> None:
    """Ask all to end, and kill what does not in time."""
    running = [process for process in processes if process.poll() is None]
    for process in running:
        process.terminate()
    for process in running:
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
