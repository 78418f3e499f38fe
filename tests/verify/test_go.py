"""The library of Go's checksum database reads what we write, and agrees with us."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.verify.conftest import Golden
from tests.verify.outside import agrees_on_packets, agrees_on_proofs, sees_a_changed_tile

HERE = Path(__file__).parent / "go"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The Go program, built."""
    if shutil.which("go") is None:
        if os.environ.get("PITLEDGER_SKIP_NOTHING"):
            pytest.fail("Go is missing", pytrace=False)
        pytest.skip("Go is missing")
    program = tmp_path_factory.mktemp("go") / "reader"
    built = subprocess.run(["go", "build", "-mod=readonly", "-o", str(program), "."], cwd=HERE,
                           capture_output=True, text=True, timeout=240, check=False)
    assert built.returncode == 0, built.stderr
    return [str(program)]


@pytest.mark.parametrize("name", ["golden", "wide"])
def test_go_agrees_on_each_root_and_on_every_proof(
    reader: list[str], request: pytest.FixtureRequest, name: str
) -> None:
    agrees_on_proofs(reader, request.getfixturevalue(name))


def test_go_agrees_on_the_proofs_in_a_packet(
    reader: list[str], sealed: Golden, tmp_path: Path
) -> None:
    agrees_on_packets(reader, sealed, tmp_path)


def test_go_sees_a_tile_that_was_changed_too(reader: list[str], wide: Golden) -> None:
    sees_a_changed_tile(reader, wide)
