"""The import contracts of pyproject.toml hold, and each is broken by what it forbids."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.sources import ROOT


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=root, env={**os.environ, "PYTHONPATH": str(root), "COLUMNS": "200"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    root = tmp_path_factory.mktemp("copy")
    for name in ("pitledger", "services"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    return root


def test_the_contracts_hold():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("pitledger/sources/file.py", "import services.runtime", "The core stands alone"),
        ("pitledger/cards.py", "import pitledger.games", "The core is layered"),
        ("pitledger/games/poker.py", "import pitledger.processors", "The core is layered"),
        ("pitledger/processors/round.py", "import pitledger.words", "holds no words"),
        ("pitledger/money.py", "import time", "The core is pure"),
        ("pitledger/games/saigon5.py", "import random", "The core is pure"),
        ("pitledger/journal/table.py", "import datetime", "The core is pure"),
        ("pitledger/derive.py", "import logging", "The core is pure"),
        ("pitledger/engine.py", "import aiokafka", "The core is pure"),
        ("pitledger/cases/fold.py", "import time", "The core is pure"),
        ("pitledger/replay.py", "import pitledger.sources.file", "The core is pure"),
        ("pitledger/story.py", "import datetime", "The core is pure"),
        ("pitledger/audit/saigon.py", "import pitledger.games.poker", "The auditor shares"),
        ("services/wagers/__main__.py", "import services.dealing", "The four processes"),
        ("services/auditor/judge.py", "import services.floor", "The auditor's process"),
    ],
)
def test_each_contract_is_broken_by_what_it_forbids(copy, module, line, contract):
    path = copy / module
    before = path.read_text()
    path.write_text(f"{before}\n{line}\n")
    try:
        done = lint(copy)
    finally:
        path.write_text(before)
    broken = [row for row in done.stdout.splitlines() if row.endswith(" BROKEN")]
    assert done.returncode == 1
    assert any(contract in row for row in broken), done.stdout + done.stderr
