"""Reads an archive with aics-tlog (PyPI, Python 3.12 and newer) as `go/main.go` does with Go's.

ARCHIVE KEY OLD NEW INDEX: sizes of two checkpoints, and the number of an entry; or
proof KEY PROOF ENTRY: a C2SP tlog-proof and the entry that it is of.
"""

import base64
import json
import sys
from pathlib import Path

from aics_tlog import (
    FileSystemTileReader,
    VerifiedTileReader,
    audit_tiles,
    consistency_proof_from_tiles,
    inclusion_proof_from_tiles,
    leaf_hash,
    parse_note,
    parse_vkey,
    verify_checkpoint,
    verify_consistency,
    verify_leaf_inclusion,
)


class Files(FileSystemTileReader):
    """A partial tile is gone once the full one is there."""

    def read_tile(self, level: int, index: int, width: int | None) -> bytes | None:
        found = super().read_tile(level, index, width)
        full = super().read_tile(level, index, None) if found is None and width else None
        return full[: 32 * width] if full and width else found

    def read_entry_bundle(self, index: int, width: int | None) -> bytes | None:
        found = super().read_entry_bundle(index, width)
        full = super().read_entry_bundle(index, None) if found is None and width else None
        return full[: end_of(full, width)] if full and width else found


def end_of(bundle: bytes, width: int) -> int:
    at = 0
    for _ in range(width):
        at += 2 + int.from_bytes(bundle[at : at + 2], "big")
    return at


def main() -> None:
    first, *rest = sys.argv[1:]
    found = proof(*rest) if first == "proof" else archive(first, *rest)
    print(json.dumps(found))


def archive(home: str, vkey: str, old_size: str, new_size: str, number: str) -> dict:
    index = int(number)
    folder = Path(home) / "checkpoints"
    old = checkpoint((folder / old_size).read_bytes(), vkey)
    new = checkpoint((folder / new_size).read_bytes(), vkey)
    files = Files(home)
    audit_tiles(files, new.size, new.root)
    tiles = VerifiedTileReader(files, new.size, new.root)
    inclusion = inclusion_proof_from_tiles(tiles, index, new.size)
    assert verify_leaf_inclusion(tiles.entry(index), index, new.size, inclusion, new.root)
    consistency = consistency_proof_from_tiles(tiles, old.size, new.size)
    assert verify_consistency(old.size, new.size, old.root, new.root, consistency)
    return {
        "size": new.size,
        "root": new.root.hex(),
        "leaf": leaf_hash(tiles.entry(index)).hex(),
        "inclusion": [each.hex() for each in inclusion],
        "old": old.size,
        "old_root": old.root.hex(),
        "consistency": [each.hex() for each in consistency],
        "index": index,
    }


def proof(vkey: str, path: str, entry: str) -> dict:
    above, _, signed = Path(path).read_bytes().partition(b"\n\n")
    head, number, *lines = above.decode().split("\n")
    assert head == "c2sp.org/tlog-proof@v1"
    index, tree = int(number.removeprefix("index ")), checkpoint(signed, vkey)
    hashes = [base64.b64decode(line, validate=True) for line in lines]
    assert verify_leaf_inclusion(Path(entry).read_bytes(), index, tree.size, hashes, tree.root)
    return {"size": tree.size, "root": tree.root.hex(), "index": index}


def checkpoint(data: bytes, vkey: str):
    result = verify_checkpoint(parse_note(data), parse_vkey(vkey))
    assert result.ok, result.error
    return result


main()
