"""Runs the walk of docs/disputes.md on an embedded broker.

Ids, times and places differ from run to run: an id of the document stands for the id that came in
its place, and is replaced in the commands that follow; `...` stands for anything.
"""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from pitledger.cases.journal import Cases
from tests.broker.rig import Rig, wait_until
from tests.upgrades.trees import environment

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "disputes.md"
WAIT_S = 120
_ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_VARIES = {
    "id": _ID,
    "time": r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC)",
    "place": r"\b\d+:\d+\b",
    "any": r"\.\.\.",
}
_TOKENS = re.compile("|".join(f"(?P<{name}>{text})" for name, text in _VARIES.items()))


def _typed(moment: str) -> str:
    """`2026-11-30T12:00:00` of a moment, as a person types it."""
    return f"{moment[:10]}T{moment[11:19]}"


@dataclass
class Command:
    """A command of the document, and what it says."""

    line: int
    text: str
    output: list[str] = field(default_factory=list)

    @property
    def code(self) -> int:
        last = self.output[-1] if self.output else ""
        return int(last.removeprefix("exit code ")) if last.startswith("exit code ") else 0

    def said(self) -> str:
        return "\n".join(line for line in self.output if not line.startswith("exit code "))


def commands() -> list[Command]:
    found: list[Command] = []
    inside = False
    for number, line in enumerate(DOCUMENT.read_text().splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append(Command(number, line[2:]))
        elif inside:
            found[-1].output.append(line)
    return found


class Walk:
    """A journal on a broker, the process that answers cases, and a folder to work in."""

    def __init__(self, broker, folder: Path) -> None:
        self.folder = folder / "desk"
        self.folder.mkdir()
        self.rig = Rig(broker, "embedded", folder, partitions=4).create()
        self.process = self.rig.start(module="services.cases")
        wait_until(self.process.is_ready, "cases ready", WAIT_S)
        self.ids: dict[str, str] = {}
        """Ids and moments of the document, and what they are in this run."""

    def close(self) -> None:
        self.rig.close()

    def run(self, text: str) -> tuple[int, str]:
        """A command as the document has it; exit code and output."""
        for told, own in self.ids.items():
            text = text.replace(told, own)
        done = subprocess.run(
            ["bash", "-c", text], cwd=self.folder, env=self._environment(), text=True, timeout=120,
            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        wait_until(self._all_answered, f"answers after: {text}", WAIT_S)
        return done.returncode, done.stdout.rstrip("\n")

    def fits(self, told: str, said: str) -> bool:
        """Whether an output is what the document says; ids that are new are noted."""
        pattern, new = "", {}
        at = 0
        for token in _TOKENS.finditer(told):
            pattern += re.escape(told[at : token.start()])
            at = token.end()
            text = token.group()
            match token.lastgroup:
                case "any":
                    pattern += r"[\s\S]*?"
                case "id" if text in self.ids:
                    pattern += re.escape(self.ids[text])
                case "id" if text in new:
                    pattern += f"(?P={new[text]})"
                case "id":
                    new[text] = f"new{len(new)}"
                    pattern += f"(?P<{new[text]}>{_ID})"
                case "time" if text not in new:
                    new[text] = f"time{len(new)}"
                    pattern += f"(?P<{new[text]}>{_VARIES['time']})"
                case kind:
                    pattern += _VARIES[kind]
        found = re.fullmatch(pattern + re.escape(told[at:]), said)
        if found is None:
            return False
        for text, name in new.items():
            own = found[name]
            if name.startswith("time"):
                self.ids.setdefault(_typed(text), _typed(own))
            else:
                self.ids[text] = own
        return True

    def _environment(self) -> dict[str, str]:
        settings = self.rig.environment()
        own = {name: text for name, text in settings.items() if name.startswith("PITLEDGER_")}
        return environment(ROOT) | own

    def _all_answered(self) -> bool:
        cases = Cases(self.rig.connection.partitions)
        for stored in self.rig.journal():
            cases.take(stored)
        return not cases.unseen
