"""Filters that find nothing: an unknown table is bad input, a day without rounds is an answer."""

import json

import pytest

DAY = "1999-01-01"
ROUNDS, RECALL, GAPS, WHATIF, EXPORT, HOLDS, CASES, ADJUSTMENTS, REPORT = (
    ("rounds",), ("recall",), ("gaps",), ("whatif",), ("export", "-o", "made"), ("hold", "list"),
    ("case", "list"), ("adjust", "list"), ("report", "--gaming-day", "2026-11-30"))
TABLES = (ROUNDS, RECALL, GAPS, WHATIF, EXPORT, HOLDS, CASES, ADJUSTMENTS, REPORT)


@pytest.fixture(params=["file", "archive"])
def source(request, journal, pitledger, tmp_path, monkeypatch):
    """The same rounds as a journal file and as an archive; what is written is written here."""
    monkeypatch.chdir(tmp_path)
    if request.param == "file":
        return journal
    pitledger("keys", "new", "casino.example/floor", "-o", "key")
    assert pitledger("archive", "--from", journal, "-o", "sealed", "--key", "key").code == 0
    return "sealed"


def test_an_unknown_table_is_bad_input_of_every_command(pitledger, source, tmp_path):
    for command in TABLES:
        line = pitledger(*command, "--from", source, "--table", "nosuch").line
        assert line.startswith(f"{source}: ")
        assert "table nosuch" in line
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("table", ["", "\udcff", "x" * 300])
def test_what_no_table_can_be_called_is_bad_input_of_every_command(pitledger, source, table):
    for command in TABLES:
        assert "table's id" in pitledger(*command, "--from", source, "--table", table).line


@pytest.mark.parametrize("command", [ROUNDS, RECALL])
@pytest.mark.parametrize(("patron", "line"), [
    ("nobody", "{}: has no {}round of patron nobody"),
    ("", "a patron's id is not empty"),
    ("\udcff", "\\udcff: is not UTF-8, as every patron's id is"),
])
def test_an_unknown_patron_is_bad_input(pitledger, source, command, patron, line):
    finished = "finished " if command is RECALL else ""

    ended = pitledger(*command, "--from", source, "--patron", patron)

    assert ended.line == line.format(source, finished)


@pytest.mark.parametrize(
    "day", ["", "yesterday", "2026-13-01", "2026-02-30", "2026-1-1", "20261130"])
def test_what_is_no_gaming_day_is_bad_input_of_every_command(pitledger, source, day, tmp_path):
    for command in (ROUNDS, RECALL, GAPS, WHATIF, EXPORT, ("report",)):
        line = pitledger(*command, "--from", source, "--gaming-day", day).line
        assert line.startswith(f"--gaming-day {day}")
        assert "as 2026-11-30" in line
    assert not (tmp_path / "made").exists()
    hold = ("legal-hold", "place", tmp_path, "--by", "x", "--reason", "y", "--gaming-day")
    assert "as 2026-11-30" in pitledger(*hold, day).line or not day


@pytest.mark.parametrize("command", [ROUNDS, GAPS, EXPORT])
def test_a_day_without_rounds_is_an_empty_answer_that_says_so(pitledger, source, command):
    ended = pitledger(*command, "--from", source, "--gaming-day", DAY)

    assert ended.code == 0
    assert ended.err == f"pitledger: {source}: no rounds of gaming day {DAY}\n"


def test_a_known_table_without_rounds_on_that_day_is_an_empty_answer(pitledger, source, tmp_path):
    asked = ("--from", source, "--table", "saigon-001", "--gaming-day", DAY)

    assert pitledger(*ROUNDS, *asked, "--json").err == (
        f"pitledger: {source}: no rounds of table saigon-001, gaming day {DAY}\n")
    assert pitledger(*GAPS, *asked).out == "0 rounds of 0 tables: no gaps\n"
    assert pitledger(*EXPORT, *asked).code == 0
    manifest = json.loads((tmp_path / "made" / "manifest.json").read_text())
    assert {table["rows"] for table in manifest["tables"].values()} == {0}


@pytest.mark.parametrize(("command", "line"), [
    (RECALL, "has no finished round of table saigon-001, gaming day 1999-01-01"),
    (WHATIF, "table saigon-001, gaming day 1999-01-01: no round was played"),
])
def test_what_shows_rounds_needs_one(pitledger, source, command, line):
    ended = pitledger(*command, "--from", source, "--table", "saigon-001", "--gaming-day", DAY)

    assert ended.line == f"{source}: {line}"


def test_a_position_where_nobody_sat_is_bad_input(pitledger, source):
    ended = pitledger(*RECALL, "--from", source, "--table", "saigon-001", "--position", "9")

    assert ended.line == f"{source}: has no finished round of table saigon-001, position 9"


def test_a_known_table_with_nothing_to_list_is_an_empty_answer(pitledger, source):
    for command, said in ((HOLDS, "no table is held"), (CASES, "no case"),
                          (ADJUSTMENTS, "no adjustment")):
        ended = pitledger(*command, "--from", source, "--table", "saigon-001")
        assert (ended.code, ended.out) == (0, f"{said}\n")
