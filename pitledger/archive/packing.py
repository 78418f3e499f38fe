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
    get_frame_parameters,
)

from pitledger.archive.leaves import Leaf

_LEVEL = 3
"""Of zstd. With the dictionary a round of 23 kB takes 2.85 kB in 0.05 ms; 2.80 in 0.12 at level 6,
2.76 in 0.19 at level 9. At each of them one in 13 is longer than a block of a disk, 4,096 bytes.
"""


LENGTH_MAX = 64 << 20
"""Bytes of a leaf, whatever its manifest says: it may come from anybody."""
_MAGIC = bytes.fromhex("28b52ffd")
_UNUSED = 0x10
"""A bit of the frame's header that says nothing: who verifies refuses it."""


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

    def unpack(self, packed: bytes, length: int) -> bytes:
        """Raises ZstdError."""
        try:
            one = self._idle.pop()
        except IndexError:  # it takes longer to make one than to unpack a round
            one = ZstdDecompressor(dict_data=self._dictionary)
        data = _one_frame(one, packed, length)
        self._idle.append(one)
        return data


def unpack(packed: bytes, length: int, unpacker: Callable[[int], Unpacker]) -> bytes:
    """The bytes of a leaf, whose file is one frame with nothing before or behind it: all that is
    good here is good for `pitledger-verify`. `unpacker`: of a dictionary's number.

    Raises NotPacked and what that raises.
    """
    if length > LENGTH_MAX:
        raise NotPacked(f"is of {length} bytes, as its manifest has it, and no leaf is")
    if len(packed) > length + length // 128 + 1024:
        raise NotPacked("is longer than any frame of that length")
    if packed[:4] != _MAGIC or any(byte & _UNUSED for byte in packed[4:5]):
        raise NotPacked("is no frame of zstd")
    try:
        frame = get_frame_parameters(packed)
        if frame.content_size != length or frame.window_size > LENGTH_MAX:
            raise NotPacked("has not the length of its manifest")
        if number := frame.dict_id:
            return unpacker(number).unpack(packed, length)
        return _one_frame(ZstdDecompressor(), packed, length)
    except ZstdError:
        raise NotPacked("is damaged, or has something behind it") from None


def _one_frame(decompressor: ZstdDecompressor, packed: bytes, length: int) -> bytes:
    """Raises ZstdError, for bytes behind the frame as well."""
    if length:
        return decompressor.decompress(packed, allow_extra_data=False)
    # Of a frame that says that it is empty, that function looks at no more than the header.
    whole = decompressor.decompressobj()
    data = whole.decompress(packed)
    if not whole.eof or whole.unused_data:
        raise ZstdError("more than a frame, or less")
    return data
