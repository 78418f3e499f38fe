"""Stored records as bytes: `StoredRecord` messages, each after its length as a varint.

So they lie in a journal file and in the archive's leaves.
"""

from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from pitledger.journal.record import Stored
from pitledger.pb import log_pb2

if TYPE_CHECKING:
    from mmap import mmap

_FIRST = {bytes((8, partition)): partition for partition in range(128)}
"""The partition of a record that begins with it in two bytes, as all of 1 to 127 do."""


HEADERS_MAX = 1_000_000


class BadRecords(ValueError):
    """The bytes are no records, or are cut short; the text names the byte of the fault."""


def to_bytes(record: Stored) -> bytes:
    """A record, with its length before it."""
    data = record.encoded or _encoded(record)
    return _varint(len(data)) + data


def messages_from(data: "bytes | mmap") -> Iterator[log_pb2.StoredRecord]:
    """The messages in their order. Raises BadRecords."""
    return (message for message, _ in parsed(data))


def parsed(data: "bytes | mmap") -> Iterator[tuple[log_pb2.StoredRecord, bytes]]:
    """The messages in their order, each with what it was parsed from. Raises BadRecords."""
    return ((_message(encoded, start), encoded) for start, encoded in _pieces(data))


def ascending(
    messages: Iterable[tuple[log_pb2.StoredRecord, bytes]],
) -> Iterator[tuple[log_pb2.StoredRecord, bytes]]:
    """Those of a leaf, in the order of their offsets. Raises BadRecords for the first that is not,
    or has headers without end: of what packs to nothing there is any number.
    """
    following = 0
    for message, encoded in messages:
        if message.offset < following:
            raise BadRecords(f"out of order at offset {message.offset}")
        if len(message.headers) > HEADERS_MAX:
            raise BadRecords(f"has more than {HEADERS_MAX} headers at offset {message.offset}")
        following = message.offset + 1
        yield message, encoded


def parsed_of(
    data: "bytes | mmap", partitions: Container[int]
) -> Iterator[tuple[log_pb2.StoredRecord, bytes] | None]:
    """As `parsed`; None: a record of another partition, which is not parsed if it says so first."""
    for start, encoded in _pieces(data):
        first = _FIRST.get(encoded[:2])
        if first is not None and first not in partitions:
            yield None
            continue
        message = _message(encoded, start)
        if message.partition in partitions:
            yield message, encoded
        elif first is None:
            yield None
        else:
            raise BadRecords(f"two partitions in the record at byte {start}")


def stored_of(message: log_pb2.StoredRecord, encoded: bytes = b"") -> Stored:
    """`encoded`: what it was parsed from, for `to_bytes`, which makes it anew where it was written
    otherwise. It changes the message.
    """
    headers = tuple([(header.name, header.value) for header in message.headers])
    stored = Stored(
        message.partition,
        message.offset,
        message.broker_time_ms,
        message.key,
        headers,
        message.value,
    )
    if encoded:
        message.DiscardUnknownFields()
        if message.SerializeToString(deterministic=True) == encoded:
            stored.encoded = encoded
    return stored


def _pieces(data: "bytes | mmap") -> Iterator[tuple[int, bytes]]:
    """Where each record begins, and its bytes."""
    end, start = len(data), 0
    while start < end:
        length, begin = _read_varint(data, start)
        stop = begin + length
        if stop > end:
            none = "" if start else "no journal, or "
            raise BadRecords(f"{none}cut short in the record at byte {start}")
        yield start, data[begin:stop]
        start = stop


def _message(encoded: bytes, start: int) -> log_pb2.StoredRecord:
    try:
        return log_pb2.StoredRecord.FromString(encoded)
    except DecodeError as error:
        raise BadRecords(f"no journal record at byte {start}") from error


def _encoded(record: Stored) -> bytes:
    message = log_pb2.StoredRecord(
        partition=record.partition,
        offset=record.offset,
        broker_time_ms=record.broker_time,
        key=record.key,
        value=record.value,
    )
    for name, value in record.headers:  # given to the constructor they would be made twice
        message.headers.add(name=name, value=value)
    return message.SerializeToString(deterministic=True)


def _varint(number: int) -> bytes:
    if 127 < number < 1 << 14:  # as most are
        return bytes((number & 127 | 128, number >> 7))
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _read_varint(data: "bytes | mmap", start: int) -> tuple[int, int]:
    """A record's length, and where it begins."""
    two = data[start : start + 2]
    if len(two) == 2 and two[0] > 127 > two[1]:  # as most are
        return two[0] & 127 | two[1] << 7, start + 2
    number = 0
    for index, byte in enumerate(data[start : start + 5]):
        number |= (byte & 127) << 7 * index
        if byte < 128:
            return number, start + index + 1
    raise BadRecords(f"no record length at byte {start}")
