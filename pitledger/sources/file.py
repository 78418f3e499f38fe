"""A journal in a file."""

from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from os import SEEK_END
from pathlib import Path

from pitledger.journal.record import Stored
from pitledger.journal.stored import BadRecords, parsed, parsed_of, stored_of, to_bytes


class BadJournalFile(ValueError):
    """The file is no journal, or is cut short."""


class JournalFile:
    """A journal file being written; a context manager."""

    def __init__(self, path: Path) -> None:
        self.count = 0
        self._out = path.open("wb")

    def __enter__(self) -> "JournalFile":
        return self

    def __exit__(self, *_error: object) -> None:
        self._out.close()

    def write(self, record: Stored) -> None:
        """Append a record."""
        self._out.write(to_bytes(record))
        self.count += 1


def write_file(path: Path, records: Iterable[Stored]) -> int:
    """Write records to `path`; return how many."""
    with JournalFile(path) as file:
        for record in records:
            file.write(record)
        return file.count


def read_file(path: Path, partitions: Container[int] | None = None) -> Iterator[Stored]:
    """Yield the records in order; raise BadJournalFile naming the byte of the fault.

    `partitions`: only the records of these.
    """
    with _mapped(path) as data:
        for message, _ in parsed(data):
            if partitions is None or message.partition in partitions:
                yield stored_of(message)


def read_chunks(path: Path, partitions: Container[int], length: int) -> Iterator[Stored | None]:
    """As `read_file`, with a None behind each `length` records of the file, and at its end.

    Whoever reads it for other partitions finds each None at the same place.
    """
    with _mapped(path) as data:
        for number, found in enumerate(parsed_of(data, partitions), 1):
            if found is not None:
                yield stored_of(*found)
            if number % length == 0:
                yield None
    yield None


@contextmanager
def _mapped(path: Path) -> Iterator["bytes | mmap"]:
    with path.open("rb") as source:
        if not source.seek(0, SEEK_END):
            yield b""
            return
        with mmap(source.fileno(), 0, access=ACCESS_READ) as data:
            try:
                yield data
            except BadRecords as problem:
                raise BadJournalFile(f"{path}: {problem}") from problem
