"""Each setting is read in one place, and what files set is read somewhere."""

import ast
import re
from collections import Counter

from pitledger.sources.environment import SETTINGS
from tests.contract.sources import modules, texts

READS = {"text", "choice", "whole", "flag", "file", "private_file", "secret"}
# Of the tests and of .ci/run, not of a process.
OWN = {"SKIP_NOTHING"}
# A container's probe does not know which process it asks; the image sets the port of all.
TWICE = {"HTTP_PORT"}


def read() -> Counter[str]:
    """How often each setting is read, by its name without PITLEDGER_."""
    counts: Counter[str] = Counter()
    for path, tree in modules("pitledger", "services", "bench"):
        if path == "pitledger/sources/environment.py":
            continue
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr=kind), args=[ast.Constant(value=str(name)), *_]
                ) if kind in READS and name.isupper():
                    counts[name] += 1
                    if kind == "secret":
                        counts[f"{name}_FILE"] += 1
    return counts


def test_each_setting_is_read_in_one_place():
    counts = read()
    assert {"BOOTSTRAP", "BROKER", "SASL_PASSWORD_FILE"} <= set(counts)
    assert [name for name, count in counts.items() if count > 1 and name not in TWICE] == []


def test_what_is_read_is_known_and_nothing_else_so_that_a_misspelt_one_is_warned_of():
    assert {name for name in read() if not name.startswith("FLOOR_")} == SETTINGS


def test_every_setting_that_a_file_names_is_read():
    known = set(read()) | OWN
    named = {
        (path, name)
        for path, text in texts()
        if not path.startswith("tests/")
        for name in re.findall(r"PITLEDGER_([A-Z_]*[A-Z])\b", text)
    }
    assert [(path, name) for path, name in sorted(named) if name not in known] == []
