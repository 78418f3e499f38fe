"""One round out of an archive, found by the index: as the journal has it."""

import json
import shutil

import pytest

from pitledger.archive.layout import leaf as leaf_key
from pitledger.archive.log import manifests
from pitledger.pb import facts_pb2
from pitledger.sources.file import write_file
from services.storage.folder import Folder
from tests.kit.house import House
from tests.kit.log import Log
from tests.kit.table import Table

PARTITIONS = ("--partitions", 4)
DAY = "2026-11-30"


@pytest.fixture
def journal(tmp_path):
    """T1: a round, a hold, a round at the held table, its release, a round; T2: a round, and one
    that is open."""
    log = Log()
    first, second = Table(log=log), Table(table_id="T2", log=log)
    first.play(gaming_day=DAY)
    message = facts_pb2.TableHeld(reason="the count is off")
    held = first.fact("table_held", message, round_id="", actor="s1")
    first.play(gaming_day=DAY)
    first.fact("table_released", facts_pb2.TableReleased(held_id=held), round_id="", actor="s1")
    first.play(gaming_day=DAY)
    second.play(gaming_day=DAY)
    second.open()
    House(log).run()
    path = tmp_path / "journal"
    write_file(path, log.all())
    return path


@pytest.fixture
def archive(pitledger, journal, tmp_path):
    assert pitledger("keys", "new", "casino/floor", "-o", tmp_path / "key").code == 0
    made = pitledger("archive", "--from", journal, "-o", tmp_path / "archive", "--key",
                     tmp_path / "key", *PARTITIONS)
    assert made.code == 0, made.err
    return tmp_path / "archive"


@pytest.mark.parametrize("name", ["T1/1", "T1/2", "T1/3", "T2/1"])
def test_a_replay_from_the_archive_is_that_from_the_journal_holds_and_all(
    pitledger, journal, archive, name
):
    told = pitledger("replay", name, "--from", archive, "--json")
    whole = pitledger("replay", name, "--from", journal, "--json", *PARTITIONS)

    assert told.code == whole.code == 0
    assert json.loads(told.out) == json.loads(whole.out)
    assert bool(json.loads(told.out)["while_held"]) == (name == "T1/2")
    assert (archive / "index.sqlite").is_file()


def test_an_index_may_lie_elsewhere(pitledger, archive, tmp_path):
    place = tmp_path / "elsewhere.sqlite"
    assert pitledger("replay", "T1/2", "--from", archive, "--index", place).code == 0
    assert place.is_file()
    assert not (archive / "index.sqlite").exists()


def test_a_folder_that_may_not_be_written_is_read_all_the_same(pitledger, archive, monkeypatch):
    monkeypatch.setattr("services.cli.archived.os.access", lambda _path, _mode: False)
    assert pitledger("replay", "T1/2", "--from", archive).code == 0
    assert not (archive / "index.sqlite").exists()


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("T9/1", "T9/1: no such round is sealed here; one that is open, or lacks a decision, is"
                 " sealed later"),
        ("T2/2", "T2/2: no such round is sealed here; one that is open, or lacks a decision, is"
                 " sealed later"),
        ("T2", "T2: is neither TABLE/NUMBER nor the first 8 characters or more of a round's id"),
    ],
)
def test_a_round_that_is_unknown_or_open_is_told(pitledger, archive, name, line):
    assert pitledger("replay", name, "--from", archive).line == line


def test_an_archive_without_a_tile_or_a_leaf_is_told(pitledger, archive, tmp_path):
    index = tmp_path / "index.sqlite"
    (bundle,) = (archive / "tile" / "entries").rglob("000*/*")
    size = int(bundle.name)
    leaves = list(manifests(Folder(archive), size))
    wanted = next(leaf for leaf in leaves if leaf.round.table_id == "T1")
    copy = shutil.copytree(archive, tmp_path / "copy")
    (copy / leaf_key(wanted.sha256)).unlink()
    pitledger("replay", "T1/1", "--from", archive, "--index", index)
    line = pitledger("replay", "T1/1", "--from", copy, "--index", index).line
    assert line.startswith(f"{copy}: entry ")
    assert line.endswith(".zst: is missing")
    line = pitledger("replay", "T1/1", "--from", copy).line
    assert line == "T1/1: its bytes are gone; pitledger-verify tells whether they may be"
    bundle.unlink()
    line = pitledger("replay", "T1/1", "--from", archive, "--index", tmp_path / "other").line
    assert line == f"{archive}: tile/entries/{bundle.parent.name}/{size}: is missing"


def test_what_is_no_archive_or_no_index_is_told(pitledger, archive, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    line = pitledger("replay", "T1/1", "--from", empty).line
    assert line == f"{empty}: is no archive: it has no log.json"
    wrong = tmp_path / "wrong"
    wrong.write_text("no database " * 100)
    line = pitledger("replay", "T1/1", "--from", archive, "--index", wrong).line
    assert line == f"{wrong}: file is not a database"


def test_all_rounds_need_no_index(pitledger, archive, tmp_path):
    line = pitledger("replay", "--all", "--from", archive, "--index", tmp_path / "x").line
    assert line == "replay: --index is for one ROUND; --all reads the archive itself"


def test_an_index_of_a_file_or_of_kafka_is_refused(pitledger, journal, tmp_path):
    line = pitledger("replay", "T1/1", "--from", journal, "--index", tmp_path / "x").line
    assert line == "--index is for archives"


@pytest.mark.parametrize(
    "filters",
    [(), ("--table", "T1"), ("--gaming-day", "2026-11-30"), ("--gaming-day", "2020-01-01"),
     ("--patron", "p1"), ("--last", "1", "--table", "T1"),
     ("--table", "T1", "--patron", "p2", "--limit", "2"), ("--game", "saigon5", "--last", "1",
                                                            "--table", "T1"),
     ("--state", "voided")],
)
def test_rounds_are_listed_from_the_index_as_from_the_journal(
    pitledger, journal, archive, filters
):
    listed = pitledger("rounds", "--from", archive, "--json", *filters)
    told = json.loads(listed.out)
    if told["rounds"]:
        as_sealed = "listed as they were sealed; verify derives them again"
        assert listed.err == f"pitledger: {archive}: {as_sealed}\n"
    ended = pitledger("rounds", "--from", journal, "--json", *filters, *PARTITIONS)
    whole = json.loads(ended.out)
    whole["rounds"] = [row for row in whole["rounds"] if row["state"] != "open"]
    assert told == whole
    assert len(told["rounds"]) <= 4


def test_rounds_at_a_held_table_are_marked_from_the_index_too(pitledger, archive):
    rows = json.loads(pitledger("rounds", "--from", archive, "--json").out)["rounds"]
    assert {(row["table"], row["number"]): row["while_held"] for row in rows} == {
        ("T1", 1): [], ("T1", 2): ["opened", "closed"], ("T1", 3): [], ("T2", 1): []}


def test_all_rounds_of_an_archive_are_replayed_on_several_cores_with_the_journals_verdict(
    pitledger, journal, archive, monkeypatch
):
    alone = json.loads(pitledger("replay", "--all", "--from", archive, "--json").out)
    monkeypatch.setattr("services.cli.whole_journal.ENTRIES_A_PROCESS_MIN", 1)
    monkeypatch.setattr("services.cli.whole_journal.cores", lambda: 3)
    shared = json.loads(pitledger("replay", "--all", "--from", archive, "--json").out)

    assert shared == alone
    assert (shared["rounds"], shared["identical"]) == (4, 4)
