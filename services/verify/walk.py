"""The entries of a tree in their order, with all tiles above them."""

from collections.abc import Iterator

from services.verify import tiles
from services.verify.entries import Entry, named
from services.verify.faults import Bad
from services.verify.files import Folder
from services.verify.tiles import WIDTH
from services.verify.tree import leaf_hash, root_of


class Walk:
    """All tiles of a tree, each hash in them computed anew from the entries upwards."""

    def __init__(self, files: Folder, size: int) -> None:
        self._files, self._size = files, size
        self._open: list[list[bytes]] = []  # of each level, the hashes of the tile that is open
        signed = files.numbers("checkpoints")
        self._counts = [{each >> 8 * level for each in signed} for level in range(8)]
        """Of each level, how many hashes the trees had that were signed."""

    def entries(self) -> Iterator[tuple[Entry, bytes]]:
        """Each entry with its hash, its bundle and level-0 tile being good. Raises Bad."""
        for index in range(-(-self._size // WIDTH)):
            width = min(WIDTH, self._size - index * WIDTH)
            found, whole = tiles.read_bundle(self._files, index, width)
            hashes = self._compare(index, width, found, whole)
            self._check_narrower_bundles(index, found)
            for at, (data, hash_) in enumerate(zip(found, hashes, strict=True)):
                yield Entry.parse(index * WIDTH + at, data), hash_
            self._push(1, index, hashes)
        for level, hashes in enumerate(self._open, 1):
            if hashes:
                self._check_tile(level, (self._size >> 8 * level) // WIDTH, hashes)

    def _compare(self, index: int, width: int, found: list[bytes], whole: bool) -> list[bytes]:
        """A bundle with the tile above it, entry by entry."""
        key = tiles.tile_key("entries", index, width)
        tile = tiles.tile_key(0, index, width)
        expected = tiles.read_tile(self._files, 0, index, width)
        hashes = [leaf_hash(data) for data in found]
        for at, (hash_, above) in enumerate(zip(hashes, expected, strict=False)):
            if hash_ != above:
                number = index * WIDTH + at
                raise Bad(f"{named(number, found[at])}: {key} and {tile} do not agree")
        if len(found) < width:
            raise Bad(f"entry {index * WIDTH + len(found)}: {key} is cut short")
        if len(found) > width or not whole:
            raise Bad(f"{key}: holds more than {width} entries")
        self._check_narrower(0, index, hashes)
        return hashes

    def _check_narrower_bundles(self, index: int, entries: list[bytes]) -> None:
        for width in self._widths("entries", index, len(entries)):
            if tiles.read_bundle(self._files, index, width) != (entries[:width], True):
                key = tiles.tile_key("entries", index, width)
                raise Bad(f"{key}: its entries are not those of the wider bundle")

    def _push(self, level: int, index: int, hashes: list[bytes]) -> None:
        """A tile is complete: its root is a hash of the level above."""
        if len(hashes) < WIDTH:
            return
        if len(self._open) < level:
            self._open.append([])
        row = self._open[level - 1]
        row.append(root_of(hashes))
        if len(row) == WIDTH:
            self._open[level - 1] = []
            self._check_tile(level, index // WIDTH, row)
            self._push(level + 1, index // WIDTH, row)

    def _check_tile(self, level: int, index: int, hashes: list[bytes]) -> None:
        found = tiles.read_tile(self._files, level, index, len(hashes))
        for at, (hash_, computed) in enumerate(zip(found, hashes, strict=True)):
            if hash_ != computed:
                key = tiles.tile_key(level, index, len(hashes))
                raise Bad(f"{key}: hash {at} is not that of the tile below it")
        self._check_narrower(level, index, hashes)

    def _check_narrower(self, level: int, index: int, hashes: list[bytes]) -> None:
        for width in self._widths(level, index, len(hashes)):
            if tiles.read_tile(self._files, level, index, width) != hashes[:width]:
                raise Bad(f"{tiles.tile_key(level, index, width)}: is not what the tree grew from")

    def _widths(self, level: int | str, index: int, most: int) -> list[int]:
        """Of the narrower tiles, those of trees that were signed. A writer that was stopped leaves
        others, of a tree that never came to be: nobody reads them.
        """
        counts = self._counts[level if isinstance(level, int) else 0]
        found = tiles.widths(self._files, level, index, most)
        return [width for width in found if index * WIDTH + width in counts]
