"""A leaf's file: one zstd frame, by a dictionary or without."""

from hashlib import sha256

import zstandard

from pitledger.pb.archive_pb2 import ArchiveLeaf
from services.verify.entries import Entry
from services.verify.faults import Bad
from services.verify.files import Folder

LONGEST = 64 << 20
"""Bytes of a leaf. What lies in it is looked at piece by piece."""

_MAGIC = bytes.fromhex("28b52ffd")
_UNUSED = 0x10
"""A bit of the frame's header that says nothing, and that decoders do not look at."""

_DICTIONARY_MAGIC = bytes.fromhex("37a430ec")
_DICTIONARY_MAX, _DICTIONARIES_MAX = 1 << 20, 64 << 20
"""Bytes of one, and of all that a log holds: each is kept to its end."""


def leaf_key(leaf: ArchiveLeaf) -> str:
    name = leaf.sha256.hex()
    return f"leaf/{name[:2]}/{name}.zst"


class Unpacker:
    """Knows the dictionaries that lie in the log, as it is read."""

    def __init__(self) -> None:
        self._by_dictionary = {0: zstandard.ZstdDecompressor()}
        self._kept = 0

    def add_dictionary(self, entry: Entry, data: bytes) -> None:
        """Frames name it by the number in it. Raises Bad."""
        number = int.from_bytes(data[4:8], "little")
        if data[:4] != _DICTIONARY_MAGIC or not number or len(data) > _DICTIONARY_MAX:
            entry.bad("is no dictionary of zstd")
        if number in self._by_dictionary:
            entry.bad(f"is a second dictionary of the number {number}")
        self._kept += len(data)
        if self._kept > _DICTIONARIES_MAX:
            entry.bad(f"the dictionaries up to here have more than {_DICTIONARIES_MAX} bytes")
        try:
            dictionary = zstandard.ZstdCompressionDict(data, zstandard.DICT_TYPE_FULLDICT)
            self._by_dictionary[number] = zstandard.ZstdDecompressor(dict_data=dictionary)
        except zstandard.ZstdError:
            entry.bad("is no dictionary of zstd")

    def leaf(self, files: Folder, entry: Entry) -> bytes | None:
        """The bytes that a manifest tells of; None: their file is not there. Raises Bad."""
        leaf = entry.leaf
        if len(leaf.sha256) != 32:
            entry.bad("names no SHA-256")
        if leaf.length > LONGEST:
            entry.bad(f"is of {leaf.length} bytes, and no leaf has more than {LONGEST}")
        key = leaf_key(leaf)
        longest = leaf.length + leaf.length // 128 + 1024
        try:
            packed = files.read(key, longest)
        except Bad as problem:
            entry.bad(str(problem))
        if packed is None:
            return None
        data = self._unpack(entry, key, packed)
        if sha256(data).digest() != leaf.sha256:
            entry.bad(f"{key}: has not the SHA-256 that it is named by")
        return data

    def _unpack(self, entry: Entry, key: str, packed: bytes) -> bytes:
        """As long as the manifest says before a byte of it is unpacked."""
        length = entry.leaf.length
        if packed[:4] != _MAGIC or any(byte & _UNUSED for byte in packed[4:5]):
            entry.bad(f"{key}: cannot be unpacked")
        try:
            frame = zstandard.get_frame_parameters(packed)
            if frame.content_size != length or frame.window_size > LONGEST:
                entry.bad(f"{key}: is not of the {length} bytes that the manifest says")
            unpacker = self._by_dictionary.get(frame.dict_id)
            if unpacker is None:
                entry.bad(f"{key}: no entry before it is its dictionary, {frame.dict_id}")
            data = _decompress(unpacker, packed, length)
        except zstandard.ZstdError:
            entry.bad(f"{key}: cannot be unpacked")
        if len(data) != length:
            entry.bad(f"{key}: is not of the {length} bytes that the manifest says")
        return data


def _decompress(unpacker: zstandard.ZstdDecompressor, packed: bytes, length: int) -> bytes:
    """Raises ZstdError, for bytes behind the frame as well."""
    if length:
        return unpacker.decompress(packed, max_output_size=length, allow_extra_data=False)
    # Of a frame that says that it is empty, that function looks at no more than the header.
    whole = unpacker.decompressobj()
    data = whole.decompress(packed)
    if not whole.eof or whole.unused_data:
        raise zstandard.ZstdError("more than a frame, or less")
    return data
