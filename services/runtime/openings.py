"""The openings among record batches as they lie in a broker's answer.

A quarter of an hour of journal is a million records of which one in fifty matters. So a batch is
looked at as bytes: one that is not compressed and in which the type's name does not occur holds no
RoundOpened, and its records are not taken apart. Its header says which offsets it covers.
"""

import struct

from aiokafka.errors import CorruptRecordException
from aiokafka.record.util import calc_crc32c

from pitledger.journal.record import TYPE_BYTES, Stored
from services.runtime.every_record import records_of

_HEADER = struct.Struct(">q i 4x b I h i 30x i")
"""Base offset, length of what follows, magic, CRC, attributes, last offset less base, records."""
_UNCOUNTED = 12
"""Bytes of a batch that its length leaves out."""
_CHECKED_FROM = 21
"""Where in a batch that begins of which the CRC is."""
_MAGIC = 2
_CODEC = 0b111

_OPENED = TYPE_BYTES["round_opened"]
_OPENED_HEADER = ("ce_type", _OPENED)


def take_openings(data: bytes, partition: int, begin: int, end: int, into: list[Stored]) -> int:
    """Append the RoundOpened with `begin` <= offset < `end`; return the offset to read on from.

    That is below `end` where the batches end, the last of them not whole, and where offsets are
    missing: what lies behind a hole is not looked at. Raises CorruptRecordException.
    """
    at, size = 0, len(data)
    opening = data.find(_OPENED)
    while begin < end and size - at >= _HEADER.size:
        base, length, magic, crc, attributes, last, count = _HEADER.unpack_from(data, at)
        stop = at + _UNCOUNTED + length
        if stop > size or base > begin:
            break
        batch = memoryview(data)[at:stop]
        if magic != _MAGIC or crc != calc_crc32c(batch[_CHECKED_FROM:]):
            raise CorruptRecordException(f"partition {partition}, the batch at offset {base}")
        if count != last + 1:
            break
        if -1 < opening < at:
            opening = data.find(_OPENED, at)
        if attributes & _CODEC or at < opening < stop:
            into += _openings(batch, partition, begin, end)
        begin = max(begin, base + count)
        at = stop
    return min(begin, end)


def _openings(batch: memoryview, partition: int, begin: int, end: int) -> list[Stored]:
    return [
        Stored(
            partition,
            record.offset,
            record.timestamp,
            record.key or b"",
            tuple(record.headers),
            record.value or b"",
        )
        for record in records_of(bytes(batch))
        if begin <= record.offset < end and _OPENED_HEADER in record.headers
    ]
