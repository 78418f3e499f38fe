"""`pitledger verify`: what was signed, and what its rounds derive."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from pitledger.archive.deletions import Deletion
from pitledger.archive.layout import leaf as leaf_key
from pitledger.archive.log import About, LogWriter
from services.cli import verified
from services.cli import verify as cli_verify
from services.cli.new_key import new_key
from services.storage.folder import Folder
from tests.archive.lies import Book
from tests.archive.memory import KEY, Memory, sealed
from tests.kit.house import House
from tests.kit.log import PARTITIONS, Log
from tests.kit.table import Table

ABOUT = About(KEY.name, "pitledger.journal.v1", PARTITIONS)
PUBLIC = str(KEY.public)


@pytest.fixture(scope="module")
def log():
    """T1 and T2: three rounds each, one of them with a wager too much."""
    log = Log()
    for table in (Table(log=log), Table(table_id="T2", log=log)):
        table.play()
        table.open()
        for position in table.seats:
            table.wager(position, ante=1000)
        table.wager(2, bonus=500)
        table.no_more_bets()
        table.deal()
        table.set_all()
        table.expose()
        table.close_round()
        table.play()
    House(log).run()
    return log


@pytest.fixture
def archive(log, tmp_path):
    sealed(Folder(tmp_path / "archive"), log.all(), about=ABOUT)
    return tmp_path / "archive"


def entry_of(archive, name):
    """The entry of a round, TABLE/NUMBER, and its manifest."""
    table, _, number = name.partition("/")
    book = Book(Folder(archive))
    wanted = table, int(number)
    for entry in book.rounds():
        manifest = book.manifests[entry]
        if (manifest.round.table_id, manifest.round.round_number) == wanted:
            return entry, manifest
    raise AssertionError(name)


def verified_alone(archive):
    """What pitledger-verify says."""
    command = [sys.executable, "-m", "services.verify", archive, "--key", PUBLIC, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=False, timeout=120).stdout)


def test_an_honest_archive_is_good_and_its_figures_are_told(pitledger, archive, log):
    ended = pitledger("verify", archive, "--key", PUBLIC)
    told = json.loads(pitledger("verify", archive, "--key", PUBLIC, "--json").out)

    assert ended.code == 0
    assert ended.out.startswith("good: 6 rounds derived again, each is as it was sealed (")
    assert told["good"] is True
    assert (told["rounds"], told["rounds_derived"], told["rounds_deleted"]) == (6, 6, 0)
    assert told["records"] == len(log.all())


def test_the_key_may_be_a_file_and_partitions_are_dealt_out(pitledger, archive, tmp_path,
                                                            monkeypatch):
    monkeypatch.setattr(verified, "SHARES_A_CORE", 100)
    (tmp_path / "pub").write_text(PUBLIC + "\n")
    assert pitledger("verify", archive, "--key", tmp_path / "pub").code == 0


def test_a_fact_hidden_by_who_holds_the_key_is_good_to_the_signature_and_names_the_round(
    pitledger, log, tmp_path
):
    table = Table(log=Log())
    table.play()
    table.open()
    table.wager(1, ante=1000)
    table.wager(2, ante=1000)
    place = len(table.log.records[_partition(table)])
    table.wager(2, bonus=500)
    records = table.log.records[_partition(table)]
    wager = records[place]
    records[place] = replace(wager, headers=(), value=b"junk")  # so the decisions know nothing
    table.no_more_bets()
    table.deal()
    table.set_all()
    table.expose()
    table.close_round()
    House(table.log).run()
    honest = sealed(Memory(), table.log.all(), about=ABOUT)
    book = Book(honest)
    rest = book.records[book.remainder_at(wager.partition, wager.offset)]
    rest[next(n for n, r in enumerate(rest) if r.offset == wager.offset)] = wager
    archive = tmp_path / "lie"
    book.sealed(Folder(archive), ABOUT)

    assert verified_alone(archive)["good"] is True
    ended = pitledger("verify", archive, "--key", PUBLIC)
    told = json.loads(pitledger("verify", archive, "--key", PUBLIC, "--json").out)

    entry, manifest = entry_of(archive, "T1/2")
    assert ended.code == 1
    line = f"entry {entry} (round T1/2, {manifest.round.round_id}): is derived otherwise than it is"
    assert told["problem"].startswith(line)
    assert "BettingClosed" in told["problem"]
    assert f"WagerRequested at offset {wager.offset} has effect in it, and lies outside" in (
        told["more"])
    assert ended.out.splitlines()[0] == f"BAD: {told['problem']}"


def _partition(table):
    return next(n for n, records in enumerate(table.log.records) if records)


def test_bytes_that_were_changed_are_told_as_pitledger_verify_tells_them(pitledger, archive):
    _, manifest = entry_of(archive, "T1/1")
    path = archive / leaf_key(manifest.sha256)
    path.write_bytes(path.read_bytes()[:-9])
    ended = pitledger("verify", archive, "--key", PUBLIC)
    assert ended.code == 1
    assert ended.out == f"BAD: {verified_alone(archive)['problem']}\n"
    assert ended.err == ""


def test_a_tile_that_is_missing_is_told(pitledger, archive):
    (bundle,) = (path for path in (archive / "tile" / "entries").rglob("*") if path.is_file())
    bundle.unlink()
    ended = pitledger("verify", archive, "--key", PUBLIC, "--json")
    assert ended.code == 1
    assert bundle.relative_to(archive).as_posix() in json.loads(ended.out)["problem"]


def test_rounds_that_were_deleted_lawfully_are_counted_as_such(pitledger, archive):
    entry, manifest = entry_of(archive, "T1/2")
    deletion = Deletion("2037-01-01T00:00:00Z", "j.doe", "its time is over", "10-years",
                        ((entry, entry),))
    store = Folder(archive)
    LogWriter(store, KEY, ABOUT).append([deletion.leaf()])
    store.delete(leaf_key(manifest.sha256))
    told = json.loads(pitledger("verify", archive, "--key", PUBLIC, "--json").out)
    assert (told["good"], told["rounds_derived"], told["rounds_deleted"]) == (True, 5, 1)
    assert "1 rounds were deleted" in pitledger("verify", archive, "--key", PUBLIC).out


def test_a_leaf_that_is_missing_without_a_deletion_is_bad(pitledger, archive):
    entry, manifest = entry_of(archive, "T1/2")
    (archive / leaf_key(manifest.sha256)).unlink()
    ended = pitledger("verify", archive, "--key", PUBLIC)
    assert ended.code == 1
    assert f"entry {entry} (round {manifest.round.round_id} of table T1" in ended.out


def test_where_there_is_nothing_to_verify_one_line_says_so(pitledger, archive, tmp_path):
    other = new_key(KEY.name)
    line = pitledger("verify", archive, "--key", str(other.public)).line
    assert "checkpoint" in line
    assert pitledger("verify", archive, "--key", "nonsense").line
    assert "no archive" in pitledger("verify", tmp_path, "--key", PUBLIC).line
    assert pitledger("verify", tmp_path / "nowhere", "--key", PUBLIC).line


def test_a_bucket_is_mirrored_first(pitledger):
    line = pitledger("verify", "s3://bucket/archive", "--key", PUBLIC).line
    assert line == (
        "s3://bucket/archive: a folder is verified; pitledger mirror makes one of a bucket")


def test_an_archive_with_nothing_in_it_is_good(pitledger, tmp_path):
    LogWriter(Folder(tmp_path / "new"), KEY, ABOUT).append([])
    ended = pitledger("verify", tmp_path / "new", "--key", PUBLIC)
    assert ended.code == 0, ended


def test_a_packet_is_for_the_other_program(pitledger):
    line = pitledger("verify", "p.zip", "--key", "k").line
    assert line == "p.zip: an archive's folder is verified; of packets, pitledger-verify does it"


@pytest.mark.parametrize("code", [130, -2])
def test_where_ctrl_c_ends_the_separate_program_first_it_ends_this_one(monkeypatch, code):
    ended = subprocess.Popen([sys.executable, "-c", ""], stdout=-1, stderr=-1, text=True)
    ended.wait()
    monkeypatch.setattr(ended, "returncode", code)
    with pytest.raises(KeyboardInterrupt):
        cli_verify._Signed(ended).judged()
