"""Keys that follow one another, keys for packets, and witnesses: `pitledger keys`, `witness`."""

import json
import shutil

import pytest

from pitledger.archive import statements
from pitledger.archive.leaves import document_leaf
from pitledger.archive.log import About, LogWriter, newest
from pitledger.archive.log_keys import read_keys
from pitledger.archive.note import Note, PublicKey, SecretKey
from services.cli.new_key import new_key as drawn_key
from services.storage.folder import Folder


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
    alone = pitledger("archive", "--from", journal, "-o", home, "--key", following)
    assert alone.code == 2
    assert f"{read(following).handle} is not the key that signs it" in alone.line

    assert pitledger("keys", "rotate", home, "--key", floor, "--to", following).code == 0
    other = pitledger("archive", "--from", journal, "-o", home, "--key", following,
                      "--origin", "casino.example/floor-2")
    assert "this is the archive of casino.example/floor," in other.line
    rotated = pitledger("archive", "--from", journal, "-o", home, "--key", following)
    assert rotated.code == 0, rotated
    for key in (floor, following):
        assert pitledger("verify", home, "--key", public(key)).code == 0
    old = pitledger("archive", "--from", journal, "-o", home, "--key", floor)
    assert old.code == 2
    assert "signs no more: casino.example/floor-2+" in old.line
    assert read_keys(Folder(home), read(floor)).line == (read(floor), read(following))


def test_only_the_key_in_force_says_anything_of_keys(pitledger, new_key, floor, home):
    stranger, officer = new_key("stranger"), public(new_key("officer"))
    for words in (("rotate", home, "--key", stranger, "--to", new_key("other")),
                  ("authorise", home, "--key", stranger, "--packets", officer),
                  ("revoke", home, "--key", stranger, "--packets", officer)):
        said = pitledger("keys", *words)
        assert said.code == 2
        assert f"{read(stranger).handle} is not the key that signs it" in said.line
    assert not (home / "keys").exists()


def test_a_key_for_packets_is_authorised_and_taken_back_for_good(
    pitledger, new_key, floor, home
):
    officer = new_key("officer")
    store = Folder(home)

    def may():
        return read_keys(store, read(floor)).let_sign_packets(read(officer))

    assert not may()
    of_officer = (home, "--key", floor, "--packets", public(officer))
    assert pitledger("keys", "authorise", *of_officer).code == 0
    assert may()
    listed = json.loads(pitledger("keys", "list", home, "--json").out)
    assert [each["about"] for each in listed] == ["packets"]
    assert pitledger("keys", "revoke", *of_officer).code == 0
    assert not may()
    again = pitledger("keys", "authorise", *of_officer)
    assert "was taken back for good; authorise another key" in again.line
    another = new_key("officer-2")
    assert pitledger("keys", "authorise", *of_officer[:-1], public(another)).code == 0
    assert read_keys(store, read(floor)).let_sign_packets(read(another))


def test_a_key_does_not_take_its_old_place_again(pitledger, new_key, floor, home):
    following = new_key("floor-2")
    assert pitledger("keys", "rotate", home, "--key", floor, "--to", following).code == 0
    back = pitledger("keys", "rotate", home, "--key", following, "--to", floor)
    assert back.code == 2
    assert "in a circle" in back.line
    assert len(list((home / "keys").iterdir())) == 1


@pytest.fixture
def all_who_read_keys(pitledger, new_key, floor, home, journal, tmp_path):
    """Commands that believe an archive's statements about keys: each is given its public key, or
    signs with that or an officer's."""
    officer, witness = new_key("disputes"), new_key("regulator", "--role", "witness")
    before = pitledger("keys", "authorise", home, "--key", floor, "--packets", public(officer))
    assert before.code == 0
    round_ = json.loads(pitledger("rounds", "--from", home, "--json").out)["rounds"][0]["round_id"]
    return [
        ("archive", "--from", journal, "-o", home, "--key", floor),
        ("keys", "authorise", home, "--key", floor, "--packets", public(new_key("other"))),
        ("mirror", home, tmp_path / "mirror", "--key", public(floor)),
        ("witness", home, "--key", witness, "--log-key", public(floor),
         "--state", tmp_path / "seen"),
        ("packet", round_, "--from", home, "--key", officer, "--log-key", public(floor),
         "-o", tmp_path / "packet.zip"),
        ("verify", home, "--key", public(floor)),
    ]


@pytest.mark.parametrize(("name", "words"), [
    ("a sibling", "a second key follows casino.example/floor+"),
    ("another archive's", "is about a key of casino.example/other"),
    ("a stranger's", "keys/"),
    ("forged", "this rotation is not signed by"),
])
def test_whoever_reads_keys_refuses_what_a_thief_says_of_them_and_nothing_is_sealed_or_signed(
    pitledger, all_who_read_keys, floor, home, tmp_path, name, words
):
    key, thief = (SecretKey.parse(floor.read_text()), drawn_key("casino.example/floor"))
    following, origin = drawn_key("casino.example/floor"), "casino.example/floor"
    said = {
        "a sibling": [statements.rotate(origin, key, following),
                      statements.rotate(origin, key, thief)],
        "another archive's": [statements.rotate("casino.example/other", key, thief)],
        "a stranger's": [statements.packets(origin, thief, thief.public)],
        "forged": [b"".join(statements.rotate(origin, key, thief).splitlines(keepends=True)[:-1])],
    }[name]
    store = Folder(home)
    for statement in said:
        statements.put(store, statement)
    sealed = (home / "checkpoint").read_bytes()

    for command in all_who_read_keys:
        told = pitledger(*command)
        assert told.code in (1, 2), command
        assert words in told.out + told.err, command
        assert (told.out + told.err).count("\n") == 1, command
    assert (home / "checkpoint").read_bytes() == sealed
    assert not (tmp_path / "packet.zip").exists()
    assert not (tmp_path / "seen").exists()


def test_an_old_key_alone_vouches_for_no_archive_that_a_newer_key_is_asked_of(
    pitledger, new_key, floor, home, journal, tmp_path
):
    """Else a thief of the old key tells the log anew, and lays the rotation beside it."""
    following, witness = new_key("floor-2"), new_key("regulator", "--role", "witness")
    assert pitledger("keys", "rotate", home, "--key", floor, "--to", following).code == 0
    asked = [
        ("mirror", home, tmp_path / "mirror", "--key", public(following)),
        ("witness", home, "--key", witness, "--log-key", public(following),
         "--state", tmp_path / "seen"),
        ("verify", home, "--key", public(following)),
    ]
    for command in asked:
        told = pitledger(*command)
        assert told.code in (1, 2), command
        assert "is not signed by" in told.err + told.out
        assert f"but by {read(floor).handle}" in told.err + told.out
    assert pitledger("archive", "--from", journal, "-o", home, "--key", following).code == 0
    for command in asked:
        assert pitledger(*command).code == 0, command


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
    assert said.err.startswith("pitledger: ")
    assert "FORK" in said.err
    assert b"regulator" not in (home / "checkpoints" / str(count)).read_bytes()


def test_a_key_that_is_of_another_role_is_told_how_to_be_made(pitledger, home, floor, tmp_path):
    said = pitledger("witness", home, "--key", floor, "--log-key", public(floor),
                     "--state", tmp_path / "seen")
    assert said.line == (
        f"{floor}: is the key of a log; make a witness's with"
        " `pitledger keys new NAME --role witness`"
    )


def test_a_witness_whose_memory_is_damaged_signs_nothing(witnessed, tmp_path, home):
    assert witnessed().code == 0
    (tmp_path / "seen").write_text("nothing")
    said = witnessed()
    assert said.code == 2
    assert "it is the witness's memory" in said.line
