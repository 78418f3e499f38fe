"""A batch's checksum is reckoned by other code than kafka-python's own, to the same end."""

import pytest
from kafka.record.default_records import DefaultRecordBatch
from kafka.record.memory_records import MemoryRecordsBuilder

from pitledger.sources.every_record import _Batch


@pytest.fixture(scope="module")
def batch():
    builder = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=1 << 12)
    builder.append(1_800_000_000_000, b"T1", b"value", [("ce_id", b"1")])
    builder.close()
    return bytes(builder.buffer())


def test_a_whole_batch_is_told_from_one_with_any_byte_flipped(batch):
    assert _Batch(batch).validate_crc()
    for place in range(DefaultRecordBatch.ATTRIBUTES_OFFSET, len(batch)):
        flipped = bytearray(batch)
        flipped[place] ^= 1
        assert _Batch(flipped).validate_crc() == DefaultRecordBatch(flipped).validate_crc() is False
