"""Each offset of the journal comes out of kafka-python as a record, whoever wrote it and how.

Clients pass over the marks at which a producer's transactions end, and cannot read a header whose
name is not UTF-8; brokers take both. To a reader of whole journals a mark is a hole that never
heals, and a name that cannot be read is the end. Here both are records as others, and no facts.

Batches are taken apart by aiokafka's code, which is C: kafka-python's takes 7 times as long.
"""

from collections.abc import Iterator
from typing import Any

from aiokafka.record.default_records import DefaultRecordBatch as BatchInC
from aiokafka.record.util import calc_crc32c
from kafka.record import memory_records
from kafka.record.default_records import DefaultRecord, DefaultRecordBatch

_SIZE = 1
"""Of a record: kafka-python asks whether there were any bytes, and else counts for its metrics."""


class AnyText(bytearray):
    """Bytes that are some text, whatever they are."""

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return AnyText(found) if isinstance(key, slice) else found

    def decode(self, *_: Any) -> str:
        return super().decode("utf-8", "backslashreplace")


def read_every_record() -> None:
    """For all consumers of this process, from now on."""
    memory_records.DefaultRecordBatch = _Batch


class _Batch(DefaultRecordBatch):  # type: ignore[misc]
    is_control_batch = False
    _buffer: bytearray

    def validate_crc(self) -> bool:
        """In C as well."""
        whole: bool = self.crc == calc_crc32c(memoryview(self._buffer)[self.ATTRIBUTES_OFFSET :])
        return whole

    def __iter__(self) -> Iterator[DefaultRecord]:
        try:
            return iter([_record(each) for each in BatchInC(bytes(self._buffer))])
        except Exception:  # a name that cannot be read, or damage: kafka-python says what
            return super().__iter__()  # type: ignore[no-any-return]

    def _read_msg(self) -> Any:
        try:
            return super()._read_msg()
        except UnicodeDecodeError:
            self._buffer = AnyText(self._buffer)
            return super()._read_msg()


def _record(each: Any) -> DefaultRecord:
    return DefaultRecord(
        _SIZE,
        each.offset,
        each.timestamp,
        each.timestamp_type,
        each.key,
        each.value,
        each.headers,
    )
