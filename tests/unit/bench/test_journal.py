"""What is read off a run's journal."""

from dataclasses import replace

from bench.journal import Timeline, judge
from pitledger.journal.record import TYPE_BYTES, Stored
from pitledger.sources.file import read_file, write_file
from services.simulation import simulate


def stored(body: str, round_id: bytes, at: int) -> Stored:
    headers = (("ce_type", TYPE_BYTES[body]), ("ce_subject", round_id))
    return Stored(0, 0, at, b"table", headers, b"")


def watched(*records: Stored) -> Timeline:
    timeline = Timeline()
    assert list(timeline.watch(iter(records))) == list(records)
    return timeline


def test_a_payout_is_timed_from_the_exposure_of_its_own_round():
    timeline = watched(
        stored("dealer_exposed", b"a", 100),
        stored("dealer_exposed", b"b", 110),
        stored("payout_due", b"b", 115),
        stored("payout_due", b"a", 140),
    )
    assert sorted(timeline.payouts(0, 1000)) == [5, 40]


def test_the_first_payout_counts_and_a_round_without_one_does_not():
    timeline = watched(
        stored("dealer_exposed", b"a", 100),
        stored("payout_due", b"a", 107),
        stored("payout_due", b"a", 900),
        stored("dealer_exposed", b"c", 100),
    )
    assert timeline.payouts(0, 1000) == [7]


def test_only_what_begins_within_the_window_is_timed_and_counted():
    timeline = watched(
        stored("round_closed", b"early", 99),
        stored("round_settled", b"early", 100),
        stored("round_closed", b"in", 100),
        stored("round_settled", b"in", 130),
        stored("round_closed", b"late", 200),
        stored("round_settled", b"late", 201),
    )
    assert timeline.settlements(100, 200) == [30]
    assert timeline.settled(100, 200) == 2


def test_a_journal_that_lacks_one_decision_is_not_right(tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    simulate(("saigon5",), 1, 2, 1, False, whole)
    records = list(read_file(whole))
    settled = next(r for r in records if dict(r.headers)["ce_type"] == TYPE_BYTES["round_settled"])
    records.remove(settled)
    write_file(cut, [replace(record, offset=n) for n, record in enumerate(records)])
    assert judge(whole, {}) == ""
    assert judge(cut, {}) != ""
