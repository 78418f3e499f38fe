"""Signed notes, keys and checkpoints."""

import base64
from hashlib import sha256

import pytest

from pitledger.archive.note import COSIGNATURE, BadNote, Checkpoint, Note, PublicKey, SecretKey
from services.cli.new_key import new_key

ROOT = base64.b64encode(bytes(32)).decode()

# The example of Go's golang.org/x/mod/sumdb/note.
GO_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6"
    "KE6RyyBwJnAM=\n"
)


def test_a_note_that_go_signed_is_good_and_another_text_is_not():
    key = PublicKey.parse(GO_KEY)
    assert str(key) == GO_KEY
    assert Note.parse(GO_NOTE.encode()).signed_by(key)
    assert not Note.parse(GO_NOTE.replace("answer", "Answer").encode()).signed_by(key)


def test_what_go_signs_is_signed_here_by_the_same_bytes():
    text, _, signature = GO_NOTE.rpartition("\n\n")
    assert SecretKey.parse(GO_SECRET).sign(text + "\n") == signature


def test_a_checkpoint_is_signed_and_read_again():
    key = new_key("casino.example/floor")
    checkpoint = Checkpoint("casino.example/floor", 612, bytes(range(32)))
    note = Note.parse(checkpoint.signed(key))
    assert note.signed_by(key.public)
    assert Checkpoint.parse(note.text) == checkpoint
    assert checkpoint.signed(SecretKey.parse(key.text())) == checkpoint.signed(key)


def test_a_witness_adds_the_time_at_which_it_signed():
    log, witness = new_key("log"), new_key("witness", COSIGNATURE)
    signed = Checkpoint("log", 1, bytes(32)).signed(log).decode()
    text = Note.parse(signed.encode()).text
    note = Note.parse((signed + witness.sign(text, 1_700_000_000)).encode())
    assert note.signed_by(log.public)
    assert note.signed_at(witness.public) == 1_700_000_000
    mark, name, data = witness.sign(text, 1_700_000_000).split(" ")
    raw = bytearray(base64.b64decode(data))
    raw[4 + 7] += 1  # a second later
    later = f"{signed}{mark} {name} {base64.b64encode(raw).decode()}\n"
    assert Note.parse(later.encode()).signed_at(witness.public) is None


def test_a_key_of_the_same_name_is_another_key():
    note = Note.parse(Checkpoint("a", 1, bytes(32)).signed(new_key("log")))
    assert not note.signed_by(new_key("log").public)


def test_a_private_key_does_not_show_itself():
    key = new_key("log")
    assert key.text().rpartition("+")[2] not in repr(key)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "a\u2003b"])
def test_a_name_that_no_note_can_bear_is_refused(name):
    with pytest.raises(BadNote, match="name of a key"):
        new_key(name)


@pytest.mark.parametrize(
    "text",
    ["", "x", GO_KEY[:-1], GO_KEY.replace("c74f20a3", "c74f20a4"), GO_KEY.replace("ARpc", "AhpC")],
)
def test_what_is_no_public_key_is_refused_in_one_line(text):
    with pytest.raises(BadNote) as problem:
        PublicKey.parse(text)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\xff\n\n", b"text\n", b"text\n\nno signature\n", b"text\n\n\xe2\x80\x94 name !!\n",
        GO_NOTE.encode()[:-1], GO_NOTE.encode() + b"\n",
    ],
)  # fmt: skip
def test_what_is_no_note_is_refused_in_one_line(data):
    with pytest.raises(BadNote) as problem:
        Note.parse(data)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\n1\n",
        "a\n-1\nAA==\n",
        "a\n01\nAA==\n",
        "\n1\nAA==\n",
        "a\n1\nAA==\n",
        "a\n١\nAA==\n",
        "a\n²\nAA==\n",
        f"a\n{'1' * 20}\n{ROOT}\n",
        f"a\n{'1' * 5000}\n{ROOT}\n",
    ],
)
def test_what_is_no_checkpoint_is_refused(text):
    with pytest.raises(BadNote):
        Checkpoint.parse(text)


SMALL_ORDER = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]


@pytest.mark.parametrize("point", SMALL_ORDER)
def test_a_key_that_anybody_can_sign_for_is_refused(point):
    """Whoever hands it out could disown what is under it."""
    data = b"\1" + bytes.fromhex(point)
    hash_ = sha256(b"casino.example/floor\n" + data).hexdigest()[:8]
    text = f"casino.example/floor+{hash_}+{base64.b64encode(data).decode()}"
    with pytest.raises(BadNote, match="anybody can sign for"):
        PublicKey.parse(text)
