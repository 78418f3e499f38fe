"""A signed tree in its tiles: hashes and what is proved with them, and bundles of entries."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pitledger.archive import layout
from pitledger.archive.merkle import (
    EMPTY_ROOT,
    HASH_SIZE,
    WIDTH,
    consistency_proof,
    inclusion_proof,
    root_of_perfect,
    subtree_hash,
)
from pitledger.archive.store import BadArchive, Store

_TILE_LEVELS = WIDTH.bit_length() - 1
"""Levels of the tree that a tile spans."""


@dataclass(slots=True)
class Tiles:
    """Of a tree of `size` entries; each tile is read once. Raises BadArchive, StoreError."""

    store: Store
    size: int
    _read: dict[tuple[int, int], bytes] = field(default_factory=dict)

    def root(self) -> bytes:
        return subtree_hash(0, self.size, self.node) if self.size else EMPTY_ROOT

    def node(self, level: int, index: int) -> bytes:
        """The root over the 2**level entries from index * 2**level on."""
        tile_level, above = divmod(level, _TILE_LEVELS)
        count = 1 << above
        first = index << above
        data = self._tile(tile_level, first // WIDTH)
        at = first % WIDTH * HASH_SIZE
        hashes = [data[at + i * HASH_SIZE : at + (i + 1) * HASH_SIZE] for i in range(count)]
        if len(hashes[-1]) != HASH_SIZE:
            raise BadArchive(f"tile {tile_level}/{first // WIDTH}: lacks hash {first % WIDTH}")
        return root_of_perfect(hashes)

    def includes(self, index: int) -> list[bytes]:
        """The proof that entry `index` lies in the tree (RFC 6962, section 2.1.1)."""
        return inclusion_proof(index, self.size, self.node)

    def continues(self, old: int) -> list[bytes]:
        """The proof that the tree of the first `old` entries is this one's beginning (2.1.2)."""
        return consistency_proof(old, self.size, self.node)

    def root_of_first(self, old: int) -> bytes:
        """The root that the tree had at `old` entries."""
        return subtree_hash(0, old, self.node) if old else EMPTY_ROOT

    def _tile(self, level: int, index: int) -> bytes:
        known = self._read.get((level, index))
        if known is not None:
            return known
        width = min(WIDTH, (self.size >> _TILE_LEVELS * level) - index * WIDTH)
        data = tile_data(self.store, level, index, width)
        self._read[level, index] = data
        return data


def tile_data(store: Store, level: int, index: int, width: int) -> bytes:
    """The hashes of a tile; of a partial one that has given way to the full one, out of that.

    Raises BadArchive.
    """
    key, size = layout.hash_tile(level, index, width), width * HASH_SIZE
    data = store.read(key)
    if data is None:
        full = store.read(layout.hash_tile(level, index, WIDTH))
        if full is None:
            raise BadArchive(f"{key}: is missing")
        data = full[:size]
    if len(data) != size:
        raise BadArchive(f"{key}: is damaged")
    return data


def bundle_data(entries: Iterable[bytes]) -> bytes:
    """Each entry after its length, in two bytes."""
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


def bundle(store: Store, index: int, width: int) -> list[bytes]:
    """The entries of one bundle; as with tiles, out of the full one. Raises BadArchive."""
    key = layout.entry_bundle(index, width)
    data, at, entries = store.read(key), 0, list[bytes]()
    if data is None:
        if width < WIDTH and store.read(layout.entry_bundle(index, WIDTH)) is not None:
            return bundle(store, index, WIDTH)[:width]
        raise BadArchive(f"{key}: is missing")
    while at < len(data):
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        entries.append(data[at + 2 : end])
        at = end
    if at != len(data) or len(entries) != width:
        raise BadArchive(f"{key}: is damaged")
    return entries
