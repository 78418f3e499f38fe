"""What import contracts cannot see: built-ins that reach outside, and floats."""

import ast

import pytest

from tests.contract.sources import PURE, modules

OUTSIDE = {"open", "print", "input", "eval", "exec", "__import__", "breakpoint", "id"}
INEXACT = {"float", "complex", "round"}
CLOCK_OR_CHANCE = {"now", "today", "utcnow", "uuid1", "uuid4", "getnode"}


def faults(tree: ast.Module) -> list[tuple[int, str]]:
    """(line, what) of each thing that a pure module of whole numbers does not have."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in OUTSIDE | INEXACT | CLOCK_OR_CHANCE:
                found.append((node.lineno, f"{name}()"))
            case ast.Call(func=ast.Attribute(attr=name)) if name in CLOCK_OR_CHANCE:
                found.append((node.lineno, f"{name}()"))
            case ast.Constant(value=float() | complex()):
                found.append((node.lineno, f"the number {node.value}"))
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                found.append((node.lineno, "a division that leaves the whole numbers"))
            case ast.Global():
                found.append((node.lineno, "global state"))
    return found


@pytest.mark.parametrize("part", PURE)
def test_the_core_reaches_nothing_outside_and_knows_no_float(part):
    found = modules(f"pitledger/{part}")
    assert found
    wrong = [f"{path}:{line}: {what}" for path, tree in found for line, what in faults(tree)]
    assert not wrong, "\n".join(wrong)


def test_the_archive_makes_no_keys_it_is_given_them():
    drawn = [
        f"{path}:{node.lineno}"
        for path, tree in modules("pitledger/archive")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("generate", "generate_key")
    ]
    assert not drawn


@pytest.mark.parametrize(
    "line",
    ["open('x')", "x = 1.0", "x = y / 2", "x /= 2", "x = float(y)", "x = round(y)",
     "x = datetime.now()", "x = uuid.uuid4()", "print(x)"],
)  # fmt: skip
def test_a_line_that_is_not_pure_is_found(line):
    assert len(faults(ast.parse(line))) == 1


@pytest.mark.parametrize("line", ["x = y // 2", "x = 'a/b'", "isinstance(x, float)"])
def test_whole_numbers_and_refusals_of_floats_are_fine(line):
    assert faults(ast.parse(line)) == []
