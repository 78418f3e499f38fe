"""The entries of a mirror's source, as the hashes in its tree have them."""

from collections.abc import Iterator
from dataclasses import dataclass

from pitledger.archive import layout
from pitledger.archive.merkle import HASH_SIZE, WIDTH, leaf_hash
from pitledger.archive.store import BadArchive, Store
from pitledger.archive.tiles import bundle, tile_data


@dataclass(frozen=True, slots=True)
class Entry:
    number: int
    data: bytes


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
