"""`pitledger export`: all of a journal, with the way back, in sums that the auditor agrees to."""

import json
from hashlib import sha256

import pytest
from google.protobuf.json_format import MessageToDict

from pitledger.audit import audit
from pitledger.journal.record import JournalRecord, body_name
from pitledger.replay import Replay
from pitledger.sources.file import read_file, write_file
from services.export import reading
from services.export.schema import BY_NAME, TABLES
from tests.export.conftest import bytes_of, read_all, rows_in, unordered

PARTITIONS = 48
FORMATS = ("jsonl", "parquet")


@pytest.fixture(params=FORMATS)
def exported(export, request):
    return export("--format", request.param)


def test_rounds_records_and_money_are_those_of_the_audit(exported, journal):
    audited = audit(read_file(journal), PARTITIONS)
    rounds, records = rows_in(exported, "rounds"), rows_in(exported, "records")
    states = [row["state"] for row in rounds]
    assert len(records) == audited.counts["records"]
    assert len(rounds) == audited.counts["rounds_opened"]
    assert states.count("settled") == audited.counts["rounds_settled"]
    assert states.count("voided") == audited.counts["rounds_voided"]
    booked = [row for row in rows_in(exported, "lines") if row["booked"]]
    for table in audited.tables:
        own = [row for row in rounds if row["table_id"] == table.table_id]
        for name in ("staked", "returned", "positions_net", "house_net", "pot_net"):
            assert sum(row.get(f"{name}_minor", 0) for row in own) == getattr(table, name)
        lines = [row for row in booked if row["table_id"] == table.table_id]
        assert sum(row["stake_minor"] for row in lines) == table.staked
        assert sum(row["returned_minor"] for row in lines) == table.returned
        assert sum(row["profit_minor"] for row in lines) == table.positions_net


def test_every_record_is_there_with_its_bytes_and_what_they_say(exported, journal):
    records = {(row["partition"], row["offset"]): row for row in rows_in(exported, "records")}
    assert len(records) == sum(1 for _ in read_file(journal))
    for stored in read_file(journal):
        row = records[stored.partition, stored.offset]
        assert bytes_of(row["value"]) == stored.value
        assert bytes_of(row["key"]) == stored.key
        found = [(header["name"], bytes_of(header["value"])) for header in row["headers"]]
        assert found == list(stored.headers)
        if "body" not in row:
            continue
        record = JournalRecord.FromString(stored.value)
        message = getattr(record, body_name(record)) if body_name(record) else None
        said = MessageToDict(message, preserving_proto_field_name=True) if message else {}
        assert row["body"] == said


def test_why_a_record_has_no_effect_is_what_replay_says(export, journal):
    folder = export()
    replay = Replay(PARTITIONS)
    notes = {(s.partition, s.offset): replay.take(s) for s in read_file(journal)}
    for row in rows_in(folder, "records"):
        assert row["note"] == notes[row["partition"], row["offset"]]
    assert {"", "repeat", "foreign", "table_fact"} < set(notes.values())


def test_every_row_leads_back_to_the_event_that_it_is_of(export):
    folder = export()
    tables = read_all(folder)
    records = {(row["partition"], row["offset"]): row for row in tables["records"]}
    for name, rows in tables.items():
        for row in rows:
            event = records[row["partition"], row["offset"]]
            if name != "records":
                assert row["event_id"] == event["event_id"], name
                assert row["gaming_day"] == event["gaming_day"], name
    by_id = {row["event_id"]: row for row in tables["records"] if "event_id" in row}
    for wager in tables["wagers"]:
        assert by_id[wager["answer_event_id"]]["type"].endswith("RequestAnswered")
    for line in tables["lines"]:
        for wager_id in line["wager_ids"]:
            assert by_id[wager_id]["type"].endswith("WagerRequested")


def test_both_formats_say_the_same(export):
    folders = [export("--format", name, to=name) for name in FORMATS]
    ours, theirs = (read_all(folder) for folder in folders)
    for table in TABLES:
        assert unordered(ours[table.name]) == unordered(theirs[table.name]), table.name
        assert all(set(row) <= set(table.names) for row in ours[table.name]), table.name


def test_every_table_has_rows_of_a_foul_day_but_for_corrections(export):
    empty = {name for name, rows in read_all(export()).items() if not rows}
    assert empty <= {"cases", "adjustments"}


def test_the_manifest_has_counts_sums_and_the_hash_of_each_file(exported):
    manifest = json.loads((exported / "manifest.json").read_text())
    listed = set()
    for name, table in manifest["tables"].items():
        assert table["rows"] == len(rows_in(exported, name))
        assert list(table["columns"]) == list(BY_NAME[name].names)
        for file in table["files"]:
            data = (exported / file["path"]).read_bytes()
            assert (file["bytes"], file["sha256"]) == (len(data), sha256(data).hexdigest())
            listed.add(file["path"])
    there = {p.relative_to(exported).as_posix() for p in exported.rglob("*") if p.is_file()}
    assert there == listed | {"manifest.json"}
    rounds = [row for row in rows_in(exported, "rounds") if row["state"] != "open"]
    sums = manifest["money"]["USD"]
    assert sums["house_net_minor"] == sum(row["house_net_minor"] for row in rounds)
    assert sums["positions_net_minor"] + sums["house_net_minor"] + sums["pot_net_minor"] == 0
    assert manifest["build"].startswith("0.1.0+")
    assert manifest["source"]["kind"] == "file"


def test_a_table_alone_is_what_the_whole_says_of_it(export):
    whole, alone = read_all(export()), read_all(export("--table", "hilo-002", to="alone"))
    for name, rows in whole.items():
        own = [row for row in rows if row.get("table_id", "") == "hilo-002"]
        found = [row for row in alone[name] if row.get("table_id", "") == "hilo-002"]
        assert unordered(found) == unordered(own), name
        assert name == "records" or len(found) == len(alone[name])
    assert alone["rounds"]


def test_an_archive_gives_the_rounds_of_its_journal_and_says_which_tree(
    export, pitledger, journal, tmp_path
):
    assert pitledger("keys", "new", "casino.example/floor", "-o", tmp_path / "key").code == 0
    archive = tmp_path / "archive"
    made = pitledger("archive", "--from", journal, "-o", archive, "--key", tmp_path / "key")
    assert made.code == 0, made.err
    of_file, of_archive = read_all(export()), read_all(export(source=archive, to="sealed"))
    for name in ("rounds", "lines", "wagers", "cards", "hands", "records"):
        assert unordered(of_archive[name]) == unordered(of_file[name]), name
    source = json.loads((tmp_path / "sealed" / "manifest.json").read_text())["source"]
    origin, size = (archive / "checkpoint").read_text().splitlines()[:2]
    assert (source["kind"], source["origin"]) == ("archive", origin)
    assert source["tree_size"] == int(size)
    assert len(source["root"]) == 64


def test_a_decision_that_is_not_recorded_is_there_without_an_offset(export, journal, tmp_path):
    records = list(read_file(journal))
    kept = [s for s in records if not dict(s.headers)["ce_type"].endswith(b"PayoutDue")]
    following: dict[int, int] = {}
    for stored in kept:
        stored.offset = following.get(stored.partition, 0)
        following[stored.partition] = stored.offset + 1
    write_file(tmp_path / "lacking.pit", kept)
    whole, lacking = read_all(export()), read_all(export(source=tmp_path / "lacking.pit", to="b"))
    due = [row for row in lacking["lines"] if row["what"] == "payout_due"]
    assert due
    assert all("offset" not in row for row in due)
    assert len(lacking["lines"]) == len(whole["lines"])
    assert sum(row["decisions_recorded"] for row in lacking["rounds"]) < sum(
        row["decisions_derived"] for row in lacking["rounds"]
    )


def test_rounds_that_wait_for_ever_are_given_up_and_a_late_record_is_no_forgery(
    export, journal, tmp_path, monkeypatch
):
    """Decisions a thousand records late: with room for three such rounds the rows are the same."""
    monkeypatch.setattr(reading, "WAITING_MAX", 3)
    records = list(read_file(journal))
    late = [s for s in records if dict(s.headers)["ce_type"].endswith(b"RoundSettled")]
    moved = [s for s in records if s not in late] + late
    following: dict[int, int] = {}
    for stored in moved:
        stored.offset = following.get(stored.partition, 0)
        following[stored.partition] = stored.offset + 1
    write_file(tmp_path / "late.pit", moved)
    folder = export(source=tmp_path / "late.pit")
    settled = [row for row in rows_in(folder, "records") if row["type"].endswith("RoundSettled")]
    assert {row["note"] for row in settled} >= {""}
    rounds = rows_in(folder, "rounds")
    assert sum("outcome_offset" not in row for row in rounds) > 20
    whole = rows_in(export(to="whole"), "rounds")
    assert sum(row.get("house_net_minor", 0) for row in rounds) == sum(
        row.get("house_net_minor", 0) for row in whole
    )
