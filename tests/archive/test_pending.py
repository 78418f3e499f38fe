"""A writer that finds `pending` signs the tree that lies there, and no other."""

import pytest

from pitledger.archive import layout
from pitledger.archive.leaves import document_leaf
from pitledger.archive.log import About, LogWriter
from pitledger.archive.merkle import WIDTH
from pitledger.archive.note import Checkpoint, Note
from pitledger.archive.store import BadArchive
from services.cli.new_key import new_key
from services.storage.folder import Folder

ABOUT = About("casino.example/floor", "journal", 4)
KEY = new_key("casino.example/floor")


def writer(home):
    return LogWriter(Folder(home), KEY, ABOUT)


@pytest.fixture
def archive(tmp_path):
    """Its folder: two appends, over the edge of a tile."""
    home = tmp_path / "archive"
    for count in (WIDTH - 3, 7):
        one = writer(home)
        one.append([document_leaf("rules", "x", b"%d of %d" % (i, count)) for i in range(count)])
        one.store._lock.close()
    return home


def newest(home):
    return Checkpoint.parse(Note.parse((home / layout.CHECKPOINT).read_bytes()).text)


def lay(home, pending):
    (home / layout.PENDING).write_text(pending.text())


def test_the_tree_that_lies_there_is_signed(archive):
    true = newest(archive)
    (archive / layout.signed_checkpoint(true.size)).unlink()
    lay(archive, true)
    assert writer(archive).size == true.size
    assert (archive / layout.signed_checkpoint(true.size)).exists()
    assert not (archive / layout.PENDING).exists()


@pytest.mark.parametrize("wrong", ["origin", "root", "size", "older"])
def test_any_other_tree_is_not(archive, wrong):
    true = newest(archive)
    other = {
        "origin": Checkpoint("casino.example/other", true.size, true.root),
        "root": Checkpoint(true.origin, true.size, bytes(32)),
        "size": Checkpoint(true.origin, true.size + 1, true.root),
        "older": Checkpoint(true.origin, 5, true.root),
    }[wrong]
    lay(archive, other)
    with pytest.raises(BadArchive):
        writer(archive)
    assert newest(archive) == true
    assert not (archive / layout.signed_checkpoint(other.size)).exists() or other.size == true.size


def test_a_tree_that_does_not_hold_the_one_signed_before_is_not_signed(archive, tmp_path):
    """A copy that was torn: the tiles of another archive, the checkpoint of this one."""
    forged = writer(tmp_path / "other")
    forged.append([document_leaf("rules", "x", b"other %d" % i) for i in range(WIDTH + 9)])
    there = newest(tmp_path / "other")
    for path in (tmp_path / "other" / "tile").rglob("*"):
        if path.is_file():
            target = archive / "tile" / path.relative_to(tmp_path / "other" / "tile")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    true = newest(archive)
    lay(archive, there)
    with pytest.raises(BadArchive, match="pending: is not the tree that lies there"):
        writer(archive)
    assert newest(archive) == true


def test_the_last_entries_are_held_against_the_tiles_above_them(archive):
    size = newest(archive).size
    bundle = archive / layout.entry_bundle(size // WIDTH, size % WIDTH)
    data = bytearray(bundle.read_bytes())
    data[-1] ^= 1
    bundle.write_bytes(data)
    with pytest.raises(BadArchive, match="not those of the tiles above them"):
        writer(archive)
