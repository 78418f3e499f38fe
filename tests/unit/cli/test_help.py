"""What `--help` says of every command: a line in the list, and an example that could be typed."""

import shlex

import pytest
import typer

from services.cli.app import app
from services.cli.examples import COMMANDS

ROOT = typer.main.get_command(app)


def _commands(group, before=()):
    for name, command in group.commands.items():
        yield " ".join((*before, name)), command
        if hasattr(command, "commands"):
            yield from _commands(command, (*before, name))


ALL = dict(_commands(ROOT))
PLAIN = {name: command for name, command in ALL.items() if not hasattr(command, "commands")}


def test_every_command_and_group_has_its_line_and_none_is_of_another():
    assert COMMANDS.keys() == ALL.keys()


@pytest.mark.parametrize("name", PLAIN)
def test_the_example_of_a_command_is_one_that_it_takes(pitledger, name):
    example = COMMANDS[name][1]
    words = shlex.split(example.removeprefix(name))

    context = PLAIN[name].make_context(name, words)

    assert example.startswith(name)
    assert context.args == []
    shown = pitledger(*name.split(), "--help").out
    assert shown.endswith(f"\n  Example:\n    pitledger {example}\n")


@pytest.mark.parametrize("group", ["", *sorted(ALL.keys() - PLAIN.keys())])
def test_no_line_of_a_list_of_commands_is_cut(pitledger, monkeypatch, group):
    monkeypatch.setenv("COLUMNS", "80")

    listed = pitledger(*group.split(), "--help").out.partition("\nCommands:\n")[2]

    assert listed
    for line in listed.splitlines():
        assert line.endswith(".")
        assert not line.endswith("...")
