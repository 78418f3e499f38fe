"""Cases by an archive's index: what is read is what is asked for, and it is as the journal says."""

import json

import pytest

from pitledger.journal.record import JournalRecord, headers_of, serialize
from pitledger.pb import facts_pb2
from services.cli import archived
from tests.cases.desk import Desk
from tests.cases.test_commands import Written
from tests.kit.house import House
from tests.kit.table import Table
from tests.unit.cli.conftest import pitledger as pitledger  # noqa: PLC0414


@pytest.fixture
def written(tmp_path):
    """Two tables: one with cases, one whose rounds nobody speaks of."""
    written = Written(tmp_path)
    Table(table_id="T2", log=written.table.log).play()
    House(written.table).run()
    return written


@pytest.fixture
def archive(pitledger, written, tmp_path):
    """Seals what the journal has by now; the archive's folder."""
    key, folder = tmp_path / "key", tmp_path / "archive"
    pitledger("keys", "new", "casino.example/floor", "-o", key)

    def seal():
        sealed = pitledger("archive", *written.journal(), "-o", folder, "--key", key)
        assert sealed.code == 0, sealed.err
        return folder

    return seal


@pytest.fixture
def told(pitledger):
    def call(*arguments, code=0):
        ended = pitledger(*arguments, "--json")
        assert ended.code == code, ended.err
        return json.loads(ended.out)

    return call


def asked(written):
    return (("case", "list"), ("case", "show", written.case_id),
            ("case", "show", written.case_id[:34]), ("adjust", "list"),
            ("adjust", "list", "--month", "2026-12", "--above", "2000.00"))


def without_times(told):
    return {name: value for name, value in told.items() if name not in {"made_at", "as_known_at"}}


def test_an_archive_says_of_cases_what_its_journal_says(told, written, archive):
    desk, table = Desk(written.table), written.table
    desk.open(settlement=written.about, claim="another claim about the same round")
    held = facts_pb2.TableHeld(reason="claim", about_id=desk.case_id)
    table.fact("table_held", held, round_id="", actor="agent-1", source="desk")
    desk.record_what_is_missing()
    for command in asked(written):
        by_file = told(*command, *written.journal())
        assert without_times(told(*command, "--from", archive())) == without_times(by_file)


@pytest.mark.parametrize("value", [None, b"no record"])
@pytest.mark.parametrize("key", [b"T1", b"T2", b"nowhere"])
def test_an_archive_names_what_is_forged_wherever_it_lies(told, written, archive, key, value):
    [*_, posting] = (one.concluded for one in written.desk.read().derived.values())
    record = JournalRecord.FromString(posting.value)
    record.event_id = "00000000-0000-5000-8000-000000000000"
    written.table.log.append(
        posting.partition, key, headers_of(record), value or serialize(record))
    for command in asked(written):
        by_file = told(*command, *written.journal(), code=1)
        by_index = told(*command, "--from", archive(), code=1)
        assert without_times(by_index) == without_times(by_file)


def test_by_its_index_no_more_is_read_of_an_archive_than_is_asked_for(
    told, written, archive, monkeypatch
):
    folder = archive()
    told("case", "list", "--from", folder)

    def never(*_):
        raise AssertionError("the archive is read whole")

    monkeypatch.setattr(archived, "records", never)
    [case] = told("case", "list", "--from", folder)["cases"]
    assert told("case", "show", case["case_id"], "--from", folder)["moved"] == case["moved"]
