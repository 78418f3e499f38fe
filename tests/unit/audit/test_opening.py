"""Which RoundOpened has effect, as the auditor reads it."""

import pytest

from pitledger.audit.opening import Openings
from pitledger.journal.ids import fact_id
from pitledger.pb import facts_pb2
from pitledger.pb.journal_pb2 import JournalRecord

NOW = 1_800_000_000_000
MINUTE = 60_000


def opening(number, *, said=NOW, id_time=NOW, bits=None):
    event_id = fact_id(id_time, number if bits is None else bits)
    return JournalRecord(
        event_id=event_id,
        round_id=event_id,
        occurred_at=said * 1000,
        round_opened=facts_pb2.RoundOpened(round_number=number),
    )


@pytest.mark.parametrize(
    ("off_ms", "effect"),
    [(0, True), (5 * MINUTE, True), (5 * MINUTE + 1, False), (-5 * MINUTE, True),
     (-5 * MINUTE - 1, False)],
)
def test_an_opening_over_five_minutes_off_is_stale(off_ms, effect):
    assert Openings().has_effect(opening(1, said=NOW + off_ms), NOW) is effect
    assert Openings().has_effect(opening(1, id_time=NOW + off_ms), NOW) is effect


def test_one_microsecond_over_five_minutes_is_stale():
    record = opening(1, said=NOW + 5 * MINUTE)
    record.occurred_at += 1
    assert not Openings().has_effect(record, NOW)


def test_a_number_must_be_above_those_of_ten_minutes():
    seen = Openings()
    assert seen.has_effect(opening(7), NOW)
    assert not seen.has_effect(opening(7, bits=1), NOW + 1)
    assert not seen.has_effect(opening(6), NOW + 2)
    assert seen.has_effect(opening(8), NOW + 3)


def test_an_opening_without_effect_is_remembered_a_stale_one_is_not():
    seen = Openings()
    assert seen.has_effect(opening(7), NOW)
    assert not seen.has_effect(opening(5), NOW)
    assert not seen.has_effect(opening(90, said=NOW - 6 * MINUTE), NOW)
    assert seen.has_effect(opening(8), NOW)


def test_the_memory_is_ten_minutes_inclusive():
    for later, effect in ((10 * MINUTE, False), (10 * MINUTE + 1, True)):
        seen = Openings()
        assert seen.has_effect(opening(7), NOW)
        late = opening(3, said=NOW + later, id_time=NOW + later)
        assert seen.has_effect(late, NOW + later) is effect


def test_a_repeat_has_no_effect_though_the_clock_went_back():
    seen = Openings()
    assert seen.has_effect(opening(7), NOW + MINUTE)
    assert not seen.has_effect(opening(7), NOW)


def test_the_same_id_with_a_higher_number_has_no_effect():
    seen = Openings()
    assert seen.has_effect(opening(7, bits=1), NOW)
    assert not seen.has_effect(opening(8, bits=1), NOW)


def test_however_many_are_forged_none_of_ten_minutes_is_forgotten():
    seen = Openings()
    assert seen.has_effect(opening(7, bits=0), NOW)
    for bits in range(1, 2000):
        assert not seen.has_effect(opening(1, bits=bits), NOW + bits)
    assert not seen.has_effect(opening(6), NOW + 2001)
