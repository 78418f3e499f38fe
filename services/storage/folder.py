"""An archive in a local folder."""

import fcntl
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from pitledger.archive import layout
from pitledger.archive.note import BadNote
from pitledger.archive.signed import joined
from pitledger.archive.store import READ_MAX, StoreError

_ASIDE = ".new"
"""Ends the name of a file that is still being written."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
_THREADS = 16
"""That wait for the disk at once. It makes what many ask for durable in one go: a file of a
thousand takes a third of the time, as long as the kernel's own way to sync a whole disk."""
_FEW = 32
"""So many files are made durable one by one."""


class Folder:
    """A store in a local folder.

    A file is written beside its place. `sync` makes what was written durable, then puts it into
    its place, then makes the names durable: so it is whole wherever a machine stops.

    `hand`: one of several processes that write to it at once, under the lock of the first. A
    witness signs without that lock, and beside other witnesses.
    """

    def __init__(self, home: Path, hand: int = 0) -> None:
        self.home = home
        self._own = f".{secrets.token_hex(4)}{_ASIDE}"  # also beside another container's processes
        self._ending = f".{hand}{_ASIDE}" if hand else self._own
        self._lock: IO[bytes] | None = None
        self._aside: dict[Path, Path] = {}
        """Of files that were written since the last sync: where they lie until then."""
        self._unsynced: dict[Path, None] = {}

    def lock(self) -> None:
        path = self.home / "lock"
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            self._lock = path.open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._require_lock()
            self._ending = _ASIDE
        except BlockingIOError:
            raise StoreError(f"{self.home}: another process writes there") from None
        except OSError as error:
            raise _error(path, error) from None

    def read(self, key: str) -> bytes | None:
        path = self.home / key
        try:
            return _read(self._aside.get(path, path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _error(path, error) from None

    def names(self, folder: str) -> list[str]:
        try:
            found = {path.name for path in (self.home / folder).iterdir() if path.is_file()}
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _error(self.home / folder, error) from None
        found.update(path.name for path in self._aside if path.parent == self.home / folder)
        return sorted(name for name in found if not name.endswith(_ASIDE))

    def create(self, key: str, data: bytes) -> bool:
        path = self.home / key
        aside = path.with_name(path.name + self._own)
        try:
            _write(aside, data)
            _sync_file(aside)
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
        aside = path.with_name(path.name + self._ending)
        try:
            _write(aside, data)
        except OSError as error:
            raise _error(path, error) from None
        self._aside[path] = aside

    def _require_lock(self) -> None:
        """That the file that is locked lies there: where it was removed, or another one was put
        there, another process may write. Raises StoreError.
        """
        if self._lock is None:
            return
        try:
            there = (self.home / "lock").stat()
        except FileNotFoundError:
            there = None
        if there is None or not os.path.samestat(os.fstat(self._lock.fileno()), there):
            raise StoreError(f"{self.home / 'lock'}: was taken away; nothing more is written")

    def sync(self) -> None:
        try:
            self._require_lock()
            if len(self._aside) <= _FEW:
                for aside in self._aside.values():
                    _sync_file(aside)
            else:
                with ThreadPoolExecutor(_THREADS) as pool:
                    list(pool.map(_sync_file, self._aside.values()))
            for path, aside in self._aside.items():
                if path.parent == self.home / layout.SIGNED:
                    _put_signed(aside, path)
                else:
                    aside.replace(path)
                self._unsynced[path.parent] = None
            self._aside.clear()
            for folder in self._with_those_above():
                _sync_folder(folder)
        except OSError as error:
            raise _error(self.home, error) from None
        self._unsynced.clear()

    def delete(self, key: str) -> None:
        try:
            self._aside.pop(self.home / key, self.home / key).unlink(missing_ok=True)
            (self.home / key).unlink(missing_ok=True)
        except OSError as error:
            raise _error(self.home / key, error) from None
        folder = (self.home / key).parent
        with suppress(OSError):  # it holds more, or is gone
            folder.rmdir()
            self._unsynced.pop(folder, None)

    def _with_those_above(self) -> Iterable[Path]:
        """Each folder once, up to the archive's own: a name is kept by the folder above it."""
        found: dict[Path, None] = {}
        for written in self._unsynced:
            folder = written
            while folder != self.home and folder not in found:
                found[folder] = None
                folder = folder.parent
        return (*found, self.home)


def _read(path: Path) -> bytes:
    """Of no pipe or device, which might never end. Raises OSError, StoreError."""
    with open(path, "rb", opener=_without_waiting) as file:
        there = os.fstat(file.fileno())
        if not stat.S_ISREG(there.st_mode):
            raise StoreError(f"{path}: is no file")
        if there.st_size > READ_MAX:
            raise StoreError(f"{path}: is longer than {READ_MAX} bytes")
        return file.read(there.st_size + 1)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def _write(path: Path, data: bytes) -> None:
    try:
        number = os.open(path, _NEW, 0o666)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        number = os.open(path, _NEW, 0o666)
    with open(number, "wb") as out:
        out.write(data)


def _put_signed(aside: Path, path: Path) -> None:
    """A signed checkpoint, with all lines that were ever put below it, also of who comes between.

    Raises StoreError where another one lies there.
    """
    with _alone(path.parent):
        try:
            data = joined(_read(path), _read(aside))
        except FileNotFoundError:
            pass
        except BadNote as problem:
            raise StoreError(f"{path}: {problem}") from None
        else:
            _write(aside, data)
            _sync_file(aside)
        aside.replace(path)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


def _sync_file(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _sync_folder(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _error(path: Path, error: OSError) -> StoreError:
    return StoreError(f"{path}: {error.strerror or error}")
