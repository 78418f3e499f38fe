"""Every command, each of its files replaced by what is none: one line, exit 2, nothing written."""

import os
from pathlib import Path

import pytest
import typer

from services.cli.app import app

ROUND = "saigon-001/1"
JOURNAL_READERS = (
    "rounds", f"replay {ROUND}", "replay --all", "recall --table saigon-001", "gaps", "audit",
    "doctor", "report --gaming-day 2026-11-30", f"packet {ROUND} -o new --key key",
    f"whatif {ROUND}", "whatif --all", "export -o new", "hold list", "case list",
    "case show 01a22c53", "adjust list", "archive -o new --key key",
)
COMMANDS = (
    *(f"{command} --from BAD" for command in JOURNAL_READERS),
    "adjudicate BAD",
    "adjudicate --jsonl BAD",
    "archive --from journal -o new --key BAD",
    "mirror BAD new --key key.pub",
    "mirror sealed new --key BAD",
    "verify BAD --key key.pub",
    "verify sealed --key BAD",
    "verify sealed --key key.pub --witness BAD",
    f"packet {ROUND} --from sealed -o new --key BAD",
    f"packet {ROUND} --from sealed -o new --key key --log-key BAD",
    f"whatif {ROUND} --from journal --rules BAD",
    "whatif --all --from journal --rules BAD",
    "witness BAD --key witness --log-key key.pub --state new",
    "witness sealed --key BAD --log-key key.pub --state new",
    "witness sealed --key witness --log-key BAD --state new",
    "rules check BAD",
    "rules show BAD",
    "keys rotate BAD --key key --to other",
    "keys rotate sealed --key BAD --to other",
    "keys rotate sealed --key key --to BAD",
    "keys authorise BAD --key key --packets other.pub",
    "keys authorise sealed --key BAD --packets other.pub",
    "keys authorise sealed --key key --packets BAD",
    "keys revoke sealed --key key --packets BAD",
    "keys list BAD",
    "retention show BAD --policy pa-table-games",
    "retention show sealed --policy BAD",
    "retention delete sealed --policy BAD --key key --by x --reason y",
    "legal-hold place BAD --by x --reason y --table saigon-001",
    "legal-hold release BAD 20261130-00000000 --by x --reason y",
    "legal-hold list BAD",
    "topics trim --archive BAD --mirror sealed --key key.pub",
    "topics trim --archive sealed --mirror BAD --key key.pub",
    "topics trim --archive sealed --mirror sealed --key BAD",
    "topics acls apply BAD",
    "topics acls check BAD",
)
NO_FILE = {
    "simulate", "keys new", "hold place", "hold release", "case open", "case hold",
    "case release", "case resolve", "adjust propose", "adjust approve", "adjust decline",
    "quarantine list", "quarantine show", "topics create", "topics check",
}
"""Commands that read no file or archive."""
UNREADABLE = "/proc/self/mem"  # root reads any file; this one fails to be read from its start


@pytest.fixture(scope="module")
def room(tmp_path_factory, journal):
    """A folder with a journal, its archive and keys, and what is none of them."""
    from services.cli.run import run  # noqa: PLC0415

    folder: Path = tmp_path_factory.mktemp("room")
    before = Path.cwd()
    os.chdir(folder)
    try:
        (folder / "journal").write_bytes(journal.read_bytes())
        for name, role in (("key", "log"), ("other", "log"), ("witness", "witness")):
            assert run(["keys", "new", f"casino.example/{name}", "-o", name, "--role", role]) == 0
        assert run(["archive", "--from", "journal", "-o", "sealed", "--key", "key"]) == 0
        (folder / "directory").mkdir()
        (folder / "empty").write_bytes(b"")
        (folder / "text").write_text("no such thing\n")
        (folder / "binary").write_bytes(bytes(range(256)))
    finally:
        os.chdir(before)
    return folder


@pytest.mark.parametrize(("command", "bad"), [
    (command, bad)
    for command in COMMANDS
    for bad in ("missing", "directory", "empty", "text", "binary", UNREADABLE)
    if bad != "empty" or not command.endswith("--from BAD")  # a journal without records
])
def test_a_file_that_is_none_is_told_in_one_line_and_nothing_is_written(
    pitledger, room, monkeypatch, command, bad
):
    monkeypatch.chdir(room)
    monkeypatch.setenv("PITLEDGER_BOOTSTRAP", "127.0.0.1:1")
    before = _everything(room)

    ended = pitledger(*command.replace("BAD", bad).split())

    assert ended.line
    assert ended.out == ""
    assert bad in ended.line
    assert "Error(" not in ended.line
    assert _everything(room) == before


def test_the_table_above_has_every_command():
    names = {*_names(typer.main.get_command(app))}

    asked = {name for name in names if any(f"{each} ".startswith(f"{name} ") for each in COMMANDS)}

    assert asked == names - NO_FILE


def _everything(folder):
    """What lies there. An archive's index may come to be: it is no evidence."""
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
        if not path.name.startswith("index.sqlite")
    }


def _names(command, before=()):
    for name, below in getattr(command, "commands", {}).items():
        yield from _names(below, (*before, name))
    if not hasattr(command, "commands"):
        yield " ".join(before)
