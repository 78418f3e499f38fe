"""A journal's file sealed by several processes: the same archive, whoever of them is killed."""

import multiprocessing
import os
import signal
import time
from contextlib import suppress

import pytest

from pitledger.archive import layout
from pitledger.archive.collect import Hole
from pitledger.archive.log import About, LogWriter, leaf_data, manifests, newest
from pitledger.archive.store import BadArchive, StoreError
from pitledger.sources.file import read_file, write_file
from services.archivist.at_once import File, require_partitions, seal
from services.archivist.same_journal import DoesNotContinue
from services.cli.new_key import new_key
from services.storage.folder import Folder
from services.verify import main as verify
from tests.archive.conftest import PARTITIONS

KEY = new_key("casino.example/floor")
ABOUT = About(KEY.name, "pitledger.journal.v1", PARTITIONS)
CHUNK = 1_500


def sealed_by(home, journal, processes):
    writer = LogWriter(Folder(home), KEY, ABOUT)
    sealed, waiting = seal(writer, File(journal, PARTITIONS, CHUNK), processes)
    assert waiting == []
    return sealed


def verified(home):
    with pytest.raises(SystemExit) as end:
        verify([str(home), "--key", str(KEY.public)])
    return end.value.code == 0


def files(home):
    """All that an archive consists of, but what the lock says."""
    return {
        path.relative_to(home).as_posix(): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and path.name != "lock"
    }


def test_the_archive_is_the_same_whatever_the_number_of_processes(journal, tmp_path):
    found = []
    for processes in (1, 2, 3):
        home = tmp_path / str(processes)
        sealed = sealed_by(home, journal, processes)
        assert sealed.rounds == 150
        assert sealed.checkpoints > 3
        found.append(files(home))
    assert found[0] == found[1] == found[2]
    assert verified(tmp_path / "3")


def test_it_is_the_same_archive_when_the_rest_comes_later(journal, tmp_path):
    records = list(read_file(journal))
    write_file(tmp_path / "part", records[: 2 * CHUNK])
    writer = LogWriter(Folder(tmp_path / "archive"), KEY, ABOUT)
    _, waiting = seal(writer, File(tmp_path / "part", PARTITIONS, CHUNK), 2)
    assert waiting
    del writer
    sealed_by(tmp_path / "archive", journal, 3)
    sealed_by(tmp_path / "whole", journal, 1)
    assert verified(tmp_path / "archive")
    assert rounds(tmp_path / "archive") == rounds(tmp_path / "whole")


def rounds(home):
    store = Folder(home)
    return {
        manifest.round.round_id: leaf_data(store, manifest.sha256, manifest.length)
        for manifest in manifests(store, newest(store, KEY.name).size)
        if manifest.HasField("round")
    }


@pytest.mark.parametrize("processes", [1, 2])
def test_a_hole_is_told_by_whichever_process_meets_it(journal, tmp_path, processes):
    records = list(read_file(journal))
    del records[3_000]
    write_file(tmp_path / "lacks", records)
    with pytest.raises(Hole, match="follows"):
        sealed_by(tmp_path / "archive", tmp_path / "lacks", processes)
    assert verified(tmp_path / "archive")


def test_a_file_that_begins_with_a_later_record_is_not_taken_for_a_trimmed_one(journal, tmp_path):
    """What comes behind it would be passed over, as if it had been read before."""
    write_file(tmp_path / "backwards", reversed(list(read_file(journal))))
    with pytest.raises(DoesNotContinue, match="and a journal is in order"):
        sealed_by(tmp_path / "archive", tmp_path / "backwards", 1)
    assert not (tmp_path / "archive" / "checkpoint").exists()


@pytest.mark.parametrize("processes", [1, 2])
def test_a_partition_that_the_topic_does_not_have_is_told(journal, tmp_path, processes):
    stray = next(read_file(journal))
    stray.partition = PARTITIONS
    write_file(tmp_path / "strange", [*read_file(journal), stray])
    with pytest.raises(DoesNotContinue, match="partition 48: there are 48"):
        sealed_by(tmp_path / "archive", tmp_path / "strange", processes)


def test_a_wrong_number_of_partitions_is_noticed_by_the_first_records(journal):
    require_partitions(File(journal, PARTITIONS))
    with pytest.raises(DoesNotContinue, match="is not of a topic with 47 partitions"):
        require_partitions(File(journal, PARTITIONS - 1))


@pytest.mark.parametrize("which", ["the first", "another"])
def test_killed_at_any_moment_it_goes_on_to_the_same_rounds(journal, tmp_path, which):
    """Of several processes one is killed, sooner or later; the archive is whole, and goes on."""
    sealed_by(tmp_path / "whole", journal, 2)
    expected, interrupted = rounds(tmp_path / "whole"), 0
    for number, wait_s in enumerate((0.02, 0.1, 0.2, 0.4, 0.6, 0.8)):
        home = tmp_path / str(number)
        interrupted += killed(home, journal, wait_s, which == "the first")
        sealed_by(home, journal, 2)
        assert verified(home)
        assert rounds(home) == expected
    assert interrupted


def killed(home, journal, wait_s, first):
    """Whether it was cut short."""
    process = multiprocessing.get_context("fork").Process(target=run, args=(home, journal))
    process.start()
    until = time.monotonic() + 60
    while not (found := children(process.pid)) and process.is_alive():
        assert time.monotonic() < until
        time.sleep(0.001)
    time.sleep(wait_s)
    for pid in [process.pid] if first else found[:1]:
        with suppress(ProcessLookupError):  # it was done
            os.kill(pid, signal.SIGKILL)
    process.join(60)
    assert process.exitcode in (0, 2, -signal.SIGKILL)
    while any(os.path.exists(f"/proc/{pid}") for pid in found):  # they hold the lock
        assert time.monotonic() < until
        time.sleep(0.01)
    return process.exitcode != 0


def run(home, journal):
    try:
        sealed_by(home, journal, 2)
    except StoreError as problem:
        os._exit(2 if "was killed" in str(problem) else 3)
    os._exit(0)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(each) for each in file.read().split()]
    except FileNotFoundError:
        return []


def test_a_dictionary_that_is_missing_is_told(tmp_path, journal):
    home = tmp_path / "archive"
    sealed_by(home, journal, 1)
    store = Folder(home)
    found = list(manifests(store, newest(store, KEY.name).size))
    document = next(each for each in found if each.document.name == "dictionary")
    (home / layout.leaf(document.sha256)).unlink()
    first = next(each for each in found if each.HasField("round"))
    with pytest.raises(BadArchive, match="is missing"):
        leaf_data(store, first.sha256, first.length)
