"""An archive in a local folder."""

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from pitledger.archive.store import StoreError

_ASIDE = ".new"
"""Ends the name of a file that is still being written."""


class Folder:
    """A store in a local folder.

    A file is written and made durable beside its place, and renamed; `sync` makes the names
    durable.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self._lock: IO[bytes] | None = None
        self._unsynced: dict[Path, None] = {}

    def lock(self) -> None:
        path = self.home / "lock"
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            self._lock = path.open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(f"{self.home}: another process writes there") from None
        except OSError as error:
            raise _error(path, error) from None

    def read(self, key: str) -> bytes | None:
        try:
            return (self.home / key).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _error(self.home / key, error) from None

    def names(self, folder: str) -> list[str]:
        try:
            found = sorted(path.name for path in (self.home / folder).iterdir() if path.is_file())
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _error(self.home / folder, error) from None
        return [name for name in found if not name.endswith(_ASIDE)]

    def create(self, key: str, data: bytes) -> bool:
        path = self.home / key
        aside = path.with_name(f"{path.name}.{os.getpid()}{_ASIDE}")
        try:
            _write(aside, data)
            try:
                os.link(aside, path)
            except FileExistsError:
                return path.read_bytes() == data
            finally:
                aside.unlink()
        except OSError as error:
            raise _error(path, error) from None
        self._unsynced[path.parent] = None
        self.sync()
        return True

    def write(self, key: str, data: bytes) -> None:
        path = self.home / key
        aside = path.with_name(path.name + _ASIDE)
        try:
            _write(aside, data)
            aside.replace(path)
        except OSError as error:
            raise _error(path, error) from None
        self._unsynced[path.parent] = None

    def sync(self) -> None:
        try:
            for folder in self._with_those_above():
                _sync_folder(folder)
        except OSError as error:
            raise _error(self.home, error) from None
        self._unsynced.clear()

    def delete(self, key: str) -> None:
        try:
            (self.home / key).unlink(missing_ok=True)
        except OSError as error:
            raise _error(self.home / key, error) from None

    def _with_those_above(self) -> Iterable[Path]:
        """Each folder once, up to the archive's own: a name is kept by the folder above it."""
        found: dict[Path, None] = {}
        for written in self._unsynced:
            folder = written
            while folder != self.home and folder not in found:
                found[folder] = None
                folder = folder.parent
        return (*found, self.home)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())


def _sync_folder(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _error(path: Path, error: OSError) -> StoreError:
    return StoreError(f"{path}: {error.strerror or error}")
