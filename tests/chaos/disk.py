"""One broker's disk, that can be filled and freed again.

As root: a file system of its own in memory, of a fixed size, filled by a ballast file: the broker
meets ENOSPC. Where mounting is refused: a limit on the size of any file that the broker writes
(RLIMIT_FSIZE), set while it runs: it meets EFBIG. Both end its log directory.
"""

import errno
import os
import resource
import subprocess
from contextlib import suppress
from pathlib import Path

MOUNT_MIB = 512


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
        """Unmount what a run left here that was killed."""
        if self.folder.is_mount():
            subprocess.run(("umount", "--lazy", str(self.folder)), check=True)

    def __enter__(self) -> "Disk":
        self.folder.mkdir(parents=True, exist_ok=True)
        command = ("mount", "-t", "tmpfs", "-o", f"size={MOUNT_MIB}m", "tmpfs", str(self.folder))
        done = subprocess.run(command, capture_output=True, check=False)
        self.is_mounted = done.returncode == 0
        return self

    def __exit__(self, *_: object) -> None:
        self.tidy()

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
