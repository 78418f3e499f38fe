"""`pitledger packet`, from an archive to a zip that `pitledger-verify` takes."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from hashlib import sha256

import pytest
from zstandard import ZstdCompressor

from pitledger.archive import statements
from pitledger.archive.deletions import Deletion
from pitledger.archive.log import About, LogWriter
from pitledger.archive.note import SecretKey
from pitledger.processors import evaluation
from pitledger.sources.file import write_file
from services.cli.new_key import new_key
from services.storage.folder import Folder
from tests.kit.house import House
from tests.kit.other_build import falsify
from tests.kit.table import SAIGON, Table
from tests.packet.conftest import call
from tests.verify.conftest import run as verify

ORIGIN = "casino.example/floor"


def files_of(path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.fixture
def packet(pitledger, archive, tmp_path):
    """Make a packet of a round; by default of the first, with the archive's key."""

    def make(name=archive.rounds[0], *more, key=archive.key, output=tmp_path / "packet.zip"):
        return pitledger("packet", name, "--from", archive.home, "--key", key, "-o", output, *more)

    return make


@pytest.mark.parametrize("number", range(8))
def test_a_packet_verifies_by_its_file_and_the_public_key_alone(packet, archive, tmp_path, number):
    made = packet(archive.rounds[number])
    shutil.rmtree(archive.home)

    found = verify(str(tmp_path / "packet.zip"), "--key", archive.public.read_text().strip())

    assert (made.code, made.err) == (0, "")
    assert "replay: identical" in made.out
    assert found.code == 0, found.err + found.out


def test_a_packet_has_what_was_agreed(packet, tmp_path):
    packet()
    files = files_of(tmp_path / "packet.zip")
    listing = json.loads(files["packet.json"])

    assert list(files)[:3] == ["README.txt", "account.html", "account.pdf"]
    assert list(files)[-2:] == ["packet.json", "packet.sig"]
    assert listing["files"].keys() == files.keys() - {"packet.json", "packet.sig"}
    for what in ("round", "schema", "rules", "log"):
        assert {f"evidence/{what}.{end}" for end in ("entry", "bytes", "proof")} <= files.keys()
    assert files["evidence/round.proof"].startswith(b"c2sp.org/tlog-proof@v1\nindex ")


def test_the_same_moment_gives_the_same_bytes(packet, tmp_path, monkeypatch):
    monkeypatch.setattr("time.time_ns", lambda: 1_800_000_000_123_456_000)
    packet(output=tmp_path / "one.zip")
    packet(output=tmp_path / "two.zip")

    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_the_key_may_come_from_the_environment(pitledger, archive, tmp_path, monkeypatch):
    monkeypatch.setenv("PITLEDGER_PACKET_KEY", str(archive.key))

    made = pitledger(
        "packet", archive.rounds[0], "--from", archive.home, "-o", tmp_path / "packet.zip", "--json"
    )

    assert json.loads(made.out)["identical"] is True


def test_what_had_no_effect_on_the_round_is_told(packet, archive, tmp_path):
    """The simulation's faults: each round of the archive is asked, and some have repeats."""
    told = 0
    for number, name in enumerate(archive.rounds):
        output = tmp_path / f"{number}.zip"
        packet(name, output=output)
        told += b"Without effect on this round" in files_of(output)["account.html"]

    assert told > 3


def test_without_any_key_one_line_says_how_to_name_one(pitledger, archive, tmp_path, monkeypatch):
    monkeypatch.delenv("PITLEDGER_PACKET_KEY", raising=False)
    arguments = ("packet", archive.rounds[0], "--from", archive.home, "-o", tmp_path / "packet.zip")

    assert "--key FILE, or PITLEDGER_PACKET_KEY" in refused(pitledger(*arguments), tmp_path)
    monkeypatch.setenv("PITLEDGER_PACKET_KEY", str(tmp_path / "nothing"))
    assert "there is no such file" in refused(pitledger(*arguments), tmp_path)


# ---- Bad input: one line, exit 2, nothing written ------------------------------------------------


def refused(made, tmp_path) -> str:
    assert made.out == ""
    left = [p.name for p in tmp_path.iterdir() if p.name.startswith("packet.zip")]
    assert left == []
    return made.line


@pytest.mark.parametrize("name", ["nowhere/1", "01234567", "x", "saigon-001/none", "a/b/c"])
def test_a_round_that_is_not_there_is_refused(packet, tmp_path, name):
    assert name in refused(packet(name), tmp_path)


def test_a_round_that_is_still_open_is_refused_with_what_to_ask(packet, archive, tmp_path):
    line = refused(packet(archive.open), tmp_path)

    assert "sealed later" in line
    assert "doctor says what waits" in line


@pytest.mark.parametrize("cls", ["tile/0", "tile/entries", "leaf", "log.json", "checkpoint"])
@pytest.mark.parametrize("damage", ["missing", "cut", "changed"])
def test_a_damaged_archive_is_refused_or_its_packet_is_good(
    packet, archive, tmp_path, cls, damage
):
    """Of each file of a class in turn: what the packet does not need may be damaged."""
    packet(output=tmp_path / "good.zip")  # the index is there now, and whole
    refusals = 0
    paths = [p for p in sorted(archive.home.rglob("*")) if p.is_file()
             and p.relative_to(archive.home).as_posix().startswith(cls)]
    for path in paths[:25]:
        before = path.read_bytes()
        if damage == "missing":
            path.unlink()
        else:
            half = len(before) // 2
            middle = bytes([before[half] ^ 1])
            path.write_bytes(
                before[:half] if damage == "cut" else before[:half] + middle + before[half + 1 :]
            )
        made = packet(output=tmp_path / "packet.zip")
        path.write_bytes(before)
        if made.code == 2:
            refusals += 1
            refused(made, tmp_path)
        else:
            (tmp_path / "packet.zip").unlink()
    # Few of the leaves are this round's, and the byte in the middle is of another entry.
    assert refusals or cls == "leaf" or (cls, damage) == ("tile/entries", "changed")


def test_the_rounds_own_leaf_changed_is_refused(packet, archive, tmp_path):
    packet(output=tmp_path / "good.zip")
    digest = json.loads(files_of(tmp_path / "good.zip")["packet.json"])["files"]
    name = digest["evidence/round.bytes"]
    leaf = archive.home / "leaf" / name[:2] / f"{name}.zst"
    other = next(p for p in sorted(archive.home.glob("leaf/*/*")) if p != leaf)
    leaf.write_bytes(other.read_bytes())

    assert f"leaf/{name[:2]}" in refused(packet(), tmp_path)


def test_the_rounds_own_leaf_with_other_bytes_of_its_length_is_refused(packet, archive, tmp_path):
    packet(output=tmp_path / "good.zip")
    data = bytearray(files_of(tmp_path / "good.zip")["evidence/round.bytes"])
    name = sha256(data).hexdigest()
    data[-1] ^= 1
    packed = ZstdCompressor().compress(bytes(data))
    (archive.home / "leaf" / name[:2] / f"{name}.zst").write_bytes(packed)

    assert "has not the SHA-256 that names it" in refused(packet(), tmp_path)


def test_a_round_whose_transcript_was_deleted_is_refused_with_who_did_it(
    packet, archive, tmp_path
):
    packet(output=tmp_path / "good.zip")
    files = files_of(tmp_path / "good.zip")
    entry = int(files["evidence/round.proof"].split(b"\n")[1].removeprefix(b"index "))
    name = sha256(files["evidence/round.bytes"]).hexdigest()
    about = About.parse((archive.home / "log.json").read_bytes())
    deletion = Deletion("2037-01-01T00:00:00Z", "clerk-1", "ten years", "10y", ((entry, entry),))
    writer = LogWriter(Folder(archive.home), own_key(archive), about)
    writer.append([deletion.leaf()])
    (archive.home / "leaf" / name[:2] / f"{name}.zst").unlink()

    line = refused(packet(), tmp_path)

    assert "was deleted at 2037-01-01T00:00:00Z by clerk-1: ten years" in line


def test_another_archives_key_is_refused(packet, tmp_path):
    key = new_key(ORIGIN)
    (tmp_path / "other").write_text(key.text())

    assert "is not the archive's key" in refused(packet(key=tmp_path / "other"), tmp_path)


def test_a_witness_key_and_what_is_no_key_are_refused(packet, tmp_path):
    (tmp_path / "witness").write_text(new_key("w", b"\x04").text())
    (tmp_path / "none").write_text("hello")

    assert "witness" in refused(packet(key=tmp_path / "witness"), tmp_path)
    assert "private key" in refused(packet(key=tmp_path / "none"), tmp_path)
    assert "No such file" in refused(packet(key=tmp_path / "missing"), tmp_path)


def test_a_file_that_is_there_is_kept_unless_it_is_forced(packet, tmp_path):
    output = tmp_path / "packet.zip"
    output.write_bytes(b"mine")

    assert "is there already" in packet().line
    assert output.read_bytes() == b"mine"


def test_force_writes_over_a_file(packet, archive, tmp_path):
    output = tmp_path / "packet.zip"
    output.write_bytes(b"mine")

    assert packet(archive.rounds[0], "--force").code == 0
    assert zipfile.is_zipfile(output)


def test_force_writes_over_a_file_alone(packet, archive, tmp_path):
    """And over no key; the names that nobody gave are nobody's else."""
    beside = tmp_path / "packet.zip.new"
    beside.write_bytes(b"mine")
    (tmp_path / "pipe").symlink_to("real")
    os.mkfifo(tmp_path / "real")
    key = archive.key.read_bytes()
    for output, words in (
        (tmp_path, "is a folder"),
        (".", "is a folder"),
        ("", "is a folder"),
        ("/", "is a folder"),
        (tmp_path / "real", "is no file"),
        (tmp_path / "pipe", "is no file"),
        ("/dev/null", "is no file"),
        (archive.key, "is a key"),
        (tmp_path / "packet.zip" / "x" / "y", "No such file"),
        (tmp_path / ("x" * 300), "File name too long"),
    ):
        made = packet(archive.rounds[0], "--force", output=output)
        assert (made.code, words in made.line) == (2, True), made
    assert archive.key.read_bytes() == key
    assert packet().code == 0
    assert beside.read_bytes() == b"mine"
    assert sorted(path.name for path in tmp_path.iterdir() if "partial" in path.name) == []


def test_a_place_where_nobody_can_write_is_refused(packet, tmp_path):
    made = packet(output=tmp_path / "none" / "packet.zip")

    assert "No such file or directory" in made.line


def test_what_is_no_archive_is_refused(pitledger, archive, tmp_path):
    for source in (tmp_path / "nothing", tmp_path):
        made = pitledger("packet", "t/1", "--from", source, "--key", archive.key,
                         "-o", tmp_path / "packet.zip")
        refused(made, tmp_path)


# ---- Keys of officers ----------------------------------------------------------------------------


@pytest.fixture
def officer(tmp_path) -> tuple[SecretKey, object]:
    key = new_key("casino.example/disputes")
    (tmp_path / "officer").write_text(key.text())
    return key, tmp_path / "officer"


def own_key(archive) -> SecretKey:
    return SecretKey.parse(archive.key.read_text())


def test_an_authorised_officers_packet_verifies_with_the_archives_key(
    packet, archive, officer, tmp_path
):
    said = statements.packets(ORIGIN, own_key(archive), officer[0].public)
    statements.put(Folder(archive.home), said)

    made = packet(archive.rounds[1], "--log-key", archive.public, key=officer[1])
    found = verify(str(tmp_path / "packet.zip"), "--key", archive.public.read_text().strip())

    assert (made.code, made.err) == (0, "")
    assert found.code == 0, found.err + found.out
    assert any(name.startswith("evidence/keys/") for name in files_of(tmp_path / "packet.zip"))


def test_an_officer_needs_the_archives_key_and_its_word(packet, archive, officer, tmp_path):
    line = refused(packet(key=officer[1]), tmp_path)
    assert "--log-key" in line

    line = refused(packet(archive.rounds[0], "--log-key", archive.public, key=officer[1]), tmp_path)
    assert "may not sign packets" in line


def test_a_revoked_officer_is_refused(packet, archive, officer, tmp_path):
    store, key = Folder(archive.home), own_key(archive)
    statements.put(store, statements.packets(ORIGIN, key, officer[0].public))
    statements.put(store, statements.revoke_packets(ORIGIN, key, officer[0].public))

    line = refused(packet(archive.rounds[0], "--log-key", archive.public, key=officer[1]), tmp_path)

    assert "may not sign packets" in line


def test_a_key_that_another_came_after_is_refused_and_its_successor_is_not(
    packet, archive, tmp_path
):
    new = new_key(ORIGIN)
    (tmp_path / "new").write_text(new.text())
    statements.put(Folder(archive.home), statements.rotate(ORIGIN, own_key(archive), new))

    assert "signs no more" in refused(packet(), tmp_path)
    assert packet(key=tmp_path / "new").code == 0
    for public in (archive.public.read_text().strip(), str(new.public)):
        assert verify(str(tmp_path / "packet.zip"), "--key", public).code == 0


def test_whom_a_key_let_sign_its_successor_lets_sign_anew_and_seals_before(
    packet, archive, officer, tmp_path
):
    key, new, store = own_key(archive), new_key(ORIGIN), Folder(archive.home)
    statements.put(store, statements.packets(ORIGIN, key, officer[0].public))
    statements.put(store, statements.rotate(ORIGIN, key, new))

    def made():
        return packet(archive.rounds[0], "--log-key", archive.public, key=officer[1])

    assert f"may not sign packets of {ORIGIN}" in refused(made(), tmp_path)
    statements.put(store, statements.packets(ORIGIN, new, officer[0].public))
    assert f"{new.public.handle} has signed no checkpoint yet" in refused(made(), tmp_path)
    about = About.parse((archive.home / "log.json").read_bytes())
    LogWriter(store, new, about).append([])
    assert made().code == 0
    for public in (archive.public.read_text().strip(), str(new.public)):
        assert verify(str(tmp_path / "packet.zip"), "--key", public).code == 0


# ---- A round that this build judges otherwise ----------------------------------------------------


def test_a_packet_of_a_round_that_is_judged_otherwise_says_so_and_verifies(
    pitledger, tmp_path, monkeypatch
):
    true = evaluation.hands_evaluated

    def otherwise(*arguments):
        judged = true(*arguments)
        falsify(judged)
        return judged

    key = new_key(ORIGIN)
    (tmp_path / "key").write_text(key.text())
    with monkeypatch.context() as patch:
        patch.setattr(evaluation, "hands_evaluated", otherwise)
        table = Table(SAIGON).play()
        write_file(tmp_path / "journal", House(table).run().log.all())
        call("archive", "--from", tmp_path / "journal", "--partitions", 4,
             "-o", tmp_path / "archive", "--key", tmp_path / "key")

    made = pitledger("packet", "T1/1", "--from", tmp_path / "archive", "--key", tmp_path / "key",
                     "-o", tmp_path / "packet.zip")

    assert made.code == 1
    assert "NOT as its facts derive" in made.out
    page = files_of(tmp_path / "packet.zip")["account.html"].decode()
    assert page.index("This record is not what its facts derive") < page.index("Settlement")
    assert verify(str(tmp_path / "packet.zip"), "--key", str(key.public)).code == 0


# ---- README.txt: by hand -------------------------------------------------------------------------


def test_what_the_readme_says_to_type_verifies_the_packet(packet, archive, tmp_path):
    """The commands of README.txt as they are typed; protoc is that of grpcio-tools."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is missing")
    packet()
    home = tmp_path / "unpacked"
    with zipfile.ZipFile(tmp_path / "packet.zip") as packed:
        packed.extractall(home)
    (home / "key.pub").write_text(archive.public.read_text())
    protoc = tmp_path / "protoc"
    protoc.write_text(f'#!/bin/sh\nexec {sys.executable} -m grpc_tools.protoc "$@"\n')
    protoc.chmod(0o755)
    files = files_of(tmp_path / "packet.zip")
    readme = files["README.txt"].decode()
    typed = "\n".join(line for line in readme.splitlines() if line.startswith("     "))

    done = subprocess.run(
        ["sh", "-e", "-c", typed], cwd=home, capture_output=True, text=True, timeout=120,
        check=False, env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )

    assert done.returncode == 0, done.stderr
    assert "Signature Verified Successfully" in done.stdout
    for name, digest in json.loads(files["packet.json"])["files"].items():
        assert f"{digest}  {name}" in done.stdout
    assert 'table_id: "' in done.stdout  # of the entry
    assert 'name: "default"' in done.stdout  # of the rules
