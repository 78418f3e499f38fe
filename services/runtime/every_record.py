"""What `pitledger.sources.every_record` does for kafka-python, for aiokafka.

Its `_unpack_records`, but for two things: control batches are not left out, and where a header's
name cannot be read the batch is read again, by slower code.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import Any

from aiokafka.consumer import fetcher
from aiokafka.errors import CorruptRecordException
from aiokafka.record.default_records import DefaultRecordBatch, _DefaultRecordBatchPy
from aiokafka.record.memory_records import MemoryRecords

from pitledger.sources.every_record import AnyText

_BATCH = struct.Struct(">q i")
"""Base offset, length of what follows."""


def read_every_record() -> None:
    """For all consumers of this process, from now on."""
    fetcher.MemoryRecords = _Fetched
    fetcher.PartitionRecords = _PartitionRecords


def records_of(batch: bytes) -> Sequence[Any]:
    """The records of one batch, those of a control batch too."""
    try:
        return list(DefaultRecordBatch(batch))
    except UnicodeDecodeError:
        return list(_AnyText(batch))


class _Fetched:
    """aiokafka's own, with the bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        records = MemoryRecords(data)
        self.has_next, self.next_batch = records.has_next, records.next_batch
        self.size_in_bytes = records.size_in_bytes


class _PartitionRecords(fetcher.PartitionRecords):  # type: ignore[misc]
    next_fetch_offset: int

    def _unpack_records(self) -> Iterator[Any]:
        fetched: _Fetched = self._records
        while fetched.has_next():
            batch = fetched.next_batch()
            if self._check_crcs and not batch.validate_crc():
                raise CorruptRecordException(f"Invalid CRC - {self._tp}")
            try:
                records = list(batch)
            except UnicodeDecodeError:
                records = list(_AnyText(_bytes_of(fetched.data, batch.base_offset)))
            for record in records:
                if record.offset >= self.next_fetch_offset:
                    self.next_fetch_offset = record.offset + 1
                    yield self._consumer_record(self._tp, record)
            self.next_fetch_offset = batch.next_offset


class _AnyText(_DefaultRecordBatchPy):  # type: ignore[misc]
    """Slow, and reads whatever a header is named."""

    _buffer: bytearray

    def _maybe_uncompress(self) -> None:
        super()._maybe_uncompress()
        self._buffer = AnyText(self._buffer)


def _bytes_of(data: bytes, base_offset: int) -> bytes:
    at = 0
    while True:
        base, length = _BATCH.unpack_from(data, at)
        end = at + _BATCH.size + length
        if base == base_offset:
            return data[at:end]
        at = end
