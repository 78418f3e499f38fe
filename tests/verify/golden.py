"""The golden archive: made once, by the real writer, and never again; `tests/golden/archive`.

It is held in memory, so that each of its bytes can be changed and changed back in no time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from services.verify.archive import Report, keys_of, verify
from services.verify.faults import Bad, BadInput
from services.verify.files import Folder
from services.verify.keys import Keys
from services.verify.note import Key

HOME = Path(__file__).parents[1] / "golden" / "archive" / "v1"


class Files(Folder):
    """An archive's files as bytes by their keys."""

    def __init__(self, held: dict[str, bytes]) -> None:
        self.held = held

    def read(self, key: str, longest: int) -> bytes | None:
        data = self.held.get(key)
        if data is not None and len(data) > longest:
            raise Bad(f"{key}: is longer than {longest} bytes")
        return data

    def names(self, key: str) -> list[str]:
        above = f"{key}/"
        below = [each.removeprefix(above) for each in self.held if each.startswith(above)]
        return sorted({each.split("/")[0] for each in below})

    @contextmanager
    def with_file(self, key: str, data: bytes | None) -> Iterator[None]:
        """For a while the file holds this; None: it is gone."""
        before = self.held.get(key)
        self._put(key, data)
        try:
            yield
        finally:
            self._put(key, before)

    def _put(self, key: str, data: bytes | None) -> None:
        if data is None:
            self.held.pop(key, None)
        else:
            self.held[key] = data


@cache
def files() -> Files:
    home = HOME / "archive"
    paths = sorted(path for path in home.rglob("*") if path.is_file())
    return Files({path.relative_to(home).as_posix(): path.read_bytes() for path in paths})


@cache
def key(name: str) -> Key:
    """"first", "second": of the archive, one after the other; "witness"."""
    return Key.parse((HOME / f"{name}.pub").read_text())


@cache
def keys() -> Keys:
    return keys_of(files(), key("second"))


def judge(given: str = "second") -> Report:
    """What pitledger-verify does with it, a witness being asked for. Raises Bad, BadInput."""
    return verify(files(), key(given), [key("witness")])


def problem(given: str = "second") -> str:
    """The line that says what is wrong; nothing: it is good."""
    try:
        judge(given)
    except (Bad, BadInput) as found:
        return str(found)
    return ""


def flips(data: bytes, positions: range | None = None) -> Iterator[tuple[int, bytes]]:
    """With one bit changed, of each byte in turn another one."""
    for at in positions if positions is not None else range(len(data)):
        yield at, data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
