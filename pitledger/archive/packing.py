"""A leaf's bytes as they lie in a file: a zstd frame of their own, mostly with a dictionary.

One round repeats little of itself and most of what rounds have in common. That is in a dictionary,
which the archive holds as a document; documents are packed without one. So whoever has the archive
has all that it takes to read it, whatever dictionary a later build brings along.
"""

from collections.abc import Callable

from zstandard import (
    ZstdCompressionDict,
    ZstdCompressor,
    ZstdDecompressor,
    ZstdError,
    frame_content_size,
    get_frame_parameters,
)

from pitledger.archive.leaves import Leaf

_LEVEL = 3
"""Of zstd. With the dictionary a round of 23 kB takes 2.85 kB in 0.05 ms; 2.80 in 0.12 at level 6,
2.76 in 0.19 at level 9. At each of them one in 13 is longer than a block of a disk, 4,096 bytes.
"""


LENGTH_MAX = 64 << 20
"""Bytes of a leaf, whatever its manifest says: it may come from anybody."""


class NotPacked(ValueError):
    """The bytes are no frame, are damaged, or are not as long as they should be; one line."""


class Packer:
    """`dictionary`: of zstd's own format, with its number in it; b"": none."""

    def __init__(self, dictionary: bytes = b"") -> None:
        alone = ZstdCompressor(level=_LEVEL, write_checksum=True)
        self._alone = self._records = alone.compress
        if dictionary:
            prepared = ZstdCompressionDict(dictionary)
            prepared.precompute_compress(level=_LEVEL)
            with_it = ZstdCompressor(level=_LEVEL, write_checksum=True, dict_data=prepared)
            self._records = with_it.compress

    def pack(self, leaf: Leaf) -> bytes:
        # Of no bytes there is one leaf, and one file: it must not name a later build's dictionary.
        plain = leaf.is_document or not leaf.data
        return self._alone(leaf.data) if plain else self._records(leaf.data)


def number_of(dictionary: bytes) -> int:
    """By which a frame names it; 0: it has none."""
    return ZstdCompressionDict(dictionary).dict_id()


class Unpacker:
    """For frames with one dictionary; several threads may ask at once."""

    def __init__(self, dictionary: bytes) -> None:
        self._dictionary = ZstdCompressionDict(dictionary)
        self._idle: list[ZstdDecompressor] = []

    def unpack(self, packed: bytes) -> bytes:
        """Raises ZstdError."""
        try:
            one = self._idle.pop()
        except IndexError:  # it takes longer to make one than to unpack a round
            one = ZstdDecompressor(dict_data=self._dictionary)
        data = one.decompress(packed)
        self._idle.append(one)
        return data


def unpack(packed: bytes, length: int, unpacker: Callable[[int], Unpacker]) -> bytes:
    """The bytes of a leaf. `unpacker`: of a dictionary's number. Raises NotPacked and what that
    raises.
    """
    if length > LENGTH_MAX:
        raise NotPacked(f"is of {length} bytes, as its manifest has it, and no leaf is")
    try:
        if frame_content_size(packed) != length:
            raise NotPacked("has not the length of its manifest")
        number = get_frame_parameters(packed).dict_id
        return unpacker(number).unpack(packed) if number else ZstdDecompressor().decompress(packed)
    except ZstdError:
        raise NotPacked("is damaged") from None
