"""Signed notes, checkpoints and their keys, as C2SP has them, for who checks and never signs.

signed-note: text, an empty line, a line for each signature; tlog-checkpoint: the text is origin,
size, root; tlog-cosignature: a witness signs the text and the time at which it did.
"""

import base64
import binascii
from dataclasses import dataclass
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

LONGEST = 1 << 20
"""Bytes of a note."""

_LOG, _WITNESS = 1, 4
_SIGNATURES_MAX = 100
_P = (1 << 255) - 19
_Y_OF_8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL = {0, 1, _P - 1, _Y_OF_8, _P - _Y_OF_8}
"""y of the points of Ed25519 whose order is 8 or less: anybody signs for such a key."""
_DASH = "\N{EM DASH} "


class BadNote(ValueError):
    """One line, to be put behind the name of what was read."""


@dataclass(frozen=True, slots=True)
class Key:
    """A public key: `NAME+HASH+BASE64`."""

    name: str
    id: bytes
    kind: int
    _key: bytes

    @property
    def handle(self) -> str:
        """`NAME+HASH`, by which people tell keys of one name apart."""
        return f"{self.name}+{self.id.hex()}"

    def __str__(self) -> str:
        raw = bytes([self.kind]) + self._key
        return f"{self.handle}+{base64.b64encode(raw).decode()}"

    @property
    def is_witness(self) -> bool:
        return self.kind == _WITNESS

    @classmethod
    def parse(cls, text: str) -> "Key":
        """Raises BadNote."""
        name, hash_, data = [*text.strip().split("+", 2), "", ""][:3]
        raw = unbase64(data)
        if not _is_name(name) or raw is None or len(raw) != 33 or raw[0] not in (_LOG, _WITNESS):
            raise BadNote("no public key of Ed25519: NAME+HASH+KEY")
        if _is_small(raw[1:]):
            raise BadNote(f"the key of {name} is one that anybody can sign for")
        id_ = sha256(name.encode() + b"\n" + raw).digest()[:4]
        if hash_ != id_.hex():
            raise BadNote(f"the key of {name} has the hash {id_.hex()}, and not {hash_}")
        return cls(name, id_, raw[0], raw[1:])

    def verify(self, text: str, signature: bytes) -> bool:
        """Whether it is this key's over a note's text."""
        signed = text
        if self.is_witness:
            time, signature = signature[:8], signature[8:]
            signed = f"cosignature/v1\ntime {int.from_bytes(time, 'big')}\n{text}"
        try:
            Ed25519PublicKey.from_public_bytes(self._key).verify(signature, signed.encode())
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class Signature:
    name: str
    key_id: bytes
    data: bytes

    @property
    def handle(self) -> str:
        """Of the key that it is of, as Key has it."""
        return f"{self.name}+{self.key_id.hex()}"


@dataclass(frozen=True, slots=True)
class Note:
    text: str
    signatures: tuple[Signature, ...]

    @classmethod
    def parse(cls, data: bytes) -> "Note":
        """Raises BadNote."""
        if len(data) > LONGEST:
            raise BadNote(f"is no signed note: longer than {LONGEST} bytes")
        try:
            whole = data.decode()
        except UnicodeDecodeError:
            raise BadNote("is no signed note: no UTF-8") from None
        text, gap, below = whole.rpartition("\n\n")
        lines = below.split("\n")
        if not text or not gap or lines.pop() or not 0 < len(lines) <= _SIGNATURES_MAX:
            raise BadNote("is no signed note: no lines of signatures below an empty line")
        if any(ord(character) < 32 and character != "\n" for character in whole):
            raise BadNote("is no signed note: there are control characters in it")
        signatures = tuple(map(_signature, lines))
        if len({(each.name, each.key_id) for each in signatures}) < len(signatures):
            raise BadNote("is no signed note: one key signs it twice")
        return cls(f"{text}\n", signatures)

    def by(self, key: Key) -> tuple[Signature, ...]:
        """The signatures that say that they are this key's."""
        return tuple(s for s in self.signatures if (s.name, s.key_id) == (key.name, key.id))

    def is_signed_by(self, key: Key) -> bool:
        """Whether there are signatures of this key, and all of them good.

        There may be two where signatures of two notes were put together.
        """
        mine = self.by(key)
        return bool(mine) and all(key.verify(self.text, each.data) for each in mine)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    origin: str
    size: int
    root: bytes
    note: Note

    @classmethod
    def parse(cls, data: bytes) -> "Checkpoint":
        """Raises BadNote. It says nothing yet of who signed it."""
        note = Note.parse(data)
        origin, size, root = checkpoint_text(note.text)
        return cls(origin, size, root, note)


def checkpoint_text(text: str) -> tuple[str, int, bytes]:
    """Origin, size and root. Lines behind them are extensions, signed and not looked at."""
    origin, size, root = [*text.split("\n"), "", ""][:3]
    raw = unbase64(root)
    decimal = size.isascii() and size.isdecimal() and len(size) < 20
    if not origin or not decimal or size != str(int(size)) or raw is None or len(raw) != 32:
        raise BadNote("is no checkpoint: origin, size and root, each in a line")
    return origin, int(size), raw


def _signature(line: str) -> Signature:
    name, blank, data = line.removeprefix(_DASH).partition(" ")
    raw = unbase64(data)
    if not line.startswith(_DASH) or not blank or not _is_name(name) or not raw or len(raw) < 5:
        raise BadNote("is no signed note: a line below the empty line is no signature")
    return Signature(name, raw[:4], raw[4:])


def _is_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(map(str.isspace, name))


def _is_small(raw: bytes) -> bool:
    """Whether a public key is such a point, in whatever way it is written."""
    return (int.from_bytes(raw, "little") & (1 << 255) - 1) % _P in _SMALL


def unbase64(text: str) -> bytes | None:
    """None for what no encoder writes: each value has one text."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None
