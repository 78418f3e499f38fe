"""What a copy in quarantine says, and what can be read of bytes that are no record."""

import random

import pytest

from pitledger.engine import Quarantine
from pitledger.journal.record import JournalRecord, Stored
from pitledger.pb import facts_pb2
from services.cli.copies import _copy
from services.cli.moments import since
from services.cli.output import Failed
from services.cli.quarantine import _decoded
from services.cli.wire import fields, told
from services.runtime.producer import COPY_BYTES_MAX, copy_of

NAMES = {field.number: field.name for field in JournalRecord.DESCRIPTOR.fields}


def kept(quarantine, **changes):
    value, key, headers = copy_of(quarantine)
    return _copy(Stored(**{
        "partition": 0, "offset": 5, "broker_time": 77, "key": key,
        "headers": tuple(headers), "value": value} | changes))


def test_a_copy_is_read_as_the_engine_kept_it():
    headers = (("ce_type", b"pitledger.v1.CardDrawn"), ("pitledger_reason", b"a forger's"))
    quarantine = Quarantine(3, 12, "outside_vocabulary: card", b"T1", headers, b"bytes")

    copy = kept(quarantine)

    assert (copy.position, copy.kept_at, copy.key, copy.value) == ("3:12", 77, b"T1", b"bytes")
    assert (copy.reason, copy.code) == ("outside_vocabulary: card", "outside_vocabulary")
    assert copy.headers == headers
    assert copy.header("ce_type") == "pitledger.v1.CardDrawn"
    assert copy.cut_from is None


def test_a_copy_that_was_cut_says_of_how_much():
    copy = kept(Quarantine(0, 1, "undecodable", b"T1", (), b"x" * COPY_BYTES_MAX))

    assert copy.cut_from == COPY_BYTES_MAX + 2
    assert len(copy.value) < COPY_BYTES_MAX


@pytest.mark.parametrize("changes", [{"key": b"T1"}, {"key": b"1:"}, {"headers": ()}])
def test_what_a_stranger_wrote_there_is_no_copy(changes):
    assert kept(Quarantine(0, 1, "undecodable", b"T1", (), b""), **changes) is None


def a_record():
    return JournalRecord(
        event_id="e1", table_id="T1", round_id="r1", occurred_at=5, table_seq=3,
        card_drawn=facts_pb2.CardDrawn(ordinal=2, card=9)).SerializeToString()


def test_a_copys_time_is_read_as_all_times_are():
    copy = kept(Quarantine(0, 1, "stale", b"T1", (), a_record()))

    assert "occurred_at: 1970-01-01T00:00:00.000005Z" in list(_decoded(copy))


def test_of_a_record_that_is_cut_short_the_fields_before_are_read():
    data = a_record()

    assert list(told(data[:-1], NAMES)) == [
        "event_id: e1", "table_id: T1", "round_id: r1", "occurred_at: 5", "table_seq: 3",
        "card_drawn: 3 bytes, cut short"]
    assert list(told(data[:7], NAMES)) == ["event_id: e1", "table_id: T, cut short"]


def test_where_bytes_are_none_of_a_message_it_is_said_from_where_on():
    assert list(told(b"\xff" * 20, NAMES)) == ["from byte 0 on nothing can be read"]
    assert list(told(a_record()[:4] + b"\x07\x07", NAMES)) == [
        "event_id: e1", "from byte 4 on nothing can be read"]
    assert list(told(b"", NAMES)) == []


def test_any_bytes_at_all_can_be_looked_at():
    dice = random.Random(5)
    for _ in range(2000):
        data = dice.randbytes(dice.randrange(40))
        found = list(fields(data))
        assert [field.end for field in found] == sorted({field.end for field in found})
        assert all(field.end <= len(data) for field in found)
        list(told(data, NAMES))


def test_a_time_is_a_date_or_so_long_ago():
    assert since("--since", "1970-01-01T00:00:02") == 2000
    assert since("--since", "1970-01-01T01:00:02+01:00") == 2000
    assert since("--since", "2h") - since("--since", "3h") == pytest.approx(3_600_000, abs=60_000)
    for text in ("", "2 h", "yesterday", "-1h"):
        with pytest.raises(Failed, match="--since"):
            since("--since", text)
