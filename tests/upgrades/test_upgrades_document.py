"""docs/upgrades.md: its commands are run, in its order, and say what stands there."""

import re
import subprocess
from dataclasses import dataclass, field

import pytest

from tests.contract.sources import ROOT
from tests.upgrades.trees import environment, tree

DOCUMENT = ROOT / "docs" / "upgrades.md"


@dataclass
class Command:
    """A command of the document; `...` in its output stands for anything."""

    line: int
    released: bool
    text: str
    output: list[str] = field(default_factory=list)

    @property
    def code(self) -> int:
        last = self.output[-1] if self.output else ""
        return int(last.removeprefix("exit code ")) if last.startswith("exit code ") else 0

    @property
    def pattern(self) -> str:
        said = [line for line in self.output if not line.startswith("exit code ")]
        parts = "\n".join(said).split("...")
        return r"[\s\S]*".join(map(re.escape, parts))


def commands() -> list[Command]:
    found: list[Command] = []
    inside = False
    for number, line in enumerate(DOCUMENT.read_text().splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and (prompt := re.match(r"(released)?\$ (.*)", line)):
            found.append(Command(number, bool(prompt[1]), prompt[2]))
        elif inside:
            found[-1].output.append(line)
    return found


@pytest.fixture(scope="module")
def next_build(tmp_path_factory):
    return tree(tmp_path_factory.mktemp("next") / "pitledger")


@pytest.mark.usefixtures("buf")
@pytest.mark.timeout(900)
def test_every_command_of_the_document_says_what_stands_there(next_build, tmp_path):
    for command in commands():
        home = ROOT if command.released else next_build
        done = subprocess.run(
            ["bash", "-c", command.text.replace("/tmp/", f"{tmp_path}/")],
            cwd=home, env=environment(home), text=True, timeout=120, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        where = f"docs/upgrades.md:{command.line}: {command.text}\n{done.stdout}"
        assert done.returncode == command.code, where
        assert re.fullmatch(command.pattern, done.stdout.rstrip("\n")), where


def test_there_are_commands():
    assert len(commands()) > 12
    assert {command.released for command in commands()} == {True, False}
