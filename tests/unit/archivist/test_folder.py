"""The lock of an archive's folder."""

import pytest

from pitledger.archive.store import StoreError
from services.archivist.folder import Folder


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
