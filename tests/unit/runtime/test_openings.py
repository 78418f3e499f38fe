"""Openings are found among record batches as a broker sends them, and no hole hides one."""

import struct
from random import Random

import pytest
from aiokafka.errors import CorruptRecordException
from aiokafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder
from hypothesis import given, settings
from hypothesis import strategies as st

from pitledger.engine import Engine
from pitledger.journal.record import TYPE_BYTES, Stored
from services.runtime import every_record
from services.runtime.openings import take_openings
from tests.kit.house import House
from tests.kit.log import Log
from tests.kit.table import Table
from tests.kit.wild import wild_fact

NONE, LZ4, ZSTD = 0, 3, 4
CODECS = [NONE, LZ4, ZSTD]


def test_a_batch_without_an_opening_is_passed_over_and_not_taken_apart(monkeypatch):
    taken_apart = []
    monkeypatch.setattr(every_record, "DefaultRecordBatch", _watched(taken_apart))
    data = _batch(_records(0, "hands_dealt", "round_settled")) + _batch(_records(2, "round_opened"))
    assert _take(data, 0, 3) == (3, [2])
    assert taken_apart == [2]


@pytest.mark.parametrize("codec", CODECS)
def test_an_opening_in_the_middle_of_a_batch_is_found(codec):
    before = _batch(_records(0, "hands_dealt", "hands_dealt"), codec)
    middle = _batch(_records(2, "hands_dealt", "round_opened", "hands_dealt"), codec)
    after = _batch(_records(5, "round_opened"), codec)
    assert _take(before + middle + after, 0, 6) == (6, [3, 5])


@pytest.mark.parametrize("codec", CODECS)
def test_what_was_found_is_the_record_as_it_was_written(codec):
    log = Log(partitions=1)
    Table(log=log).open()
    [record] = log.all()
    found = []
    assert take_openings(_batch([record], codec), 0, 0, 1, found) == 1
    assert found == [record]


def test_a_value_that_names_the_type_is_no_opening():
    [record] = _records(0, "hands_dealt")
    named = Stored(0, 0, 1, b"T1", record.headers, TYPE_BYTES["round_opened"])
    assert _take(_batch([named]) + _batch(_records(1, "round_opened")), 0, 2) == (2, [1])


def test_only_what_lies_between_the_two_offsets_is_told():
    data = _batch(_records(0, *["round_opened"] * 6)) + _batch(_records(6, *["round_opened"] * 3))
    assert _take(data, 2, 4) == (4, [2, 3])
    assert _take(data, 4, 8) == (8, [4, 5, 6, 7])
    assert _take(data, 6, 9) == (9, [6, 7, 8])


def test_nothing_behind_missing_batches_is_looked_at():
    data = _batch(_records(0, "hands_dealt")) + _batch(_records(2, "round_opened"))
    assert _take(data, 0, 3) == (1, [])
    assert _take(_batch(_records(5, "round_opened")), 4, 6) == (4, [])


@pytest.mark.parametrize("codec", CODECS)
def test_a_batch_from_which_a_record_was_taken_is_a_hole(codec):
    first, _, last = _records(0, "hands_dealt", "round_opened", "hands_dealt")
    assert _take(_batch([first, last], codec), 0, 3) == (0, [])


@pytest.mark.parametrize("cut", [1, 30, 61, 200])
def test_a_batch_that_is_not_whole_is_read_again_and_from_its_beginning(cut):
    whole, other = _batch(_records(0, "round_opened")), _batch(_records(1, "round_opened"))
    assert _take(whole + other[:cut], 0, 2) == (1, [0])
    assert _take(other[:cut], 1, 2) == (1, [])


def test_an_answer_of_nothing_leads_nowhere():
    assert _take(b"", 7, 9) == (7, [])


@pytest.mark.parametrize("kind", ["hands_dealt", "round_opened"])
def test_bytes_that_a_disk_changed_are_not_believed(kind):
    data = bytearray(_batch(_records(0, kind)))
    data[-3] ^= 1
    with pytest.raises(CorruptRecordException, match="offset 0"):
        _take(bytes(data), 0, 1)


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 200))
def test_a_memory_of_openings_is_the_memory_of_all_records(rng, below):
    log = _some_journal(rng)
    records = log.records[0]
    first, end = sorted((min(below, len(records)), rng.randrange(len(records) + 1)))
    found = []
    assert take_openings(_batches(rng, records), 0, first, end, found) == end
    assert _remembered(found, end) == _remembered(records[first:end], end)


def _some_journal(rng: Random) -> Log:
    """Of two tables, with all decisions, and with records that are no facts."""
    log = Log(partitions=1)
    tables = [Table(table_id=name, log=log) for name in "AB"]
    for _ in range(rng.randrange(1, 4)):
        for table in tables:
            table.play((1,))
            wild_fact(rng, table, 0.3)
        log.append(0, b"A", (("ce_type", TYPE_BYTES["round_opened"]), ("x", b"")), b"\xff")
        log.append(0, b"A", (("ce_type", b"x"), ("ce_type", TYPE_BYTES["round_opened"])), b"")
    House(log).run()
    return log


def _batches(rng: Random, records) -> bytes:
    data, rest = b"", list(records)
    while rest:
        count = rng.choice((1, 1, 2, 3, 20))
        data += _batch(rest[:count], rng.choice(CODECS))
        rest = rest[count:]
    return data


def _remembered(memory, watermark):
    engine = Engine("wagers", 1)
    engine.on_assigned(0, watermark=watermark, end=watermark, memory=memory)
    return {
        table_id: fold.table._numbers for table_id, fold in engine._assigned[0].tables.items()
    }


def _records(first: int, *kinds: str) -> list[Stored]:
    return [
        Stored(0, first + n, 1000 + n, b"T1", (("ce_type", TYPE_BYTES[kind]),), b"x" * 150)
        for n, kind in enumerate(kinds)
    ]


def _batch(records, codec=NONE) -> bytes:
    """One batch of these offsets, as a broker stores it; its offsets are no part of the CRC."""
    base = records[0].offset
    builder = DefaultRecordBatchBuilder(2, codec, 0, -1, -1, -1, 1 << 20)
    for each in records:
        builder.append(
            each.offset - base, each.broker_time, each.key, each.value, list(each.headers)
        )
    data = builder.build()
    struct.pack_into(">q", data, 0, base)
    return bytes(data)


def _take(data, begin, end):
    found = []
    return take_openings(data, 0, begin, end, found), [each.offset for each in found]


def _watched(bases):
    def take_apart(data):
        batch = DefaultRecordBatch(data)
        bases.append(batch.base_offset)
        return batch

    return take_apart
