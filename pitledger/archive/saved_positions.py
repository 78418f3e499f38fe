"""Where a log's writer goes on, kept beside the log, so that a start need not read every entry.

It is the writer's own and no evidence: what is kept counts only with the signed tree that it was
folded from, and without it all entries are read. A digit that flipped in it would make the writer
sign a log with a gap: its first line is the SHA-256 of the rest, in hex.
"""

import json
from hashlib import sha256
from typing import Any

from google.protobuf.message import DecodeError

from pitledger.archive import layout
from pitledger.archive.log import manifests
from pitledger.archive.offsets import Offsets
from pitledger.archive.positions import Positions
from pitledger.archive.said import read_json
from pitledger.archive.signed import read_signed
from pitledger.archive.store import READ_MAX, BadArchive, Store
from pitledger.pb.archive_pb2 import ArchiveLeaf

POSITIONS = "positions"
EVERY = 1 << 16
"""So many entries are read again at the most: half a second's."""
_FORMAT = 3


def read_positions(store: Store, size: int) -> Positions:
    """Of the tree of this size. Raises BadArchive, StoreError."""
    begin, positions = _kept(store, size)
    return positions.take_all(manifests(store, size, begin))


class Keeping:
    """Keeps the positions of a log that grows. Raises BadArchive, StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._size: int | None = None
        """Of the tree whose positions are kept; None: nobody has looked."""

    def keep(self, size: int) -> None:
        """Of a tree that is signed, where it has grown by so much that it matters."""
        if self._size is not None and size - self._size < EVERY:
            return
        self._size, positions = _kept(self._store, size)
        if size - self._size < EVERY:
            return
        positions.take_all(manifests(self._store, size, self._size))
        root = _root(self._store, size)
        assert root is not None
        self._store.write(POSITIONS, _data(positions, size, root))
        self._store.sync()
        self._size = size


def _kept(store: Store, size: int) -> tuple[int, Positions]:
    """What is kept of a tree not larger than this, and how large that is."""
    try:
        kept = read_json(_body(store.read(POSITIONS) or b""), READ_MAX)
        of = int(kept.get("size", 0))
        if kept.get("format") == _FORMAT and of <= size and kept["root"] == _root(store, of):
            return of, _positions(kept)
    except (AttributeError, DecodeError, KeyError, OverflowError, TypeError, ValueError):
        pass  # damaged, or by another build: it is made anew
    return 0, Positions()


def _root(store: Store, size: int) -> str | None:
    """As it was signed."""
    try:
        signed = read_signed(store, layout.signed_checkpoint(size))
    except BadArchive:
        return None
    return signed.checkpoint.root.hex() if signed else None


def _data(positions: Positions, size: int, root: str) -> bytes:
    kept = {
        "format": _FORMAT,
        "size": size,
        "root": root,
        "documents": sorted(each.hex() for each in positions.documents),
        "partitions": {
            str(partition): {
                "cut": position.cut,
                "taken": position.taken.ranges(),
                "last_round": _hex(position.last_round),
                "last_remainder": _hex(position.last_remainder),
            }
            for partition, position in positions.items()
        },
    }
    body = json.dumps(kept).encode()
    return _sum(body) + b"\n" + body


def _body(data: bytes) -> bytes:
    """ "{}": of what is damaged, or by a build that wrote no sum."""
    kept, _, body = data.partition(b"\n")
    return body if kept == _sum(body) else b"{}"


def _sum(body: bytes) -> bytes:
    return sha256(body).hexdigest().encode()


def _positions(kept: dict[str, Any]) -> Positions:
    positions = Positions()
    positions.documents = {bytes.fromhex(each) for each in kept["documents"]}
    for partition, each in kept["partitions"].items():
        position = positions.of(int(partition))
        position.cut = each["cut"]
        position.taken = Offsets((int(first), int(end)) for first, end in each["taken"])
        position.last_round = _leaf(each["last_round"])
        position.last_remainder = _leaf(each["last_remainder"])
    return positions


def _hex(leaf: ArchiveLeaf | None) -> str | None:
    return None if leaf is None else leaf.SerializeToString().hex()


def _leaf(kept: str | None) -> ArchiveLeaf | None:
    return None if kept is None else ArchiveLeaf.FromString(bytes.fromhex(kept))
