"""A signed checkpoint keeps every line that was ever put below it."""

from pitledger.archive import statements
from pitledger.archive.leaves import document_leaf
from pitledger.archive.log import About, LogWriter
from pitledger.archive.note import COSIGNATURE, Checkpoint, Note, SecretKey
from pitledger.archive.signed import joined, put_signed
from services.archivist.folder import Folder

ORIGIN = "casino.example/floor"
KEY, NEXT = SecretKey.new(ORIGIN), SecretKey.new(ORIGIN)
WITNESSES = [SecretKey.new(f"witness-{n}.example", COSIGNATURE) for n in range(3)]
TEXT = Checkpoint(ORIGIN, 5, bytes(32)).text()


def note_of(*lines):
    return (TEXT + "\n" + "".join(lines)).encode()


def test_notes_of_one_text_are_joined_each_line_once():
    own, *others = [KEY.sign(TEXT), *(witness.sign(TEXT, 1) for witness in WITNESSES)]
    there = note_of(own, others[0])
    assert joined(there, note_of(own)) == there
    assert joined(there, note_of(others[1], own)) == note_of(own, others[0], others[1])
    assert joined(there, there) == there
    again = joined(joined(there, note_of(own, others[2])), note_of(others[1]))
    assert all(Note.parse(again).signed_at(witness.public) == 1 for witness in WITNESSES)


def test_of_another_text_nothing_is_kept():
    other = Checkpoint(ORIGIN, 6, bytes(32)).signed(KEY)
    assert joined(note_of(KEY.sign(TEXT)), other) == other
    longer = note_of(KEY.sign(TEXT)).replace(TEXT.encode(), TEXT.encode() + b"more\n")
    assert joined(note_of(KEY.sign(TEXT)), longer) == longer


def test_a_key_that_signs_what_another_has_signed_leaves_that_and_the_witnesses_there(tmp_path):
    store, about = Folder(tmp_path), About(ORIGIN, "test.journal", 48)
    first = LogWriter(store, KEY, about).append([document_leaf("note", "text/plain", b"1")])
    line = WITNESSES[0].sign(first.text(), 7).encode()
    put_signed(store, "checkpoints/1", first.signed(KEY) + line)
    statements.put(store, statements.rotate(ORIGIN, KEY, NEXT))
    assert LogWriter(store, NEXT, about).append([]) == first
    note = Note.parse(store.read("checkpoints/1"))
    assert note.signed_by(KEY.public)
    assert note.signed_by(NEXT.public)
    assert note.signed_at(WITNESSES[0].public) == 7
