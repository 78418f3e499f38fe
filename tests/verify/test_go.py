"""The library of Go's checksum database reads our checkpoints and tiles, and agrees with us."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from services.verify.files import Folder
from services.verify.tiles import Hashes
from services.verify.tree import consistency_proof, is_included, is_prefix
from tests.verify.conftest import Golden

HERE = Path(__file__).parent / "go"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Go program, built."""
    if shutil.which("go") is None:
        if os.environ.get("PITLEDGER_SKIP_NOTHING"):
            pytest.fail("Go is missing", pytrace=False)
        pytest.skip("Go is missing")
    program = tmp_path_factory.mktemp("go") / "reader"
    built = subprocess.run(["go", "build", "-mod=readonly", "-o", str(program), "."], cwd=HERE,
                           capture_output=True, text=True, timeout=240, check=False)
    assert built.returncode == 0, built.stderr
    return program


def read(reader: Path, archive: Golden, old: int, index: int) -> subprocess.CompletedProcess[str]:
    command = [str(reader), str(archive.home), archive.public, str(old), str(index)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def unhex(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


@pytest.mark.parametrize("name", ["golden", "wide"])
def test_go_agrees_on_the_root_and_on_every_proof(
    reader: Path, request: pytest.FixtureRequest, name: str
) -> None:
    archive: Golden = request.getfixturevalue(name)
    own = json.loads(archive.verify("--json").out)
    size = own["size"]
    hashes = Hashes(Folder(archive.home), size)
    sizes = sorted(int(key.split("/")[1]) for key in archive.files("checkpoints/"))
    for old in sizes:
        for index in {0, old - 1, size // 2, size - 1}:
            done = read(reader, archive, old, index)
            assert done.returncode == 0, done.stderr
            found = json.loads(done.stdout)
            assert (found["size"], found["root"]) == (size, own["root"])
            root, old_root = bytes.fromhex(found["root"]), bytes.fromhex(found["old_root"])
            leaf, inclusion = bytes.fromhex(found["leaf"]), unhex(found["inclusion"])
            assert leaf == hashes.root(index, index + 1)
            assert is_included(leaf, index, size, root, inclusion)
            consistency = unhex(found["consistency"])
            assert consistency == consistency_proof(old, size, hashes.root)
            assert is_prefix(old, old_root, size, root, consistency)


def test_go_sees_a_tile_that_was_changed_too(reader: Path, wide: Golden) -> None:
    data = wide.read("tile/0/001")
    with wide.with_file("tile/0/001", bytes([data[0] ^ 1]) + data[1:]):
        done = read(reader, wide, 100, 257)
    assert done.returncode != 0
