"""Signed notes, by the example of golang.org/x/mod/sumdb/note and by what must not pass."""

import base64
from hashlib import sha256

import pytest

from pitledger.archive.note import COSIGNATURE
from services.cli.new_key import new_key
from services.verify.note import BadNote, Checkpoint, Key, Note

NEUMANN = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
NOTE = (
    f"{TEXT}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZS"
    "NXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
ROOT = "zOERz4uoZxhzWcgmdE0vj6BwSpXZDGcDY91WmW+vpvs="


def test_the_example_of_the_go_library_is_signed_by_its_key() -> None:
    note = Note.parse(NOTE.encode())
    assert note.text == TEXT
    assert note.is_signed_by(Key.parse(NEUMANN))


def test_a_note_is_signed_as_it_is_and_not_otherwise() -> None:
    note = Note.parse(NOTE.replace("answer", "Answer").encode())
    assert not note.is_signed_by(Key.parse(NEUMANN))


def test_another_key_of_the_same_name_has_not_signed() -> None:
    other = Key.parse(str(new_key("PeterNeumann").public))
    assert not Note.parse(NOTE.encode()).is_signed_by(other)


def test_a_key_signs_a_note_once() -> None:
    good = NOTE.splitlines()[-1]
    for again in (good, good.replace("JnAM=", "JnAI=")):
        with pytest.raises(BadNote, match="one key signs it twice"):
            Note.parse(f"{NOTE}{again}\n".encode())


def test_a_witness_signs_the_time_with_the_text() -> None:
    secret = new_key("witness.example", COSIGNATURE)
    line = secret.sign(TEXT, at_s=1_800_000_000)
    key = Key.parse(str(secret.public))
    assert Note.parse(f"{TEXT}\n{line}".encode()).is_signed_by(key)
    other = secret.sign(TEXT + "more\n", at_s=1_800_000_000)
    assert not Note.parse(f"{TEXT}\n{other}".encode()).is_signed_by(key)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        TEXT.encode(),
        f"{TEXT}\n".encode(),
        NOTE[:-1].encode(),
        NOTE.encode()[:-1] + b"\xff",
        NOTE.replace("— ", "- ").encode(),
        NOTE.replace("PeterNeumann x", "Peter+Neumann x").encode(),
        NOTE.replace("think", "th\tink").encode(),
        NOTE.replace("JnAM=", "JnAN=").encode(),
        NOTE.replace("x08go/", "x08go/=").encode(),
        f"{TEXT}\n— PeterNeumann x08=\n".encode(),
        (NOTE + f"{NOTE.splitlines()[-1]}\n" * 100).encode(),
    ],
)
def test_what_is_no_signed_note_is_told_so(data: bytes) -> None:
    with pytest.raises(BadNote):
        Note.parse(data)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PeterNeumann",
        NEUMANN.replace("c74f20a3", "c74f20a4"),
        NEUMANN.replace("PeterNeumann", "PeterNeuman"),
        NEUMANN.replace("PeterNeumann", "Peter Neumann"),
        NEUMANN[:-1],
        NEUMANN.replace("+ARpc", "+AhpC"),
        "x" + NEUMANN[12:],
        "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz",
    ],
)
def test_what_is_no_public_key_is_told_so(text: str) -> None:
    with pytest.raises(BadNote):
        Key.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "origin\n",
        f"\n1\n{ROOT}\n",
        f"origin\n01\n{ROOT}\n",
        f"origin\n-1\n{ROOT}\n",
        f"origin\n+1\n{ROOT}\n",
        f"origin\n١\n{ROOT}\n",
        f"origin\n{'9' * 30}\n{ROOT}\n",
        f"origin\n1\n{ROOT[:-4]}\n",
        f"origin\n1\n{ROOT.replace('s=', 't=')}\n",
        f"origin\n1\n{ROOT} \n",
    ],
)
def test_what_is_no_checkpoint_is_told_so(text: str) -> None:
    signed = f"{text}\n{NOTE.splitlines()[-1]}\n"
    with pytest.raises(BadNote):
        Checkpoint.parse(signed.encode())


def test_a_checkpoint_may_have_further_lines() -> None:
    data = f"origin\n7\n{ROOT}\nan extension\n\n{NOTE.splitlines()[-1]}\n"
    checkpoint = Checkpoint.parse(data.encode())
    assert (checkpoint.origin, checkpoint.size, len(checkpoint.root)) == ("origin", 7, 32)


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
def test_a_key_that_anybody_can_sign_for_is_refused(point: str) -> None:
    """Whoever hands it out could disown what is under it."""
    data = b"\1" + bytes.fromhex(point)
    hash_ = sha256(b"casino.example/floor\n" + data).hexdigest()[:8]
    text = f"casino.example/floor+{hash_}+{base64.b64encode(data).decode()}"
    with pytest.raises(BadNote, match="anybody can sign for"):
        Key.parse(text)
