"""Disputes and corrections in an export: what was claimed, answered and posted, once."""

import pytest

from pitledger.cases.journal import FACT_TYPES
from pitledger.journal.record import CASE_DECISION_TYPES, JournalRecord
from pitledger.pb import facts_pb2
from pitledger.sources.file import write_file
from services.export import reading
from tests.cases.desk import Desk
from tests.export.conftest import read_all
from tests.kit.house import House
from tests.kit.log import Log
from tests.kit.table import Table


@pytest.fixture
def desk():
    """A settled round, a claim about it, and a correction of 15.00 that two persons agreed on."""
    table = Table(log=Log(48))
    table.play((1, 2), gaming_day="2026-11-30")
    House(table.log).run()
    desk = Desk(table)
    desk.open()
    desk.hold()
    desk.approve(desk.propose())
    desk.resolve()
    return desk


def exported(desk, export, tmp_path):
    return read_all(export(source=write(desk, tmp_path / "cases.pit")))


def write(desk, path):
    write_file(path, desk.log.all())
    return path


def test_a_correction_is_there_from_claim_to_posted_lines(desk, export, tmp_path):
    desk.record_what_is_missing()
    tables = exported(desk, export, tmp_path)
    cases = [row["what"] for row in tables["cases"]]
    assert cases[:3] == ["dispute_opened", "dispute_held", "dispute_resolved"]
    assert cases.count("case_answered") == 5
    opened = tables["cases"][0]
    assert (opened["amount_minor"], opened["currency"]) == (1500, "USD")
    assert opened["round_id"] == desk.table.round_id
    assert opened["settlement_event_id"] == tables["rounds"][0]["outcome_event_id"]
    (posted,) = [row for row in tables["adjustments"] if row["what"] == "adjustment_posted"]
    assert posted["amount_minor"] == 1500
    assert posted["booked_day"] == "2026-11-30"
    assert posted["proposal_event_id"] in {row["event_id"] for row in tables["adjustments"]}
    assert all("refusal" not in row for row in tables["cases"])


def test_what_is_posted_and_not_recorded_has_no_offset(desk, export, tmp_path):
    tables = exported(desk, export, tmp_path)
    (posted,) = [row for row in tables["adjustments"] if row["what"] == "adjustment_posted"]
    assert "offset" not in posted


def test_a_forged_posting_makes_no_row_and_a_repeated_one_makes_one(desk, export, tmp_path):
    posting = next(
        one for one in desk.read().missing() if one.body == "adjustment_posted"
    )
    forged = JournalRecord.FromString(posting.value)
    forged.adjustment_posted.lines[0].amount_minor = 900_000
    desk.put(posting, forged.SerializeToString(deterministic=True))
    desk.record_what_is_missing()
    desk.put(posting)
    tables = exported(desk, export, tmp_path)
    amounts = [
        row["amount_minor"] for row in tables["adjustments"] if row["what"] == "adjustment_posted"
    ]
    assert amounts == [1500]
    notes = [
        row["note"] for row in tables["records"] if row["type"].endswith("AdjustmentPosted")
    ]
    assert notes == ["foreign", "", "repeat"]


def test_a_repeat_makes_no_row_however_much_was_told_between(
    desk, export, tmp_path, monkeypatch
):
    monkeypatch.setattr(reading, "TOLD_MAX", 2)
    desk.record_what_is_missing()
    once = exported(desk, export, tmp_path)
    written = [stored for stored in desk.log.all() if is_of_cases(stored)]
    for _ in range(4):
        desk.table.fact("table_held", facts_pb2.TableHeld(reason="x"), round_id="", source="floor")
    for stored in written:
        desk.log.again(stored)
    twice = read_all(export(source=write(desk, tmp_path / "again.pit"), to="again"))
    for table in ("cases", "adjustments"):
        assert twice[table] == once[table]
    assert len(twice["table_events"]) == len(once["table_events"]) + 4


def is_of_cases(stored):
    return dict(stored.headers)["ce_type"] in FACT_TYPES | CASE_DECISION_TYPES
