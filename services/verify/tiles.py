"""Tiles of C2SP tlog-tiles: 256 hashes of a level side by side, or 256 entries."""

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from services.verify.faults import Bad
from services.verify.files import Folder
from services.verify.tree import largest_power_below, node_hash, root_of

WIDTH = 256
_HASH = 32
_ENTRY_MAX = 65_535
_BUNDLE_MAX = WIDTH * (2 + _ENTRY_MAX)


def tile_key(level: int | str, index: int, width: int = WIDTH) -> str:
    """Where a tile lies; level "entries" is that of the bundles."""
    number = f"{index:0{-(-len(str(index)) // 3) * 3}}"
    groups = [number[i : i + 3] for i in range(0, len(number), 3)]
    path = "/".join([f"x{group}" for group in groups[:-1]] + groups[-1:])
    return f"tile/{level}/{path}" + ("" if width == WIDTH else f".p/{width}")


def widths(files: Folder, level: int | str, index: int, most: int) -> list[int]:
    """Of a tile as it was while the tree grew: the narrower ones that lie about still."""
    partial = tile_key(level, index, 0).removesuffix("/0")
    return [width for width in files.numbers(partial) if 0 < width < most]


def read_tile(files: Folder, level: int, index: int, width: int) -> list[bytes]:
    """The hashes of a tile. Raises Bad."""
    key = tile_key(level, index, width)
    data = files.must_read(key, WIDTH * _HASH)
    if len(data) != width * _HASH:
        raise Bad(f"{key}: has {len(data)} bytes, and not {width * _HASH}")
    return [data[i : i + _HASH] for i in range(0, len(data), _HASH)]


def read_bundle(files: Folder, index: int, width: int) -> tuple[list[bytes], bool]:
    """The entries of a bundle, and whether there is nothing behind them. Raises Bad: no bundle."""
    data = files.must_read(tile_key("entries", index, width), _BUNDLE_MAX)
    return entries_of(data)


def has_bundle(files: Folder, index: int, width: int) -> bool:
    """Whether there is one, good or not."""
    with suppress(Bad):
        return files.read(tile_key("entries", index, width), _BUNDLE_MAX) is not None
    return True


def entries_of(data: bytes) -> tuple[list[bytes], bool]:
    entries, at = [], 0
    while at + 2 <= len(data):
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        if end > len(data):
            break
        entries.append(data[at + 2 : end])
        at = end
    return entries, at == len(data)


class Hashes:
    """Any subtree of a tree, read from its tiles and computed above them."""

    def __init__(self, files: Folder, size: int) -> None:
        self._files, self._size = files, size
        self._tile = lru_cache(maxsize=64)(self._read)

    def root(self, first: int, end: int) -> bytes:
        """The root of the entries from `first` up to, and without, `end`. Raises Bad."""
        size = end - first
        if size & size - 1 == 0:
            height = size.bit_length() - 1
            return self._node(height, first >> height)
        half = largest_power_below(size)
        return node_hash(self.root(first, first + half), self.root(first + half, end))

    def _node(self, height: int, index: int) -> bytes:
        level, above = divmod(height, 8)
        tile, at = divmod(index << above, WIDTH)
        return root_of(self._tile(level, tile)[at : at + (1 << above)])

    def _read(self, level: int, index: int) -> list[bytes]:
        """As wide as the tree needs it, also from a wider one: those may have replaced it."""
        needed = min(WIDTH, (self._size >> 8 * level) - index * WIDTH)
        for width in self._wider(level, index, needed):
            if self._files.read(tile_key(level, index, width), WIDTH * _HASH) is not None:
                return read_tile(self._files, level, index, width)[:needed]
        raise Bad(f"{tile_key(level, index, needed)}: is missing")

    def _wider(self, level: int, index: int, needed: int) -> Iterator[int]:
        yield needed
        yield WIDTH
        yield from (w for w in widths(self._files, level, index, WIDTH) if w > needed)
