"""The command as a process: usage, closed and broken pipes, Ctrl-C, encodings, narrow terminals."""

import fcntl
import itertools
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from pitledger import __version__

EXAMPLE = (Path(__file__).parents[2] / "golden" / "adjudicate" / "saigon5-regulation-example.json")
COMMAND = [sys.executable, "-c", "from services.cli import main; main()"]


def shell(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script in which $P is the command."""
    script = script.replace("$P", f"'{COMMAND[0]}' -c '{COMMAND[2]}'")
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60,
                          env=os.environ | environment, check=False)


def test_the_version_is_printed(pitledger):
    assert pitledger("--version").out == f"pitledger {__version__}\n"


def test_without_arguments_the_help_is_printed(pitledger):
    ended = pitledger()

    assert ended.code == 0
    for command in ("adjudicate", "simulate", "rounds", "replay", "audit", "rules", "topics"):
        assert f" {command} " in ended.out


@pytest.mark.parametrize("command", ["adjudicate", "simulate", "rounds", "replay", "audit",
                                     "rules check", "rules show", "topics create", "topics check"])
def test_each_command_has_help_and_json(pitledger, command):
    ended = pitledger(*command.split(), "--help")

    assert ended.code == 0
    assert "--json" in ended.out


@pytest.mark.parametrize("command", ["doctor", "rounds", "quarantine list"])
def test_help_flows_within_a_terminal(pitledger, monkeypatch, command):
    """Given a terminal of 80 columns, when help is asked for, then a line of a paragraph ends
    only where the next word has no room."""
    monkeypatch.setenv("COLUMNS", "80")

    lines = pitledger(*command.split(), "--help").out.partition("\nOptions:")[0].splitlines()

    for line, following in itertools.pairwise(line.strip() for line in lines):
        if line and following:
            assert len(f"{line} {following.split()[0]}") > 76


def test_the_example_in_the_help_is_a_round_that_is_settled(pitledger, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = pitledger("adjudicate", "--help").out
    example = text[text.index('  {"game"'):text.index("Games are")]

    assert pitledger("adjudicate", "-", stdin=example).code == 0
    assert {line[:3] for line in example.rstrip().splitlines()} == {"  {", "   "}


@pytest.mark.parametrize(("arguments", "line"), [
    (["foo"], "No such command 'foo'. (see: pitledger --help)"),
    (["rounds"], "Missing option '--from'. (see: pitledger rounds --help)"),
    (["rounds", "--bogus"], "No such option: --bogus (see: pitledger rounds --help)"),
    (["adjudicate"], "Missing argument 'FILE|-'. (see: pitledger adjudicate --help)"),
])
def test_wrong_usage_is_one_line(pitledger, arguments, line):
    assert pitledger(*arguments).line == line


@pytest.mark.parametrize("arguments", [
    ["simulate", "-o", "x", "--rounds", "0"],
    ["simulate", "-o", "x", "--game", "poker"],
    ["simulate", "-o", "x", "--seed", "one"],
    ["rounds", "--from", "x", "--state", "lost"],
    ["rounds", "--from", "x", "--limit", "0"],
    ["rounds", "--from", "x", "--partitions", "0"],
    ["replay", "aaaaaaaa", "--from", "x", "--until", "-1"],
])
def test_a_value_out_of_range_is_one_line(pitledger, arguments):
    assert pitledger(*arguments).line.startswith("Invalid value for '--")


def test_a_closed_standard_output_is_said():
    ended = shell(f"$P adjudicate {EXAMPLE} >&-")

    assert (ended.returncode, ended.stderr) == (2, "pitledger: standard output is closed\n")


def test_a_closed_standard_input_is_said():
    ended = shell("$P adjudicate - <&-")

    assert (ended.returncode, ended.stderr) == (2, "pitledger: standard input is closed\n")


def test_a_full_disk_is_said():
    ended = shell(f"$P adjudicate {EXAMPLE} >/dev/full")

    assert (ended.returncode, ended.stderr) == (2, "pitledger: No space left on device\n")


@pytest.mark.parametrize("command", ["--help", "rounds --from {}", "replay hilo-002/1 --from {}",
                                     "audit --from {}", "rules show saigon5-default"])
def test_a_reader_that_has_gone_is_no_error(journal, command):
    ended = shell(f"(sleep 1; $P {command.format(journal)}) | true; echo ${{PIPESTATUS[0]}}")

    assert (ended.stdout, ended.stderr) == ("141\n", "")


def test_a_closed_standard_error_does_no_harm():
    assert shell("$P adjudicate /nowhere 2>&-").returncode == 2


@pytest.fixture
def buffered(monkeypatch):
    """Processes whose output waits until it is handed on."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)


@pytest.mark.timeout(30)
@pytest.mark.usefixtures("buffered")
def test_a_line_is_settled_before_the_next_one_comes():
    line = b" ".join(EXAMPLE.read_bytes().split()) + b"\n"
    with subprocess.Popen([*COMMAND, "adjudicate", "-", "--jsonl"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(line)
        process.stdin.flush()
        assert process.stdout.readline().startswith(b'{"lines": ')
        process.stdin.close()
    assert process.returncode == 0


@pytest.mark.usefixtures("buffered")
def test_ctrl_c_ends_with_130_and_no_word():
    # Whoever runs the tests in the background has it ignored, and so has what they start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with subprocess.Popen([*COMMAND, "adjudicate", "-", "--jsonl"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdin
            process.stdin.write(b" ".join(EXAMPLE.read_bytes().split()) + b"\n")
            process.stdin.flush()
            assert process.stdout
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (process.returncode, err) == (130, b"")


def test_an_ascii_terminal_gets_escapes_for_suits(journal):
    ended = shell(f"$P replay hilo-002/1 --from {journal}", PYTHONIOENCODING="ascii")

    assert ended.returncode == 0
    assert "\\u2660" in ended.stdout


def on_a_terminal(columns: int, *arguments: str, **environment: str) -> str:
    """What a command prints on a terminal of this width."""
    master, slave = pty.openpty()
    size = (40).to_bytes(2, "little") + columns.to_bytes(2, "little") + bytes(4)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
    cleaned = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
    with subprocess.Popen([*COMMAND, *arguments], stdin=slave, stdout=slave, stderr=slave,
                          env=cleaned | environment):
        os.close(slave)
        shown = b""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                read = os.read(master, 65536)
            except OSError:
                break
            if not read:
                break
            shown += read
    os.close(master)
    return shown.decode().replace("\r\n", "\n")


def widest(shown: str) -> int:
    return max(len(line.rstrip()) for line in shown.split("\n"))


@pytest.mark.parametrize("columns", [50, 70, 90, 140])
def test_a_listing_fits_the_terminal(journal, columns):
    shown = on_a_terminal(columns, "rounds", "--from", str(journal), TERM="dumb")

    assert widest(shown) <= columns
    assert "saigon-001/1" in shown


@pytest.mark.parametrize(("columns", "line"), [
    (60, "too narrow for game, returned, round; --json has all\n"),
    (80, "too narrow for game, round; --json has all\n"),
    (100, "too narrow for round; --json has all\n"),
])
def test_a_listing_says_what_has_no_room(journal, columns, line):
    shown = on_a_terminal(columns, "rounds", "--from", str(journal), TERM="dumb")

    assert line in shown


def test_a_listing_with_room_for_all_says_nothing_of_it(journal):
    assert "too narrow" not in on_a_terminal(130, "rounds", "--from", str(journal), TERM="dumb")


@pytest.mark.parametrize("columns", [60, 100])
def test_a_replay_fits_the_terminal(journal, columns):
    shown = on_a_terminal(columns, "replay", "hilo-002/1", "--from", str(journal), TERM="dumb")

    settlement = [line for line in shown.split("\n") if line.startswith("        ")]
    assert widest("\n".join(settlement)) <= columns


def test_colours_are_for_terminals_that_have_them(journal):
    arguments = ("replay", "hilo-002/1", "--from", str(journal))

    assert "\x1b[" in on_a_terminal(100, *arguments, TERM="xterm")
    assert "\x1b[" not in on_a_terminal(100, *arguments, TERM="dumb")
    assert "\x1b[" not in on_a_terminal(100, *arguments, TERM="xterm", NO_COLOR="1")


def test_json_on_a_terminal_is_indented():
    shown = on_a_terminal(80, "adjudicate", str(EXAMPLE), TERM="dumb")

    assert shown.startswith('{\n  "lines": [\n')


def test_of_a_disk_that_is_full_the_place_is_named_and_nothing_is_left_there(tmp_path):
    """The system names no file then."""
    script = (
        f"cd {tmp_path}; $P simulate --rounds 20 --no-audit -o journal > said || exit 9;"
        " trap '' XFSZ; ulimit -f 8; $P export --from journal -o made"
    )
    ended = shell(script)

    assert (ended.returncode, ended.stderr) == (2, "pitledger: made: File too large\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["journal", "said"]
