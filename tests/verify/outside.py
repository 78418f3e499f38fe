"""What implementations of others must find in our archives and packets, each run as a program."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from services.verify.files import Folder
from services.verify.tiles import Hashes
from services.verify.tree import consistency_proof, is_included, is_prefix
from tests.verify.conftest import Golden
from tests.verify.packets import packet_of


def run_reader(reader: Sequence[str], *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [*reader, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def agrees_on_proofs(reader: Sequence[str], archive: Golden) -> None:
    """On the root of each checkpoint, on inclusion in it, on consistency with those before it."""
    sizes = sorted(int(key.split("/")[1]) for key in archive.files("checkpoints/"))
    assert json.loads(archive.verify("--json").out)["size"] == sizes[-1]
    for new in sizes:
        hashes = Hashes(Folder(archive.home), new)
        root = hashes.root(0, new)
        for old in (each for each in sizes if each <= new):
            index = min(new - 1, new * old // sizes[-1])
            done = run_reader(reader, archive.home, archive.public, old, new, index)
            assert done.returncode == 0, done.stderr
            found = json.loads(done.stdout)
            assert (found["size"], found["root"]) == (new, root.hex())
            leaf, inclusion = bytes.fromhex(found["leaf"]), unhex(found["inclusion"])
            assert leaf == hashes.root(index, index + 1)
            assert is_included(leaf, index, new, root, inclusion)
            consistency = unhex(found["consistency"])
            assert consistency == consistency_proof(old, new, hashes.root)
            assert is_prefix(old, bytes.fromhex(found["old_root"]), new, root, consistency)


def agrees_on_packets(reader: Sequence[str], archive: Golden, home: Path) -> None:
    """Each proof in a packet of the archive, and none that is of another entry."""
    packet = packet_of(archive)
    for name, data in packet.files.items():
        (home / name.replace("/", "-")).write_bytes(data)
    proofs = sorted(home.glob("*.proof"))
    size = int(archive.read("checkpoint").split(b"\n")[1])
    for path in proofs:
        done = run_reader(reader, "proof", archive.public, path, path.with_suffix(".entry"))
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["size"] == size
    other = proofs[1].with_suffix(".entry")
    assert run_reader(reader, "proof", archive.public, proofs[0], other).returncode != 0


def sees_a_changed_tile(reader: Sequence[str], wide: Golden) -> None:
    data = wide.read("tile/0/001")
    with wide.with_file("tile/0/001", bytes([data[0] ^ 1]) + data[1:]):
        assert run_reader(reader, wide.home, wide.public, 100, 600, 257).returncode != 0
    assert run_reader(reader, wide.home, wide.public, 100, 600, 257).returncode == 0


def unhex(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]
