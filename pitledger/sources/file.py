"""A journal in a file: `StoredRecord` messages, each after its length as a varint."""

from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from os import SEEK_END
from pathlib import Path

from google.protobuf.message import DecodeError

from pitledger.journal.record import Stored
from pitledger.pb import log_pb2


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
        data = _message(record).SerializeToString(deterministic=True)
        self._out.write(_varint(len(data)) + data)
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
    with path.open("rb") as source:
        if not source.seek(0, SEEK_END):
            return
        with mmap(source.fileno(), 0, access=ACCESS_READ) as data:
            yield from _records(path, data, partitions)


def _records(
    path: Path, data: mmap, partitions: Container[int] | None
) -> Iterator[Stored]:
    parse, end, start = log_pb2.StoredRecord.FromString, len(data), 0
    while start < end:
        length, begin = _read_varint(data, start, path)
        stop = begin + length
        if stop > end:
            raise BadJournalFile(f"{path}: cut short in the record at byte {start}")
        try:
            message = parse(data[begin:stop])
        except DecodeError as error:
            raise BadJournalFile(f"{path}: no journal record at byte {start}") from error
        if partitions is None or message.partition in partitions:
            yield _stored(message)
        start = stop


def _message(record: Stored) -> log_pb2.StoredRecord:
    return log_pb2.StoredRecord(
        partition=record.partition,
        offset=record.offset,
        broker_time_ms=record.broker_time,
        key=record.key,
        headers=[_header(name, value) for name, value in record.headers],
        value=record.value,
    )


@lru_cache(maxsize=4096)
def _header(name: str, value: bytes) -> log_pb2.StoredHeader:
    """Not to be changed: most headers come many times."""
    return log_pb2.StoredHeader(name=name, value=value)


def _stored(message: log_pb2.StoredRecord) -> Stored:
    headers = tuple([(header.name, header.value) for header in message.headers])
    return Stored(
        message.partition,
        message.offset,
        message.broker_time_ms,
        message.key,
        headers,
        message.value,
    )


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _read_varint(data: mmap, start: int, path: Path) -> tuple[int, int]:
    """A record's length, and where it begins."""
    number = 0
    for index, byte in enumerate(data[start : start + 5]):
        number |= (byte & 127) << 7 * index
        if byte < 128:
            return number, start + index + 1
    raise BadJournalFile(f"{path}: no record length at byte {start}")
