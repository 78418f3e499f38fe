"""Each offset of the journal comes out of kafka-python as a record, whoever wrote it and how.

Clients pass over the marks at which a producer's transactions end, and cannot read a header whose
name is not UTF-8; brokers take both. To a reader of whole journals a mark is a hole that never
heals, and a name that cannot be read is the end. Here both are records as others, and no facts.
"""

from typing import Any

from aiokafka.record.util import calc_crc32c
from kafka.record import memory_records
from kafka.record.default_records import DefaultRecordBatch


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
        """In C: kafka-python reckons in Python, five times as long as reading the records takes."""
        whole: bool = self.crc == calc_crc32c(memoryview(self._buffer)[self.ATTRIBUTES_OFFSET :])
        return whole

    def _read_msg(self) -> Any:
        try:
            return super()._read_msg()
        except UnicodeDecodeError:
            self._buffer = AnyText(self._buffer)
            return super()._read_msg()
