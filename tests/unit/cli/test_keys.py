"""Keys that follow one another, keys for packets, and witnesses: `pitledger keys`, `witness`."""

import json
import shutil

import pytest

from pitledger.archive import statements
from pitledger.archive.leaves import document_leaf
from pitledger.archive.log import About, LogWriter, newest
from pitledger.archive.note import Note, PublicKey, SecretKey
from pitledger.archive.statements import Statement, may_sign_packets, read_statements, successors
from services.archivist.folder import Folder


@pytest.fixture
def new_key(pitledger, tmp_path):
    """Make a key; its private file. The public one lies beside it."""

    def call(name, *options):
        path = tmp_path / f"{name}.key"
        assert pitledger("keys", "new", f"casino.example/{name}", "-o", path, *options).code == 0
        return path

    return call


@pytest.fixture
def floor(new_key):
    return new_key("floor")


@pytest.fixture
def home(pitledger, floor, journal, tmp_path):
    """An archive's folder."""
    into = tmp_path / "archive"
    assert pitledger("archive", "--from", journal, "-o", into, "--key", floor).code == 0
    return into


def public(path):
    return path.with_name(path.name + ".pub")


def read(path):
    return PublicKey.parse(public(path).read_text())


def test_another_key_signs_only_after_both_keys_said_so(
    pitledger, new_key, floor, home, journal
):
    following = new_key("floor-2")
    alone = pitledger("archive", "--from", journal, "-o", home, "--key", following,
                      "--origin", "casino.example/floor")
    assert alone.code == 2
    assert "casino.example/floor-2 is not the key that signs it" in alone.line

    assert pitledger("keys", "rotate", home, "--key", floor, "--to", following).code == 0
    rotated = pitledger("archive", "--from", journal, "-o", home, "--key", following,
                        "--origin", "casino.example/floor")
    assert rotated.code == 0
    old = pitledger("archive", "--from", journal, "-o", home, "--key", floor)
    assert old.code == 2
    assert successors(read_statements(Folder(home)), read(floor)) == [read(floor), read(following)]


def test_only_the_key_in_force_says_anything_of_keys(pitledger, new_key, floor, home):
    stranger, officer = new_key("stranger"), public(new_key("officer"))
    for words in (("rotate", home, "--key", stranger, "--to", new_key("other")),
                  ("authorise", home, "--key", stranger, "--packets", officer),
                  ("revoke", home, "--key", stranger, "--packets", officer)):
        said = pitledger("keys", *words)
        assert said.code == 2
        assert said.line.endswith("casino.example/stranger is not the key in force")
    assert not (home / "keys").exists()


def test_a_key_for_packets_is_authorised_and_taken_back_for_good(
    pitledger, new_key, floor, home
):
    officer = new_key("officer")
    store = Folder(home)

    def may():
        return may_sign_packets(read_statements(store), read(officer), [read(floor)])

    assert not may()
    of_officer = (home, "--key", floor, "--packets", public(officer))
    assert pitledger("keys", "authorise", *of_officer).code == 0
    assert may()
    listed = json.loads(pitledger("keys", "list", home, "--json").out)
    assert [each["about"] for each in listed] == ["packets"]
    assert pitledger("keys", "revoke", *of_officer).code == 0
    assert not may()


def test_a_statement_that_another_key_signed_counts_for_nothing(new_key):
    mine, other, officer = (SecretKey.new(name) for name in ("mine", "other", "officer"))
    forged = Statement.parse(statements.packets("origin", other, officer.public))
    assert not may_sign_packets([forged], officer.public, [mine.public])
    moved = Statement.parse(statements.rotate("origin", other, officer))
    assert successors([moved], mine.public) == [mine.public]
    half = statements.rotate("origin", mine, other).decode().splitlines(keepends=True)
    assert successors([Statement.parse("".join(half[:-1]).encode())], mine.public) == [mine.public]


@pytest.fixture
def witnessed(pitledger, new_key, floor, home, tmp_path):
    key = new_key("regulator", "--role", "witness")

    def call(at=home):
        return pitledger("witness", at, "--key", key, "--log-key", public(floor),
                         "--state", tmp_path / "seen")

    call.key = key
    return call


def test_a_witness_signs_what_continues_what_it_signed(witnessed, home, floor):
    first = witnessed()
    assert first.code == 0, first
    size = newest(Folder(home), "casino.example/floor").size
    note = Note.parse((home / "checkpoints" / str(size)).read_bytes())
    assert note.signed_at(read(witnessed.key)) > 0
    again = witnessed()
    assert f"continues the one of {size:,}" in again.out
    assert (home / "checkpoints" / str(size)).read_bytes().count(b"regulator") == 1


@pytest.mark.parametrize("how", ["told anew", "shortened"])
def test_a_witness_signs_no_log_that_is_not_what_it_was(
    pitledger, witnessed, home, floor, tmp_path, how
):
    key = SecretKey.parse(floor.read_text())
    about = About.parse((home / "log.json").read_bytes())
    assert witnessed().code == 0
    size = newest(Folder(home), about.origin).size
    shutil.rmtree(home)
    writer = LogWriter(Folder(home), key, about)
    count = size + 1 if how == "told anew" else 3
    writer.append([document_leaf("rules", "text/plain", b"%d" % i) for i in range(count)])
    said = witnessed()
    assert said.code == 1
    assert "FORK" in said.err
    assert b"regulator" not in (home / "checkpoints" / str(count)).read_bytes()


def test_a_witness_whose_memory_is_damaged_signs_nothing(witnessed, tmp_path, home):
    assert witnessed().code == 0
    (tmp_path / "seen").write_text("nothing")
    said = witnessed()
    assert said.code == 2
    assert "it is the witness's memory" in said.line
