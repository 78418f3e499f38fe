"""Stored records as bytes: what was read is written again as it was, or as it is always written."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitledger.journal.record import Stored
from pitledger.journal.stored import BadRecords, parsed, parsed_of, stored_of, to_bytes
from pitledger.pb.log_pb2 import StoredRecord

_NUMBERS = st.integers(0, 2**63 - 1)
_RECORDS = st.builds(
    Stored,
    partition=st.integers(0, 2**32 - 1),
    offset=_NUMBERS,
    broker_time=_NUMBERS,
    key=st.binary(),
    headers=st.lists(st.tuples(st.text(max_size=20), st.binary(max_size=200))).map(tuple),
    value=st.binary(max_size=20_000),
)


@given(st.lists(_RECORDS))
def test_records_are_read_as_they_were_written_and_written_as_they_were_read(
    records: list[Stored],
) -> None:
    data = b"".join(map(to_bytes, records))
    read = [stored_of(message, encoded) for message, encoded in parsed(data)]
    assert read == records
    assert all(stored.encoded for stored in read if stored != Stored(0, 0, 0, b"", (), b""))
    assert b"".join(map(to_bytes, read)) == data


@given(
    _RECORDS, st.sampled_from(["a field unknown here", "a field twice", "a number in ten bytes"])
)
def test_a_record_that_others_wrote_otherwise_is_written_as_always(
    record: Stored, otherwise: str
) -> None:
    usual = to_bytes(record)
    ((_, encoded),) = parsed(usual)
    match otherwise:
        case "a field unknown here":
            encoded += b"\xfa\x3f\x01x"
        case "a field twice":
            encoded = StoredRecord(partition=7).SerializeToString() + encoded
            encoded += StoredRecord(partition=record.partition or 1).SerializeToString()
            usual = to_bytes(replace(record, partition=record.partition or 1))
        case _:
            encoded += b"\x10" + _long(record.offset)
    ((message, encoded),) = parsed(_length(len(encoded)) + encoded)
    assert to_bytes(stored_of(message, encoded)) == usual


def test_a_record_that_was_changed_is_not_written_as_it_was_read() -> None:
    record = Stored(1, 2, 3, b"table", (("ce_id", b"x"),), b"value")
    ((message, encoded),) = parsed(to_bytes(record))
    changed = replace(stored_of(message, encoded), offset=4)
    assert to_bytes(changed) == to_bytes(replace(record, offset=4))


@given(st.lists(_RECORDS), st.sets(st.sampled_from([0, 1, 127, 128, 300])))
def test_of_some_partitions_each_record_is_found_in_its_place(
    records: list[Stored], partitions: set[int]
) -> None:
    spread = [replace(r, partition=(0, 1, 2, 127, 128, 300)[r.partition % 6]) for r in records]
    found = parsed_of(b"".join(map(to_bytes, spread)), partitions)
    assert [each and stored_of(*each) for each in found] == [
        record if record.partition in partitions else None for record in spread
    ]


def test_a_record_of_two_partitions_is_refused_by_whoever_reads_the_first() -> None:
    twice = b"".join(StoredRecord(partition=number).SerializeToString() for number in (5, 7))
    data = to_bytes(Stored(5, 1, 1, b"T", (), b"")) + bytes((len(twice),)) + twice
    with pytest.raises(BadRecords, match="two partitions in the record at byte 10"):
        list(parsed_of(data, {5}))
    assert list(parsed_of(data, {7})) == [None, None]


def _long(number: int) -> bytes:
    """A varint of ten bytes."""
    return bytes(number >> shift & 127 | 128 for shift in range(0, 63, 7)) + b"\0"


def _length(number: int) -> bytes:
    return bytes((number & 127 | 128, number >> 7 & 127 | 128, number >> 14))
