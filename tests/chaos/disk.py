"""One broker's disk, that can be filled and freed again.

As root: a file system of its own in memory, of a fixed size, filled by a ballast file: the broker
meets ENOSPC. Where mounting is refused: a limit on the size of any file that the broker writes
(RLIMIT_FSIZE), set while it runs: it meets EFBIG. Both end its log directory.
"""

import errno
import os
import re
import resource
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MOUNT_MIB = 512
_OURS = "pitledger-chaos"


class Disk:
    """A context manager; use `folder` for the broker's data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.is_mounted = False

    @property
    def how(self) -> str:
        """What a full disk is here, in words."""
        if self.is_mounted:
            return f"a tmpfs of {MOUNT_MIB} MiB, filled to the last byte (ENOSPC)"
        return "no file may grow any more (RLIMIT_FSIZE, EFBIG), for want of a right to mount"

    def tidy(self) -> None:
        """Unmount what runs left that were killed, wherever, and whatever is mounted here."""
        for folder, pid, since in _mounted():
            if _started(pid) != since:
                _unmount(folder)
        _unmount(self.folder)

    def __enter__(self) -> "Disk":
        self.folder.mkdir(parents=True, exist_ok=True)
        pid = os.getpid()
        source = f"{_OURS}-{pid}-{_started(pid)}"
        command = ("mount", "-t", "tmpfs", "-o", f"size={MOUNT_MIB}m", source, str(self.folder))
        done = subprocess.run(command, capture_output=True, check=False)
        self.is_mounted = done.returncode == 0
        return self

    def __exit__(self, *_: object) -> None:
        _unmount(self.folder)

    def fill(self, pid: int) -> None:
        """From now on the broker `pid` cannot write."""
        if not self.is_mounted:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
            return
        with self._ballast.open("wb", buffering=0) as ballast:
            block = bytes(1 << 16)
            while block:
                try:
                    ballast.write(block)
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    block = block[: len(block) // 2]

    def free(self, pid: int | None) -> None:
        """The broker, if it still runs, can write again."""
        if self.is_mounted:
            self._ballast.unlink(missing_ok=True)
        elif pid is not None:
            no_limit = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, no_limit)

    @property
    def _ballast(self) -> Path:
        return self.folder / f"ballast-{os.getpid()}"


def _unmount(folder: Path) -> None:
    if folder.is_mount():
        subprocess.run(("umount", "--lazy", str(folder)), check=True)


def _mounted() -> Iterator[tuple[Path, int, int]]:
    """Folders on which a run mounted its disk, with that process: its pid, and since when it is."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place, source = line.split()[4], line.partition(" - ")[2].split()[1]
        if found := re.fullmatch(rf"{_OURS}-(\d+)-(\d+)", source):
            folder = re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), place)
            yield Path(folder), int(found[1]), int(found[2])


def _started(pid: int) -> int:
    """When a process was started, in ticks since the boot; 0: there is none of this pid."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(stat.rpartition(")")[2].split()[19])
