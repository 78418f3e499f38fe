"""docs/operations.md names what is there: commands, settings, pages, files, headings."""

import ast
import re
import shlex
from pathlib import Path

import click
import pytest
import typer
import yaml

from pitledger.sources.connection import Connection
from pitledger.sources.topics import topic_settings
from services.cli.app import app
from tests.contract.sources import modules
from tests.contract.test_settings import READS, read
from tests.unit.deploy.test_prometheus_rules import anchors

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
TEXT = (DOCS / "operations.md").read_text()
CODE = [
    *re.findall(r"^    +(\S.*)$", TEXT, re.MULTILINE),
    *(" ".join(span.split()) for span in re.findall(r"`([^`]+)`", TEXT)),
]
CLI = typer.main.get_command(app)


def commands(program):
    """Each use of a program: its words, without comments."""
    found = [shlex.split(line, comments=True) for line in CODE if line.split()[0].endswith(program)]
    return [words[1:] for words in found if Path(words[0]).name == program and words[1:]]


@pytest.mark.parametrize("words", commands("pitledger"), ids=" ".join)
def test_each_command_is_one_of_pitledger(words):
    command = CLI
    while isinstance(command, click.Group | typer.core.TyperGroup):
        assert words, "names no command"
        assert words[0] in command.commands
        command, words = command.commands[words[0]], words[1:]
    known = {option for param in command.params for option in param.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_each_target_of_make_is_there():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = [words[0] for words in commands("make")]
    assert named
    assert set(named) <= targets


def test_each_profile_of_compose_is_there():
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"].values()
    profiles = {profile for service in services for profile in service.get("profiles", ())}
    named = [words for words in commands("docker") if "up" in words]
    assert {
        words[i + 1] for words in named for i, word in enumerate(words) if word == "--profile"
    } == (profiles)


def test_each_module_that_is_started_is_there():
    started = [words[1] for words in commands("python") if words[0] == "-m"]
    assert started
    for module in started:
        assert (ROOT / module.replace(".", "/") / "__main__.py").is_file()


def test_each_file_that_is_named_is_there():
    named = set(re.findall(r"`?((?:deploy|docs)/[\w./-]+)", TEXT))
    assert named
    assert [name for name in sorted(named) if not (ROOT / name.rstrip(".")).exists()] == []


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)]+)\)", TEXT))))
def test_each_link_leads_somewhere(link):
    file, _, anchor = link.partition("#")
    target = DOCS / file if file else DOCS / "operations.md"
    assert target.is_file()
    assert not anchor or anchor in anchors(target.read_text())


def settings_table():
    """(name without PITLEDGER_, default as it is told)."""
    return re.findall(r"^\| `PITLEDGER_(\w+)` \| (.+?) \|", TEXT, re.MULTILINE)


def test_the_table_has_every_setting_that_is_read_and_no_other():
    assert sorted(name for name, _ in settings_table()) == sorted(read())


def test_the_defaults_in_the_table_are_those_of_the_code():
    told = dict(settings_table())
    wrong = {
        name: (told[name], default)
        for name, default in defaults()
        if f"`{default}`" != told[name].split(" to ")[0]
    }
    assert wrong == {}


def defaults():
    """Of each setting whose default stands where it is read: (name, default)."""
    for path, tree in modules("pitledger", "services"):
        if path == "pitledger/sources/environment.py":
            continue
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr=kind),
                    args=[
                        ast.Constant(value=str(name)),
                        *_,
                        ast.Constant(value=str() | int() | bool() as default),
                    ],
                ) if kind in READS and name.isupper() and name != "HTTP_PORT":
                    yield name, ("off", "on")[default] if isinstance(default, bool) else default


def test_the_topics_settings_are_those_that_they_are_made_with():
    (table,) = re.findall(
        r"^\| setting \| value \| why \|\n(.+?)\n\n", TEXT, re.MULTILINE | re.DOTALL
    )
    named = {
        name for row in table.splitlines() for name in re.findall(r"`([a-z.]+)`", row.split("|")[1])
    }
    assert named == set(topic_settings(Connection()))
