"""`pitledger rules check` and `show`: exit codes, one line per problem, JSON."""

import json

import pytest
from typer.testing import CliRunner

from pitledger.sources.submissions import load_submission, read_text
from services.cli.rules import rules_app

TEXT = read_text("saigon5-default")


def run(*arguments):
    return CliRunner().invoke(rules_app, [str(argument) for argument in arguments])


@pytest.fixture
def file(tmp_path):
    return tmp_path / "mine.toml"


def test_a_valid_file_exits_with_0_and_says_what_it_is(file):
    file.write_text(TEXT)

    result = run("check", file)

    digest = load_submission("saigon5-default").digest.hex()
    assert result.exit_code == 0
    assert result.stdout == (
        f'{file}: a valid submission of saigon5, "default", SHA-256 {digest}\n')


def test_each_problem_is_a_line_with_the_file_and_the_exit_code_is_2(file):
    file.write_text(TEXT.replace("min = 500", "min = -1").replace("flush = 40\n", ""))

    result = run("check", file)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        f"pitledger: {file}: limits.ante_limits.min: found -1; allowed: an integer from 1 to"
        " 100000000000",
        f"pitledger: {file}: bonus_pay_table: gap: flush is missing; two_pair to five_aces all win"]


def test_problems_as_json(file):
    file.write_text("x = 1")

    result = run("check", file, "--json")

    assert result.exit_code == 2
    assert json.loads(result.stdout) == {
        "ok": False, "problems": ["section [submission] is missing; it has game, name, title"]}


def test_a_valid_file_as_json(file):
    file.write_text(TEXT)

    assert json.loads(run("check", file, "--json").stdout) == {
        "ok": True, "problems": [], "game": "saigon5", "name": "default",
        "title": "Saigon 5 Card", "sha256": load_submission("saigon5-default").digest.hex()}


@pytest.mark.parametrize(("content", "line"), [
    (b"", "empty: a submission begins with [submission]"),
    (b"\xff\xfe", "not UTF-8: the byte at 0 begins no character"),
    (b"[x", "not TOML: Expected ']' at the end of a table declaration (at end of document)"),
    (b"#" * (1 << 20) + b"#", "longer than 1048576 bytes: no submission is"),
])
def test_a_file_that_is_no_submission(file, content, line):
    file.write_bytes(content)

    result = run("check", file)

    assert (result.exit_code, result.stderr) == (2, f"pitledger: {file}: {line}\n")


def test_a_file_that_is_missing(file):
    result = run("check", file)

    assert (result.exit_code, result.stderr) == (2, (
        f"pitledger: {file}: no such file, nor a packaged submission; those are:"
        " five_card_hi_lo-default, five_card_hi_lo-high-first, saigon5-default\n"))


def test_a_name_that_each_game_has_is_told_how_it_is_said_of_one():
    result = run("show", "default")

    assert (result.exit_code, result.stderr) == (2, (
        "pitledger: default: is packaged of each game: name one (--game), or say"
        " five_card_hi_lo-default or saigon5-default\n"))


def test_a_directory(tmp_path):
    result = run("check", tmp_path)

    assert (result.exit_code, result.stderr) == (
        2, f"pitledger: {tmp_path}: cannot be read: Is a directory\n")


def test_a_path_that_no_file_can_have():
    result = run("check", "a\0b")

    assert result.exit_code == 2
    assert "cannot be read: embedded null byte" in result.stderr


def test_a_submission_of_another_game():
    result = run("show", "saigon5-default", "--game", "five_card_hi_lo")

    assert (result.exit_code, result.stderr) == (
        2, "pitledger: saigon5-default: submission.game: found saigon5; allowed: five_card_hi_lo\n")


def test_show_has_every_setting_with_its_authority():
    result = run("show", "high-first", "--game", "five_card_hi_lo")

    assert result.exit_code == 0
    for word in ("house_way", "high_first", "both_hands: 7:1", "1,000,000", "to 21: 22", "house"):
        assert word in result.stdout


def test_show_as_json():
    shown = json.loads(run("show", "saigon5-default", "--json").stdout)

    assert shown["settings"]["joker_points"] == {
        "value": [3, 6, 9], "authority": "vendor", "source": ""}
