"""A tree that a mirror grows from its source's entries, tile by tile."""

from collections.abc import Iterator
from dataclasses import dataclass

from pitledger.archive import layout
from pitledger.archive.log import BadArchive, bundle, edge_of, entries_behind
from pitledger.archive.merkle import HASH_SIZE, WIDTH, Tile, leaf_hash
from pitledger.archive.store import Store
from pitledger.archive.tiles import tile_data


@dataclass(frozen=True, slots=True)
class Entry:
    number: int
    data: bytes


class Growing:
    """What the mirror holds of the tree; `take` computes its tiles anew from the entries.

    Raises BadArchive, StoreError.
    """

    def __init__(self, store: Store, size: int) -> None:
        self._store = store
        self._edge = edge_of(store, size)
        self._bundle = entries_behind(store, size)

    @property
    def size(self) -> int:
        return self._edge.size

    def root(self) -> bytes:
        return self._edge.root()

    def take(self, entry: Entry) -> None:
        assert entry.number == self.size
        self._bundle.append(entry.data)
        for tile in self._edge.append(leaf_hash(entry.data)):
            self._write(tile)
        if len(self._bundle) == WIDTH:
            self._write_bundle()
            self._bundle.clear()

    def write_edge(self) -> None:
        """The tiles that are not full, so that the tree can be read as it is."""
        for tile in self._edge.partial():
            self._write(tile)
        if self._bundle:
            self._write_bundle()

    def _write(self, tile: Tile) -> None:
        key = layout.hash_tile(tile.level, tile.index, len(tile.hashes))
        self._store.write(key, tile.data)

    def _write_bundle(self) -> None:
        index = (self.size - 1) // WIDTH
        data = b"".join(len(entry).to_bytes(2, "big") + entry for entry in self._bundle)
        self._store.write(layout.entry_bundle(index, len(self._bundle)), data)


def entries_from(source: Store, first: int, size: int) -> Iterator[Entry]:
    """Entries of a tree of `size`, each compared with its hash. Raises BadArchive, StoreError."""
    for index in range(first // WIDTH, -(-size // WIDTH)):
        width = min(WIDTH, size - index * WIDTH)
        hashes = tile_data(source, 0, index, width)
        for at, data in enumerate(bundle(source, index, width)):
            number = index * WIDTH + at
            if leaf_hash(data) != hashes[at * HASH_SIZE : (at + 1) * HASH_SIZE]:
                key = layout.hash_tile(0, index, width)
                raise BadArchive(f"entry {number}: its bundle and {key} do not agree")
            if number >= first:
                yield Entry(number, data)
