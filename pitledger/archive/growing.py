"""A log's tree that grows entry by entry: its tiles and entry bundles, as they become complete."""

from pitledger.archive import layout
from pitledger.archive.merkle import HASH_SIZE, WIDTH, Edge, Tile, leaf_hash
from pitledger.archive.store import BadArchive, Store
from pitledger.archive.tiles import bundle, bundle_data, tile_data


class Growing:
    """From the tree of a size on, as it lies there. Raises BadArchive, StoreError."""

    def __init__(self, store: Store, size: int) -> None:
        self._store = store
        self._edge = _edge_of(store, size)
        width = size % WIDTH
        self._bundle = bundle(store, size // WIDTH, width) if width else []
        """The entries behind the last full bundle."""
        if [leaf_hash(entry) for entry in self._bundle] != self._edge.open[0]:
            raise BadArchive("the last entries are not those of the tiles above them")

    @property
    def size(self) -> int:
        return self._edge.size

    def root(self) -> bytes:
        return self._edge.root()

    def take(self, entry: bytes) -> None:
        """The next entry; what is full with it is written."""
        self._bundle.append(entry)
        for tile in self._edge.append(leaf_hash(entry)):
            self._write(tile)
        if len(self._bundle) == WIDTH:
            self._write_bundle()
            self._bundle.clear()

    def write_edge(self) -> None:
        """The tiles that are not full, so that the tree can be read as it is."""
        if self._bundle:
            self._write_bundle()
        for tile in self._edge.partial():
            self._write(tile)

    def _write(self, tile: Tile) -> None:
        key = layout.hash_tile(tile.level, tile.index, len(tile.hashes))
        self._store.write(key, tile.data)

    def _write_bundle(self) -> None:
        key = layout.entry_bundle((self.size - 1) // WIDTH, len(self._bundle))
        self._store.write(key, bundle_data(self._bundle))


def _edge_of(store: Store, size: int) -> Edge:
    """The right edge of the tree of a size, from its tiles."""
    edge, level, count = Edge(size, []), 0, size
    while count or not edge.open:
        width = count % WIDTH
        data = tile_data(store, level, count // WIDTH, width) if width else b""
        edge.open.append([data[i : i + HASH_SIZE] for i in range(0, len(data), HASH_SIZE)])
        level, count = level + 1, count // WIDTH
    return edge
