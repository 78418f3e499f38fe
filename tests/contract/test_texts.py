"""What no file of the project holds."""

import ast
import re

import pytest

from tests.contract.sources import modules, texts

# Written so that this file does not hold them itself.
FORBIDDEN = {
    "a path of one machine": r"(?<![\w.])/(?:home|root|Users|work|mnt)/\w",
    "the address of a package index": (
        r"pypi\.(?:org|python)|pythonhosted|registry\.(?:npmjs|yarnpkg)|repo\d?\.maven"
        r"|--(?:extra-)?index-url[ =]|--find-links[ =]|--trusted-host[ =]"
    ),
    "work left to do": r"\b(?:TO" + r"DO|FIX" + r"ME|X{3})\b",
}
FUNCTION_LINES_MAX = 70


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what):
    pattern = re.compile(FORBIDDEN[what])
    found = [
        f"{path}:{number}: {line.strip()[:90]}"
        for path, text in texts()
        if path != "tests/contract/test_texts.py"
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def test_no_function_is_longer_than_a_screen():
    long = [
        f"{path}:{node.lineno}: {node.name}"
        for path, tree in modules("pitledger", "services", "proto")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno - node.lineno >= FUNCTION_LINES_MAX
    ]
    assert not long, "\n".join(long)


def test_nobody_pauses_a_partition():
    """It may be read never again: see `letting_go.py`."""
    pausing = [
        f"{path}:{node.lineno}"
        for path, tree in modules("pitledger", "services")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (node.func.attr, ast.unparse(node.func.value).lstrip("_")[-8:]) == ("pause", "consumer")
    ]
    assert pausing == []
