"""The command line: what it prints, two checkpoints, witnesses, and input that is none."""

import errno
import json
import os
import pkgutil
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pitledger
import services
from pitledger.archive.note import COSIGNATURE, Checkpoint
from services.cli.new_key import new_key
from services.verify import program
from tests.verify.conftest import STEPS, Golden, Outcome, run


def sizes(archive: Golden) -> list[int]:
    return sorted(int(key.split("/")[1]) for key in archive.files("checkpoints/"))


def consistency(archive: Golden, old: object, new: object, *options: str) -> Outcome:
    return run("consistency", str(old), str(new), "--key", archive.public, *options)


def handle(public: str) -> str:
    return "+".join(public.split("+")[:2])


def bad_input(outcome: Outcome, *words: str) -> None:
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    assert outcome.line.startswith("pitledger-verify: ")
    for word in words:
        assert word in outcome.line


def test_a_good_archive_is_told_in_figures(golden: Golden) -> None:
    found = json.loads(golden.verify("--json").out)
    assert found["good"] is True
    assert found["origin"] == golden.key.name
    assert found["size"] == sizes(golden)[-1]
    assert found["size"] == found["rounds"] + found["remainders"] + found["documents"]
    assert found["rounds"] == 30
    assert found["records"] == found["offsets"]
    assert found["checkpoints"] == STEPS


def test_files_that_no_entry_names_are_mentioned_and_judge_nothing(golden: Golden) -> None:
    assert json.loads(golden.verify("--json").out)["unnamed_files"] == 0
    assert "unnamed" not in golden.verify().out
    leaf = golden.files("leaf/")[0]
    for more in ("leaf/extra", "leaf/00/extra", f"{leaf}.new", f"leaf/00/{'00' * 32}.zst"):
        with golden.with_file(more, b"?"):
            outcome = golden.verify()
            assert outcome.code == 0
            assert f"1 under leaf/, such as {more}: no entry here names" in outcome.out
            assert json.loads(golden.verify("--json").out)["unnamed_files"] == 1


def test_the_key_may_lie_in_a_file(golden: Golden, tmp_path: Path) -> None:
    (tmp_path / "key.pub").write_text(f"{golden.public}\n")
    assert run(str(golden.home), "--key", str(tmp_path / "key.pub")).code == 0


def test_what_is_wrong_is_told_in_json_as_well(golden: Golden) -> None:
    with golden.with_file(golden.files("leaf/")[0], None):
        outcome = golden.verify("--json")
    assert outcome.code == 1
    found = json.loads(outcome.line)
    assert found["good"] is False
    assert "is missing" in found["problem"]


def test_of_an_archive_whose_writer_was_killed_before_it_signed_anything_there_is_no_verdict(
    golden: Golden, tmp_path: Path
) -> None:
    home = tmp_path / "archive"
    shutil.copytree(golden.home, home)
    (home / "checkpoint").unlink()
    gone = run(str(home), "--key", golden.public)
    assert (gone.code, gone.line) == (1, "BAD: checkpoint: is missing\n")
    shutil.rmtree(home / "checkpoints")
    bad_input(run(str(home), "--key", golden.public), f"{home}: nothing is sealed there yet")


def test_the_program_runs_by_itself_and_without_a_traceback(golden: Golden) -> None:
    command = [sys.executable, "-m", "services.verify"]
    root = Path(__file__).parents[2]
    for arguments, code in (
        ([str(golden.home), "--key", golden.public], 0),
        ([str(golden.home)], 2),
        (["nowhere", "--key", golden.public], 2),
    ):
        done = subprocess.run([*command, *arguments], cwd=root, capture_output=True, text=True,
                              timeout=60, check=False)
        assert done.returncode == code
        assert "Traceback" not in done.stderr
        assert done.stderr.count("\n") == (1 if code else 0)


def test_nothing_of_the_writer_is_loaded(golden: Golden) -> None:
    script = (
        "import sys; import services.verify\n"
        "print([m for m in sys.modules if m.startswith(('pitledger.', 'services.'))])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[2],
                          capture_output=True, text=True, timeout=60, check=True)
    loaded = [name.strip("' ") for name in done.stdout.strip("[]\n").split(",")]
    assert all(name.startswith(("pitledger.pb", "services.verify")) for name in loaded), loaded


def test_the_contract_forbids_whatever_there_is_but_the_generated_code() -> None:
    root = Path(__file__).parents[2]
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]
    [own] = [each for each in contracts["contracts"]
             if each["type"] == "forbidden" and each["source_modules"] == ["services.verify"]]
    there = {
        f"{package.__name__}.{module.name}"
        for package in (pitledger, services) for module in pkgutil.iter_modules(package.__path__)
    }
    assert there - set(own["forbidden_modules"]) == {"pitledger.pb", "services.verify"}


def test_each_earlier_checkpoint_is_proved_the_beginning_of_each_later(golden: Golden) -> None:
    folder = golden.home / "checkpoints"
    for old in sizes(golden):
        for new in sizes(golden):
            outcome = consistency(golden, folder / str(old), folder / str(new), "--json")
            if old <= new:
                assert outcome.code == 0, outcome
                assert json.loads(outcome.out)["old_size"] == old
            else:
                bad_input(outcome, f"OLD has {old} entries")


def test_trees_with_whole_tiles_are_proved_as_well(wide: Golden) -> None:
    folder = wide.home / "checkpoints"
    for old, new in ((100, 300), (100, 600), (300, 600)):
        assert consistency(wide, folder / str(old), folder / str(new)).code == 0
    assert consistency(wide, folder / "100", wide.home / "checkpoint").code == 0


def test_a_smaller_tree_is_proved_from_the_tiles_of_a_larger(wide: Golden) -> None:
    folder = wide.home / "checkpoints"
    assert not (wide.home / "tile/0/000.p").exists()  # the full tile is in its place
    with wide.with_file("tile/1/000.p/1", None):
        assert consistency(wide, folder / "100", folder / "300").code == 0


def test_a_fork_is_noticed(golden: Golden, tmp_path: Path) -> None:
    first, *_, last = sizes(golden)
    fork = tmp_path / "fork"
    for size in (first, last):
        fork.write_bytes(Checkpoint(golden.key.name, size, bytes(32)).signed(golden.key))
        outcome = consistency(golden, fork, golden.home / "checkpoint")
        assert outcome.code == 1
        expected = "fork" if size == last else f"the {first} entries of OLD are not the first"
        assert expected in outcome.line


def test_an_empty_tree_is_the_beginning_of_each_but_only_with_its_root(
    golden: Golden, tmp_path: Path
) -> None:
    empty = bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    for root, code in ((empty, 0), (bytes(32), 1)):
        old = tmp_path / root.hex()
        old.write_bytes(Checkpoint(golden.key.name, 0, root).signed(golden.key))
        assert consistency(golden, old, golden.home / "checkpoint").code == code


def test_bad_tiles_prove_nothing(golden: Golden) -> None:
    first, *_, last = sizes(golden)
    key = f"tile/0/000.p/{last}"
    data = golden.read(key)
    old, new = golden.home / f"checkpoints/{first}", golden.home / "checkpoint"
    for wrong, problem in (
        (bytes([data[0] ^ 1]) + data[1:], "have not the root"),
        (data[:-1], key),
        (None, f"{key}: is missing"),
    ):
        with golden.with_file(key, wrong):
            outcome = consistency(golden, old, new)
        assert outcome.code == 1
        assert problem in outcome.line


def test_the_tiles_may_lie_elsewhere(golden: Golden, wide: Golden, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(golden.read(f"checkpoints/{sizes(golden)[0]}"))
    new.write_bytes(golden.read("checkpoint"))
    assert consistency(golden, old, new, "--tiles", str(golden.home)).code == 0
    assert consistency(golden, old, new, "--tiles", str(wide.home)).code == 1
    for options in ((), ("--tiles", str(tmp_path))):
        bad_input(consistency(golden, old, new, *options), "has no tiles", "--tiles DIR")
    bad_input(consistency(golden, old, new, "--tiles", str(tmp_path / "none")), "is not there")


def test_a_witness_that_is_asked_for_must_have_cosigned(golden: Golden) -> None:
    witness = new_key("witness.example", COSIGNATURE)
    other = new_key("other.example", COSIGNATURE)
    public = str(witness.public)
    outcome = golden.verify("--witness", public)
    assert outcome.code == 1
    assert "checkpoint: has no good cosignature of witness.example+" in outcome.line
    note = golden.read("checkpoint")
    text = note[: note.index(b"\n\n") + 1].decode()
    for key in ("checkpoint", f"checkpoints/{sizes(golden)[-1]}"):
        with golden.with_file(key, note + witness.sign(text, at_s=1_800_000_000).encode()):
            assert golden.verify("--witness", public).code == 0
            both = golden.verify("--witness", public, "--witness", str(other.public))
            assert both.code == 1
            assert "other.example" in both.line
        with golden.with_file(key, note + witness.sign(text + "x", at_s=1_800_000_000).encode()):
            assert golden.verify("--witness", public).code == 1


def test_a_witness_is_no_log_and_a_log_no_witness(golden: Golden) -> None:
    witness = str(new_key("witness.example", COSIGNATURE).public)
    bad_input(run(str(golden.home), "--key", witness), "is the key of a witness")
    bad_input(golden.verify("--witness", golden.public), "is the key of a log")


def test_a_checkpoint_of_no_entries_must_have_the_root_of_none(golden: Golden) -> None:
    empty = bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    for root, code in ((empty, 0), (bytes(32), 1)):
        note = Checkpoint(golden.key.name, 0, root).signed(golden.key)
        with golden.with_file("checkpoints/0", note):
            assert golden.verify().code == code


def test_an_earlier_checkpoint_of_another_tree_is_named(golden: Golden) -> None:
    key = f"checkpoints/{sizes(golden)[1]}"
    fork = Checkpoint(golden.key.name, sizes(golden)[1], bytes(32)).signed(golden.key)
    with golden.with_file(key, fork):
        outcome = golden.verify()
    assert outcome.code == 1
    assert f"{key}: its root is not that of the {sizes(golden)[1]} entries" in outcome.line
    assert f"the first {sizes(golden)[0]} are" in outcome.line


def test_an_earlier_checkpoint_of_another_log_is_named(golden: Golden) -> None:
    key = f"checkpoints/{sizes(golden)[1]}"
    root = Checkpoint.parse(golden.read(key).decode()).root
    strange = Checkpoint("casino.example/strange", sizes(golden)[1], root).signed(golden.key)
    with golden.with_file(key, strange):
        outcome = golden.verify()
    assert outcome.code == 1
    assert f"{key}: is of casino.example/strange" in outcome.line


def test_two_signed_trees_of_the_newest_size_are_noticed(golden: Golden) -> None:
    newest = sizes(golden)[-1]
    fork = Checkpoint(golden.key.name, newest, bytes(32)).signed(golden.key)
    for key in ("checkpoint", f"checkpoints/{newest}"):
        with golden.with_file(key, fork):
            outcome = golden.verify()
        assert outcome.code == 1
        assert f"checkpoints/{newest}: is another one than checkpoint" in outcome.line
    with golden.with_file("checkpoint", fork), golden.with_file(f"checkpoints/{newest}", fork):
        outcome = golden.verify()
    assert outcome.code == 1
    assert f"checkpoints/{newest}: its root is not that of the" in outcome.line


def test_what_is_no_archive_is_told_so(golden: Golden, tmp_path: Path) -> None:
    (tmp_path / "file.zip").write_bytes(b"PK")
    for path, word in (
        (tmp_path / "none", "is not there"),
        (tmp_path / "file.zip", "is no packet"),
        (tmp_path, "is no archive"),
    ):
        bad_input(run(str(path), "--key", golden.public), str(path), word)


def test_whoever_stops_reading_sees_no_traceback(golden: Golden) -> None:
    command = [sys.executable, "-c", "from services.verify import main; main()"]
    with subprocess.Popen(
        [*command, str(golden.home), "--key", golden.public],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as done:
        assert done.stdout is not None
        assert done.stderr is not None
        done.stdout.close()
        assert done.stderr.read() == b""
    assert done.returncode == 141


def test_a_key_that_is_none_or_another_is_told_so(golden: Golden, tmp_path: Path) -> None:
    other = str(new_key("casino.example/other").public)
    same_name = str(new_key(golden.key.name).public)
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "text").write_text("no key")
    (tmp_path / "own.key").write_text(golden.key.text() + "\n")
    for key, word in (
        (other, "is not signed by this key of casino.example/other+"),
        (same_name, f"this key of {handle(same_name)}, but by {handle(golden.public)}"),
        (golden.public[:-2], "no public key"),
        (golden.key.text(), "the key: is a private key; give the public one, NAME+HASH+KEY"),
        (str(tmp_path / "own.key"), "own.key: is a private key; give the public one, mostly"),
        (str(tmp_path / "none"), "No such file"),
        (str(tmp_path), "Is a directory"),
        (str(tmp_path / "binary"), "is no text"),
        (str(tmp_path / "text"), "no public key"),
        ("", ""),
    ):
        bad_input(run(str(golden.home), "--key", key), word)


def test_a_checkpoint_of_another_log_is_told_so(golden: Golden, tmp_path: Path) -> None:
    strange = Checkpoint("casino.example/strange", 7, bytes(32)).signed(golden.key)
    with golden.with_file("checkpoint", strange):
        bad_input(golden.verify(), "casino.example/strange")
    path = tmp_path / "strange"
    path.write_bytes(strange)
    bad_input(consistency(golden, path, golden.home / "checkpoint"), "of two logs")


def test_a_checkpoint_that_cannot_be_read_is_told_so(golden: Golden, tmp_path: Path) -> None:
    new = golden.home / "checkpoint"
    bad_input(consistency(golden, tmp_path / "none", new), "No such file")
    bad_input(consistency(golden, tmp_path, new), "Is a directory")
    bad_input(consistency(golden, golden.home, new), f"newest checkpoint is {new}")
    (tmp_path / "text").write_text("no checkpoint")
    outcome = consistency(golden, tmp_path / "text", new)
    assert outcome.code == 1
    assert "is no signed note" in outcome.line


@pytest.mark.parametrize("key", ["log.json", "checkpoint", "pending"])
def test_a_folder_in_the_place_of_a_file_is_no_traceback(
    golden: Golden, tmp_path: Path, key: str
) -> None:
    for name in ("log.json", "checkpoint"):
        (tmp_path / name).write_bytes(golden.read(name))
    (tmp_path / key).unlink(missing_ok=True)
    (tmp_path / key).mkdir()
    bad_input(run(str(tmp_path), "--key", golden.public), key)


LONG = "x" * 300


@pytest.mark.parametrize("words", [
    (LONG, "--key", "KEY"),
    ("ARCHIVE", "--key", LONG),
    ("consistency", LONG, "ARCHIVE/checkpoint", "--key", "KEY"),
    ("consistency", "ARCHIVE/checkpoint", LONG, "--key", "KEY"),
    ("consistency", "ARCHIVE/checkpoint", "ARCHIVE/checkpoint", "--tiles", LONG, "--key", "KEY"),
    ("consistency", "ARCHIVE/checkpoint", "HERE/loop", "--key", "KEY"),
    ("HERE/loop", "--key", "KEY"),
    ("ARCHIVE", "--key", "HERE/loop"),
    ("consistency", "ARCHIVE/checkpoint", "HERE/pipe", "--key", "KEY"),
    ("consistency", "HERE/pipe", "ARCHIVE/checkpoint", "--key", "KEY"),
    ("HERE/pipe", "--key", "KEY"),
    ("ARCHIVE", "--key", "HERE/pipe"),
    ("HERE/shut/archive", "--key", "KEY"),
    ("ARCHIVE", "--key", "HERE/shut/key"),
    ("consistency", "HERE/shut/checkpoint", "ARCHIVE/checkpoint", "--key", "KEY"),
    ("consistency", "ARCHIVE/checkpoint", "HERE/shut/checkpoint", "--key", "KEY"),
])
def test_a_path_that_cannot_be_looked_at_is_bad_input(
    golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    looks = os.stat

    def shut(path: Path, **options: bool) -> os.stat_result:
        """Also for who runs these tests and may look everywhere."""
        if "shut" in str(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return looks(path, **options)

    monkeypatch.setattr(os, "stat", shut)
    places = {"ARCHIVE": str(golden.home), "KEY": golden.public, "HERE": str(tmp_path)}
    for name, place in places.items():
        words = tuple(word.replace(name, place) for word in words)
    bad_input(run(*words))


def test_a_pipe_of_whom_nothing_comes_is_an_empty_file(golden: Golden) -> None:
    leaf = golden.home / golden.files("leaf/")[0]
    with golden.with_file(golden.files("leaf/")[0], None):
        os.mkfifo(leaf)
        writer = os.open(leaf, os.O_RDWR)
        outcome = golden.verify()
        os.close(writer)
        leaf.unlink()
        leaf.touch()
    assert outcome.code == 1
    assert "cannot be unpacked" in outcome.line


@pytest.mark.parametrize("redirection", ["> /dev/full", "--json > /dev/full", ">&-"])
def test_what_cannot_be_written_is_no_verdict(golden: Golden, redirection: str) -> None:
    command = f"{sys.executable} -m services.verify {golden.home} --key {golden.public}"
    done = subprocess.run(f"{command} {redirection}", shell=True, text=True, check=False,
                          stderr=subprocess.PIPE, timeout=60, cwd=Path(__file__).parents[2])
    assert done.returncode == 2
    assert done.stderr.startswith("pitledger-verify: what ")
    assert done.stderr.count("\n") == 1


def test_a_fault_of_the_program_itself_is_no_verdict(
    golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(program, "verify", fails)
    outcome = golden.verify()
    assert (outcome.code, outcome.out) == (70, "")
