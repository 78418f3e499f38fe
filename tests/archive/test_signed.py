"""A signed checkpoint keeps every line that was ever put below it."""

import shutil
import threading

import pytest

from pitledger.archive import statements
from pitledger.archive.leaves import document_leaf
from pitledger.archive.log import About, LogWriter
from pitledger.archive.log_keys import read_keys
from pitledger.archive.note import COSIGNATURE, BadNote, Checkpoint, Note
from pitledger.archive.signed import joined
from pitledger.archive.store import BadArchive, StoreError
from pitledger.archive.witness import cosigned, examine, publish
from services.cli.new_key import new_key
from services.storage.folder import Folder

ORIGIN = "casino.example/floor"
KEY, NEXT = new_key(ORIGIN), new_key(ORIGIN)
WITNESSES = [new_key(f"witness-{n}.example", COSIGNATURE) for n in range(3)]
TEXT = Checkpoint(ORIGIN, 5, bytes(32)).text()
ABOUT = About(ORIGIN, "test.journal", 48)


def note_of(*lines):
    return (TEXT + "\n" + "".join(lines)).encode()


def leaf_of(data):
    return document_leaf("note", "text/plain", data)


def files_of(home):
    return {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}


def test_notes_of_one_text_are_joined_each_line_once():
    own, *others = [KEY.sign(TEXT), *(witness.sign(TEXT, 1) for witness in WITNESSES)]
    there = note_of(own, others[0])
    assert joined(there, note_of(own)) == there
    assert joined(there, note_of(others[1], own)) == note_of(own, others[0], others[1])
    assert joined(there, there) == there
    again = joined(joined(there, note_of(own, others[2])), note_of(others[1]))
    assert all(Note.parse(again).signed_at(witness.public) == 1 for witness in WITNESSES)


@pytest.mark.parametrize("text", [
    Checkpoint(ORIGIN, 5, b"1" * 32).text(), TEXT + "more\n", TEXT[:-1], "", TEXT + "\n" + TEXT
])  # fmt: skip
def test_of_another_text_none_is_put_in_the_place_of_the_one_that_lies_there(tmp_path, text):
    there, other = note_of(KEY.sign(TEXT)), f"{text}\n{KEY.sign(text)}".encode()
    with pytest.raises(BadNote, match="another tree of this size is signed"):
        joined(there, other)
    store = Folder(tmp_path)
    store.write("checkpoints/5", there)
    store.sync()
    store.write("checkpoints/5", other)
    with pytest.raises(StoreError, match="another tree of this size is signed"):
        store.sync()
    assert Folder(tmp_path).read("checkpoints/5") == there


def test_a_key_that_signs_what_another_has_signed_leaves_that_and_the_witnesses_there(tmp_path):
    store = Folder(tmp_path)
    first = LogWriter(store, KEY, ABOUT).append([leaf_of(b"1")])
    line = WITNESSES[0].sign(first.text(), 7).encode()
    store.write("checkpoints/1", first.signed(KEY) + line)
    store.sync()
    statements.put(store, statements.rotate(ORIGIN, KEY, NEXT))
    assert LogWriter(store, NEXT, ABOUT).append([]) == first
    note = Note.parse(store.read("checkpoints/1"))
    assert note.signed_by(KEY.public)
    assert note.signed_by(NEXT.public)
    assert note.signed_at(WITNESSES[0].public) == 7


@pytest.mark.parametrize("pending", [False, True])
def test_where_an_older_checkpoint_was_put_back_nothing_is_sealed_behind_it(tmp_path, pending):
    """As by a restore of a part: the trees signed since would be signed anew, as others."""
    home, old = tmp_path / "archive", tmp_path / "old"
    writer = LogWriter(Folder(home), KEY, ABOUT)
    writer.append([leaf_of(b"1")])
    shutil.copytree(home, old)
    second = LogWriter(Folder(old), KEY, ABOUT).append([leaf_of(b"another 2")])
    writer.append([leaf_of(b"2")])
    writer.append([leaf_of(b"3")])
    del writer
    (home / "checkpoint").write_bytes((home / "checkpoints" / "1").read_bytes())
    if pending:  # and it was about to sign, when that copy was made
        shutil.rmtree(home / "tile")
        shutil.copytree(old / "tile", home / "tile")
        (home / "pending").write_text(second.text())
    before = files_of(home)
    with pytest.raises(BadArchive, match="checkpoints/3 is newer; nothing is sealed"):
        LogWriter(Folder(home), KEY, ABOUT)
    assert files_of(home) == before


def test_of_many_witnesses_that_sign_a_folder_at_once_none_loses_its_line(tmp_path):
    writer = LogWriter(Folder(tmp_path), KEY, ABOUT)
    witnesses = [new_key(f"witness-{n}.example", COSIGNATURE) for n in range(8)]
    for turn in range(1, 11):
        writer.append([leaf_of(b"%d" % turn)])
        ready = threading.Barrier(len(witnesses))
        failed = []

        def sign(witness, ready=ready, failed=failed):
            try:
                store = Folder(tmp_path)
                examined = examine(store, ORIGIN, read_keys(store, KEY.public), None)
                ready.wait(60)
                publish(store, examined, cosigned(examined, witness, 7))
            except BaseException as problem:
                failed.append(problem)

        threads = [threading.Thread(target=sign, args=[witness]) for witness in witnesses]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed
        note = Note.parse(Folder(tmp_path).read(f"checkpoints/{turn}"))
        assert note.signed_by(KEY.public)
        assert all(note.signed_at(witness.public) == 7 for witness in witnesses)
