"""Files that a command writes: whole, or as they were before."""

import os
from collections.abc import Sequence
from pathlib import Path

from services.cli.output import fail


def require_place(path: Path, *, force: bool, keys: Sequence[Path]) -> None:
    """That a file can be written there. Failed where something is: `force` lets a file be written
    over, and nothing else, nor one of the keys.
    """
    try:
        if path.is_dir():
            fail(f"{path}: is a folder")
        if not os.path.lexists(path):
            return
        if not force:
            fail(f"{path}: is there already; --force writes over it")
        if not path.is_file():
            fail(f"{path}: is no file; nothing else is written over")
        if any(key.exists() and path.samefile(key) for key in keys):
            fail(f"{path}: is a key; no key is written over")
    except OSError as error:
        fail(f"{path}: {error.strerror}")


def write_whole(path: Path, data: bytes) -> None:
    """Durably: aside, under a name of this process's own, and renamed. Failed where it cannot."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with aside.open("xb") as out:
            try:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
                aside.replace(path)
            except BaseException:
                aside.unlink(missing_ok=True)
                raise
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        fail(f"{path}: {error.strerror}")
