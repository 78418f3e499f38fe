"""An archive's files, read only."""

import os
from pathlib import Path

from services.verify.faults import Bad, BadInput


class Folder:
    def __init__(self, home: Path) -> None:
        """Raises BadInput where there is no folder."""
        try:
            if not home.is_dir():
                raise BadInput(f"{home}: {'is no folder' if home.exists() else 'is not there'}")
        except OSError as error:
            raise BadInput(f"{home}: {error.strerror}") from None
        self._home = home

    def read(self, key: str, longest: int) -> bytes | None:
        """The bytes of a file; None: it is not there. Raises Bad for one that is too long."""
        path = self._home / key
        try:
            with open(path, "rb", opener=_open) as file:
                data = file.read(longest + 1) or b""
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}") from None
        if len(data) > longest:
            raise Bad(f"{key}: is longer than {longest} bytes")
        return data

    def must_read(self, key: str, longest: int) -> bytes:
        """Raises Bad for a file that is missing."""
        data = self.read(key, longest)
        if data is None:
            raise Bad(f"{key}: is missing")
        return data

    def numbers(self, key: str) -> list[int]:
        """The files of a folder that are named by a number, ascending; none where it is missing."""
        names = [name for name in self.names(key) if name.isascii() and name.isdecimal()]
        numbers = [name for name in names if len(name) < 20]
        return sorted(int(name) for name in numbers if name == str(int(name)))

    def names(self, key: str) -> list[str]:
        """What lies in a folder, in order; nothing where it is missing."""
        try:
            return sorted(path.name for path in (self._home / key).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise BadInput(f"{self._home / key}: {error.strerror}") from None


def _open(path: str, flags: int) -> int:
    """A pipe in a file's place is empty, and not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
