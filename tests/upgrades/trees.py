"""Another build: the project's tree with patches applied, made in a folder of its own.

A patch beside this file that no longer applies is made anew from such a tree: apply what still
does by hand, then `git diff -U2` between the two states.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.contract.sources import ROOT

PATCHES = Path(__file__).parent
PARTS = ("pitledger", "services", "proto", "tests/kit", "tests/golden", "tests/upgrades",
         "tests/contract")
FILES = ("pyproject.toml", "tests/__init__.py", "tests/conftest.py")


def tree(home: Path, *patches: str) -> Path:
    """The tree in `home`, with its generated code as `make proto` has it."""
    skip = shutil.ignore_patterns("__pycache__", "node_modules")
    for part in PARTS:
        shutil.copytree(ROOT / part, home / part, ignore=skip)
    for name in FILES:
        shutil.copy2(ROOT / name, home / name)
    if (ROOT / "proto" / "node_modules").exists():
        (home / "proto" / "node_modules").symlink_to(ROOT / "proto" / "node_modules")
    for patch in patches:
        apply(home, patch)
    if patches:
        subprocess.run([sys.executable, home / "proto" / "generate.py"], check=True)
    return home


def apply(home: Path, patch: str) -> None:
    """Apply one of the patches here; raise CalledProcessError where it no longer fits."""
    subprocess.run(
        ["git", "apply", "-C1", PATCHES / f"{patch}.patch"],
        cwd=home, env=environment(home), check=True,
    )  # fmt: skip


def environment(home: Path) -> dict[str, str]:
    """Of a process that runs in the tree."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("PITLEDGER_")}
    binaries = Path(sys.executable).parent
    return own | {
        "PYTHONPATH": str(home),
        "PATH": f"{binaries}{os.pathsep}{own.get('PATH', '')}",
        # A tree inside of a repository would be taken for a part of it.
        "GIT_CEILING_DIRECTORIES": str(home.parent),
        "GIT_DIR": str(home / ".no-repository"),
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }
