"""aics-tlog, a verifier of such logs by others, reads what we write, and agrees with us.

It needs Python 3.12 or newer, which Pitledger does not: where there is none, or the package cannot
be had, it is not asked. `AICS_TLOG_PYTHON` names an interpreter that has the package.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.verify.conftest import Golden
from tests.verify.outside import agrees_on_packets, agrees_on_proofs, sees_a_changed_tile

PACKAGE = "aics-tlog==0.2.1"
READER = Path(__file__).parent / "aics_tlog" / "reader.py"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The program, and a Python that can run it. Skips, also under PITLEDGER_SKIP_NOTHING."""
    named = os.environ.get("AICS_TLOG_PYTHON")
    if named:
        return [named, str(READER)]
    names = [f"python3.{minor}" for minor in range(20, 11, -1)]
    newer = next(filter(runs, filter(None, map(shutil.which, names))), None)
    if newer is None:
        pytest.skip("no Python of 3.12 or newer on the PATH")
    home = tmp_path_factory.mktemp("aics") / "venv"
    install = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet",
               "--disable-pip-version-check", "--only-binary=:all:", PACKAGE]
    for command in ([newer, "-m", "venv", str(home)], install):
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        if done.returncode:
            pytest.skip(f"{PACKAGE} cannot be had: {done.stderr.strip()[-200:]}")
    return [str(home / "bin" / "python"), str(READER)]


def runs(python: str) -> bool:
    """A version manager's stand-in is on the PATH also where there is nothing behind it."""
    done = subprocess.run([python, "-c", ""], capture_output=True, timeout=60, check=False)
    return done.returncode == 0


@pytest.mark.parametrize("name", ["golden", "wide"])
def test_it_agrees_on_each_root_and_on_every_proof(
    reader: list[str], request: pytest.FixtureRequest, name: str
) -> None:
    agrees_on_proofs(reader, request.getfixturevalue(name))


def test_it_agrees_on_the_proofs_in_a_packet(
    reader: list[str], sealed: Golden, tmp_path: Path
) -> None:
    agrees_on_packets(reader, sealed, tmp_path)


def test_it_sees_a_tile_that_was_changed_too(reader: list[str], wide: Golden) -> None:
    sees_a_changed_tile(reader, wide)
