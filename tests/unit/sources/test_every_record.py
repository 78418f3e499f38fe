"""A batch is taken apart, and its checksum reckoned, by other code than kafka-python's own, to the
same end.
"""

import pytest
from kafka.errors import CorruptRecordError
from kafka.record.default_records import DefaultRecordBatch
from kafka.record.memory_records import MemoryRecordsBuilder

from pitledger.sources.every_record import _Batch

RECORDS = [
    (b"T1", b"value", [("ce_id", b"1"), ("ce_type", b"")]),
    (None, None, []),
    (b"", b"", [("", None), ("naïve", bytes(300))]),
    (b"T2", bytes(100_000), []),
]
LOG_APPEND_TIME = 8


def built(*records, compression=0):
    builder = MemoryRecordsBuilder(magic=2, compression_type=compression, batch_size=1 << 20)
    for number, (key, value, headers) in enumerate(records):
        builder.append(1_800_000_000_000 + 7 * number, key, value, headers)
    builder.close()
    return bytes(builder.buffer())


def told(batch):
    return [
        (r.offset, r.timestamp, r.timestamp_type, r.key, r.value, r.headers, r.checksum)
        for r in batch
    ]


@pytest.fixture(scope="module")
def batch():
    return built(RECORDS[0])


def test_a_whole_batch_is_told_from_one_with_any_byte_flipped(batch):
    assert _Batch(batch).validate_crc()
    for place in range(DefaultRecordBatch.ATTRIBUTES_OFFSET, len(batch)):
        flipped = bytearray(batch)
        flipped[place] ^= 1
        assert _Batch(flipped).validate_crc() == DefaultRecordBatch(flipped).validate_crc() is False


@pytest.mark.parametrize("compression", [0, 1, 4])
@pytest.mark.parametrize("times", [0, LOG_APPEND_TIME])
def test_its_records_are_those_that_kafka_python_finds(compression, times):
    data = bytearray(built(*RECORDS, compression=compression))
    data[DefaultRecordBatch.ATTRIBUTES_OFFSET + 1] |= times
    assert told(_Batch(data)) == told(DefaultRecordBatch(data))
    assert len(told(_Batch(data))) == len(RECORDS)


def test_each_record_has_a_size_for_what_kafka_python_counts():
    assert all(record.size_in_bytes > 0 for record in _Batch(built(*RECORDS)))


def test_a_header_whose_name_cannot_be_read_is_read_all_the_same():
    data = built((b"T1", b"v", [("ce_\x01\x02", b"1")])).replace(b"ce_\x01\x02", b"ce_\xff\xfe")
    ((_, _, _, key, value, headers, _),) = told(_Batch(data))
    assert (key, value, headers) == (b"T1", b"v", [("ce_\\xff\\xfe", b"1")])


def test_a_batch_with_bytes_behind_its_records_is_refused_as_kafka_python_refuses_it(batch):
    for damaged in (batch + b"\0", batch[:-1]):
        with pytest.raises(CorruptRecordError):
            list(_Batch(damaged))
