"""A zip in the one form that packets have, so that each of its bytes is accounted for.

A zip says most things twice, and programs differ in what they believe: what one of them shows can
be other than what another has verified. So nothing is taken but files side by side from the first
byte on, stored or deflated, without times, comments, extra fields or encryption, and behind them a
directory that says the same of each, up to the last byte.
"""

import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from services.verify.faults import Bad, BadInput

PACKED_MAX = 64 << 20
_FILES_MAX = 1_000
_UNPACKED_MAX = 256 << 20
_RATIO_MAX, _RATIO_FROM = 200, 1 << 20
"""How often a file's bytes may be as many as they take in the zip, if there are more than these."""

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_VERSION, _UNIX = 20, 3 << 8
_TIME, _DATE = 0, 1 << 5 | 1  # 1980-01-01, the earliest there is
_MODE = 0o644 << 16
_STORED, _DEFLATED = 0, 8
_ANEW = (
    "its line in the zip's directory is not as a packet has it: packed anew by another program, or"
    " changed; what the zip holds was not judged, so take the packet as it was made"
)


@dataclass(frozen=True, slots=True)
class _File:
    """As the directory has it. `start`: of its header."""

    name: str
    method: int
    crc: int
    packed: int
    size: int
    start: int

    def local(self) -> bytes:
        """Its header."""
        name = self.name.encode()
        head = (b"PK\3\4", _VERSION, 0, self.method, _TIME, _DATE, self.crc, self.packed)
        return _LOCAL.pack(*head, self.size, len(name), 0) + name

    def central(self) -> bytes:
        """Its line in the directory."""
        name = self.name.encode()
        head = (b"PK\1\2", _VERSION | _UNIX, _VERSION, 0, self.method, _TIME, _DATE, self.crc)
        tail = (len(name), 0, 0, 0, 0, _MODE, self.start)
        return _CENTRAL.pack(*head, self.packed, self.size, *tail) + name


def read_zip(data: bytes, is_known: Callable[[str], bool]) -> dict[str, bytes]:
    """Files by their names, in their order. Raises Bad; BadInput for what is no zip at all, or one
    that another program packed.
    """
    if not data.startswith(b"PK\3\4"):
        raise BadInput("is no packet: it does not begin as a zip does")
    files = _directory(data, is_known)
    found: dict[str, bytes] = {}
    at = 0
    for file in files:
        start = at + len(file.local())
        if file.start != at or data[at:start] != file.local():
            raise Bad(f"{file.name}: its header is not what the zip's directory says")
        at = start + file.packed
        found[file.name] = _unpack(file, data[start:at])
    return found


def _directory(data: bytes, is_known: Callable[[str], bool]) -> list[_File]:
    """The files that a zip says it has, before a byte of them is unpacked."""
    end_at = len(data) - _END.size
    if end_at < 0:
        raise Bad("the zip is cut short")
    mark, _, _, _, count, size, start, _ = _END.unpack_from(data, end_at)
    if mark != b"PK\5\6":
        raise Bad("the zip does not end with its directory: cut short, or with more behind it")
    if count > _FILES_MAX:
        raise Bad(f"the zip says that it holds {count} files, more than {_FILES_MAX}")
    if start + size != end_at or data[end_at:] != _END.pack(
        b"PK\5\6", 0, 0, count, count, size, start, 0
    ):
        raise Bad("the zip's end is not as a packet has it: something is in it or behind it")
    files: list[_File] = []
    at = start
    while len(files) < count:
        files.append(_file(data, at, end_at, is_known))
        at += len(files[-1].central())
    _check(files, at == end_at, start)
    return files


def _file(data: bytes, at: int, end: int, is_known: Callable[[str], bool]) -> _File:
    if at + _CENTRAL.size > end:
        raise Bad("the zip's directory is cut short")
    fields = _CENTRAL.unpack_from(data, at)
    flags, method, crc, packed, size, length = *fields[3:5], *fields[7:11]
    raw = data[at + _CENTRAL.size : at + _CENTRAL.size + length]
    try:
        name = raw.decode("ascii")
    except UnicodeDecodeError:
        name = ""
    if re.fullmatch("([a-z]+/)+", name) and not size:  # a folder, which packets do not list
        raise BadInput(f"{name}: {_ANEW}")
    if not is_known(name):
        raise Bad(f"{raw.decode(errors='replace')!r}: no packet has a file of this name")
    if flags & 1:
        raise Bad(f"{name}: is encrypted")
    if method not in (_STORED, _DEFLATED):
        raise Bad(f"{name}: is packed in a way that packets do not have ({method})")
    file = _File(name, method, crc, packed, size, fields[16])
    if data[at : at + len(file.central())] != file.central():
        raise BadInput(f"{name}: {_ANEW}")
    return file


def _check(files: list[_File], whole: bool, start: int) -> None:
    """What the directory says, taken together."""
    names = [file.name for file in files]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise Bad(f"{name}: is in the zip twice")
    for file in files:
        if file.size > max(_RATIO_FROM, file.packed * _RATIO_MAX):
            raise Bad(f"{file.name}: says that it unpacks to {file.size} bytes from {file.packed}")
    unpacked = sum(file.size for file in files)
    if unpacked > _UNPACKED_MAX:
        raise Bad(f"the zip says that it unpacks to {unpacked} bytes, more than {_UNPACKED_MAX}")
    if not whole or sum(len(file.local()) + file.packed for file in files) != start:
        raise Bad("the zip holds bytes that belong to none of its files")


def _unpack(file: _File, packed: bytes) -> bytes:
    """Never more than the directory says, whatever is packed there."""
    unpacked, whole = packed, True
    if file.method == _DEFLATED:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            unpacked = unpacker.decompress(packed, file.size + 1)
        except zlib.error:
            raise Bad(f"{file.name}: cannot be unpacked") from None
        whole = unpacker.eof and not unpacker.unused_data
    if not whole or len(unpacked) != file.size:
        raise Bad(f"{file.name}: does not unpack to the {file.size} bytes that the zip says")
    if zlib.crc32(unpacked) != file.crc:
        raise Bad(f"{file.name}: has not the checksum that the zip says")
    return unpacked
