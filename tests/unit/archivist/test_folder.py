"""The lock of an archive's folder."""

import os
from pathlib import Path

import pytest

from pitledger.archive.store import StoreError
from services.storage.folder import Folder


@pytest.mark.parametrize("again", [False, True])
def test_a_writer_whose_lock_was_taken_away_writes_nothing_more(tmp_path, again):
    """Another may have begun there, under a lock of its own."""
    first = Folder(tmp_path)
    first.lock()
    (tmp_path / "lock").unlink()
    if again:
        Folder(tmp_path).lock()
    first.write("checkpoint", b"first's")
    with pytest.raises(StoreError, match="lock: was taken away; nothing more is written"):
        first.sync()
    assert Folder(tmp_path).read("checkpoint") is None


def test_a_second_writer_is_refused_and_the_first_writes_on(tmp_path):
    first = Folder(tmp_path)
    first.lock()
    with pytest.raises(StoreError, match="another process writes there"):
        Folder(tmp_path).lock()
    first.write("checkpoint", b"first's")
    first.sync()
    assert Folder(tmp_path).read("checkpoint") == b"first's"


def _pipe(path):
    os.mkfifo(path)


def _endless(path):
    path.symlink_to("/dev/zero")


def _huge(path):
    path.touch()
    os.truncate(path, 100 << 30)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("put", [_pipe, _endless, _huge, Path.mkdir])
@pytest.mark.parametrize("key", ["log.json", "checkpoint", "tile/entries/000.p/7"])
def test_what_lies_in_a_files_place_and_never_ends_is_refused(tmp_path, key, put):
    """Archives come from anybody, and are read by whoever is to verify them."""
    (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
    put(tmp_path / key)
    with pytest.raises(StoreError, match=r"is no file|is longer than|Is a directory"):
        Folder(tmp_path).read(key)
