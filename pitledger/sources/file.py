"""A journal in a file: `StoredRecord` messages, each after its length as a varint."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

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


def read_file(path: Path) -> Iterator[Stored]:
    """Yield the records in order; raise BadJournalFile naming the byte of the fault."""
    with path.open("rb") as source:
        while True:
            start = source.tell()
            length = _read_varint(source, path, start)
            if length is None:
                return
            data = source.read(length)
            if len(data) != length:
                raise BadJournalFile(f"{path}: cut short in the record at byte {start}")
            try:
                yield _stored(log_pb2.StoredRecord.FromString(data))
            except DecodeError as error:
                raise BadJournalFile(f"{path}: no journal record at byte {start}") from error


def _message(record: Stored) -> log_pb2.StoredRecord:
    return log_pb2.StoredRecord(
        partition=record.partition,
        offset=record.offset,
        broker_time_ms=record.broker_time,
        key=record.key,
        headers=[log_pb2.StoredHeader(name=name, value=value) for name, value in record.headers],
        value=record.value,
    )


def _stored(message: log_pb2.StoredRecord) -> Stored:
    headers = tuple((header.name, header.value) for header in message.headers)
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


def _read_varint(source: BinaryIO, path: Path, start: int) -> int | None:
    number = shift = 0
    while byte := source.read(1):
        number |= (byte[0] & 127) << shift
        if byte[0] < 128:
            return number
        shift += 7
        if shift > 28:
            break
    if shift == 0:
        return None
    raise BadJournalFile(f"{path}: no record length at byte {start}")
