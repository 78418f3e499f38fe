"""Keys that take each other's place: who has one of them verifies what the others signed."""

import json
import shutil
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import pytest

from pitledger.archive import statements
from pitledger.archive.leaves import Leaf, document_leaf
from pitledger.archive.log import About, LogWriter
from pitledger.archive.note import COSIGNATURE, Checkpoint, SecretKey
from services.cli.new_key import new_key
from services.storage.folder import Folder
from tests.verify.conftest import Golden, Outcome, run

ORIGIN = "casino.example/keys"
KEYS = [new_key(ORIGIN), new_key(ORIGIN), new_key("casino.example/next")]
FIRST, SECOND, THIRD = KEYS


@pytest.fixture
def rotated(tmp_path: Path) -> Golden:
    """Three checkpoints, each signed by the next key."""
    return archive_of(tmp_path / "archive", [FIRST, SECOND, THIRD])


def archive_of(home: Path, signers: Iterable[SecretKey]) -> Golden:
    before, about, number = None, About(ORIGIN, "test.journal", 48), 0
    for key in signers:
        leaves = [document_leaf("note", "text/plain", b"%d" % number)]
        if before is not None and key is not before:
            leaves.append(say(home, statements.rotate(ORIGIN, before, key)))
        LogWriter(Folder(home), key, about).append(leaves)
        before, number = key, number + 1
    return Golden(home, FIRST)


def say(home: Path, statement: bytes) -> Leaf:
    """Put a statement into an archive; it is sealed with what is appended next."""
    name = sha256(statement).hexdigest()
    (home / "keys").mkdir(exist_ok=True)
    (home / "keys" / name).write_bytes(statement)
    return document_leaf("key-statement", "text/plain", statement)


def judged(archive: Golden, key: SecretKey) -> Outcome:
    return run(str(archive.home), "--key", str(key.public))


@pytest.mark.parametrize("key", KEYS)
def test_either_key_verifies_what_was_signed_by_each(rotated: Golden, key: SecretKey) -> None:
    outcome = run(str(rotated.home), "--key", str(key.public), "--json")
    assert outcome.code == 0, outcome
    assert json.loads(outcome.out)["keys"] == 3


@pytest.mark.parametrize("key", KEYS)
def test_checkpoints_of_several_keys_are_compared(rotated: Golden, key: SecretKey) -> None:
    folder = rotated.home / "checkpoints"
    for old in (1, 3, 5):
        arguments = [str(folder / str(old)), str(folder / "5"), "--key", str(key.public)]
        assert run("consistency", *arguments).code == 0


def test_a_statement_that_is_damaged_is_named(rotated: Golden) -> None:
    for name in rotated.files("keys/"):
        data = rotated.read(name)
        for at in range(0, len(data), 3):
            changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
            with rotated.with_file(name, changed):
                outcome = judged(rotated, FIRST)
            assert outcome.code == 1
            assert f"{name}: has not the SHA-256" in outcome.line


def test_a_statement_that_is_missing_is_missed(rotated: Golden) -> None:
    """By who has the newest key it is named; with an older one nothing leads to the newest."""
    for name in rotated.files("keys/"):
        with rotated.with_file(name, None):
            outcome = judged(rotated, FIRST)
            assert outcome.code == 2
            assert "is not signed by this key" in outcome.line
    with rotated.with_file(rotated.files("keys/")[0], None):
        outcome = judged(rotated, THIRD)
    assert outcome.code in (1, 2)


def test_a_missing_statement_that_is_not_needed_is_named(tmp_path: Path) -> None:
    archive = archive_of(tmp_path / "archive", [FIRST])
    officer = new_key("casino.example/officer")
    leaf = say(archive.home, statements.packets(ORIGIN, FIRST, officer.public))
    LogWriter(Folder(archive.home), FIRST, About(ORIGIN, "test.journal", 48)).append([leaf])
    assert judged(archive, FIRST).code == 0
    name = archive.files("keys/")[0]
    with archive.with_file(name, None):
        outcome = judged(archive, FIRST)
    assert outcome.code == 1
    assert f"entry 1 (document 'key-statement'): {name}: is missing" in outcome.line


def test_a_rotation_that_not_both_signed_is_forged(rotated: Golden) -> None:
    thief = new_key(ORIGIN)
    good = statements.rotate(ORIGIN, THIRD, thief)
    text, _, below = good.decode().partition("\n\n")
    of_third, of_thief = below.splitlines()
    for lines in ([of_third], [of_thief], [thief.sign("x\n").strip()]):
        forged = "\n".join([text, "", *lines, ""]).encode()
        named(rotated, forged, "this rotation is not signed by its key")


def test_a_rotation_between_strangers_is_named(rotated: Golden) -> None:
    one, other = new_key(ORIGIN), new_key(ORIGIN)
    named(rotated, statements.rotate(ORIGIN, one, other), "no statement ties these keys")


def test_a_second_key_that_follows_one_is_named(rotated: Golden) -> None:
    thief = new_key(ORIGIN)
    forked = statements.rotate(ORIGIN, FIRST, thief)
    say(rotated.home, forked)
    outcome = judged(rotated, SECOND)
    assert outcome.code == 1
    assert "keys/" in outcome.line
    assert f"a second key follows {FIRST.public.handle}" in outcome.line


def test_an_old_key_alone_vouches_for_nothing_that_a_newer_one_is_asked_of(
    rotated: Golden, tmp_path: Path
) -> None:
    """A thief of the old key tells the log anew, and lays the rotations beside it."""
    archive = archive_of(tmp_path / "thief's", [FIRST])
    shutil.copytree(rotated.home / "keys", archive.home / "keys")
    assert judged(archive, FIRST).code == 0
    arguments = [str(archive.home / "checkpoints" / "1"), str(archive.home / "checkpoint")]
    for key in (SECOND, THIRD):
        outcome = judged(archive, key)
        compared = run("consistency", *arguments, "--key", str(key.public))
        for each in (outcome, compared):
            assert each.code == 2
            assert f"is not signed by this key of {key.public.handle}" in each.line
            assert f"but by {FIRST.public.handle}" in each.line


def test_keys_in_a_circle_are_named(rotated: Golden) -> None:
    say(rotated.home, statements.rotate(ORIGIN, THIRD, FIRST))
    for key in KEYS:
        outcome = judged(rotated, key)
        assert outcome.code == 1
        assert "keys: they take each other's place in a circle" in outcome.line


def test_a_statement_about_another_log_is_named(rotated: Golden) -> None:
    statement = statements.rotate("casino.example/other", THIRD, new_key(ORIGIN))
    named(rotated, statement, "is about a key of casino.example/other")


def test_leave_to_sign_packets_by_a_stranger_is_named(rotated: Golden) -> None:
    stranger = new_key(ORIGIN)
    named(rotated, statements.packets(ORIGIN, stranger, stranger.public), "by no key of this log")


@pytest.mark.parametrize("text", [
    "pitledger.key/v2\n{origin}\npackets\n{key}\n",
    "pitledger.key/v1\n{origin}\nlend\n{key}\n",
    "pitledger.key/v1\n{origin}\nrotate\n{key}\n",
    "pitledger.key/v1\n{origin}\npackets\n{key}\n{key}\n",
    "pitledger.key/v1\n{origin}\npackets\nno key\n",
    "pitledger.key/v1\n{origin}\npackets\n{witness}\n",
    "pitledger.key/v1\n\npackets\n{key}\n",
    "pitledger.key/v1\n",
])
def test_what_is_no_statement_is_named(rotated: Golden, text: str) -> None:
    witness = new_key("witness.example", COSIGNATURE)
    said = text.format(origin=ORIGIN, key=THIRD.public, witness=witness.public)
    named(rotated, f"{said}\n{THIRD.sign(said)}".encode(), "")


def test_a_key_does_not_sign_again_once_another_took_its_place(tmp_path: Path) -> None:
    archive = archive_of(tmp_path / "archive", [FIRST, SECOND, SECOND])
    newest = Checkpoint.parse(archive.read("checkpoints/4").decode())
    for key in ("checkpoint", "checkpoints/4"):
        (archive.home / key).write_bytes(newest.signed(FIRST))
    assert judged(archive, SECOND).code == 2
    outcome = judged(archive, FIRST)
    assert outcome.code == 1
    assert "checkpoints/4: is signed by a key whose place another had taken" in outcome.line


def test_a_checkpoint_that_both_keys_signed_is_good(tmp_path: Path) -> None:
    archive = archive_of(tmp_path / "archive", [FIRST, SECOND])
    note = archive.read("checkpoint")
    text = note[: note.index(b"\n\n") + 1].decode()
    (archive.home / "checkpoint").write_bytes(note + FIRST.sign(text).encode())
    assert judged(archive, FIRST).code == 0
    (archive.home / "checkpoint").write_bytes(note + FIRST.sign(text + "x").encode())
    assert judged(archive, SECOND).code == 1


def test_other_files_beside_the_statements_are_not_looked_at(rotated: Golden) -> None:
    with rotated.with_file("keys/README", b"x"):
        assert judged(rotated, FIRST).code == 0


def named(archive: Golden, statement: bytes, words: str) -> None:
    """Not good, and the statement's file is named."""
    name = f"keys/{sha256(statement).hexdigest()}"
    with archive.with_file(name, statement):
        outcome = judged(archive, FIRST)
    assert outcome.code == 1
    assert name in outcome.line
    assert words in outcome.line
