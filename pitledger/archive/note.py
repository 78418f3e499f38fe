"""Signed notes, their keys, and checkpoints: C2SP signed-note, tlog-checkpoint, tlog-cosignature.

A note is text that ends with a newline, an empty line, and a line for each signature. A checkpoint
is a note whose text is the log's origin, the number of its entries, and the root of its tree.
"""

import base64
import binascii
from dataclasses import dataclass
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

ED25519, COSIGNATURE = b"\x01", b"\x04"
"""Kinds of keys: of the log, whose signature is over the note; of a witness, who adds the time."""

_DIGITS_MAX = 19
"""Of a size: it is less than 2**64."""
_P = (1 << 255) - 19
_Y_OF_8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL = {0, 1, _P - 1, _Y_OF_8, _P - _Y_OF_8}
"""y of the points of Ed25519 whose order is 8 or less: anybody signs for such a key."""
_MARK = "\N{EM DASH} "
_PRIVATE = "PRIVATE+KEY+"


class BadNote(ValueError):
    """One line: what is no note, key or checkpoint, or is not signed so."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """`name+hash+key`, as it is handed to who verifies."""

    name: str
    kind: bytes
    raw: bytes

    @property
    def id(self) -> bytes:
        """Four bytes that tell which key a signature is of."""
        return sha256(self.name.encode() + b"\n" + self.kind + self.raw).digest()[:4]

    @property
    def handle(self) -> str:
        """`name+hash`, by which people tell keys of one name apart."""
        return f"{self.name}+{self.id.hex()}"

    def __str__(self) -> str:
        return f"{self.handle}+{_base64(self.kind + self.raw)}"

    @classmethod
    def parse(cls, text: str) -> "PublicKey":
        """Raises BadNote."""
        name, _, rest = text.strip().partition("+")
        hash_, _, data = rest.partition("+")
        raw = _from_base64(data, "a public key")
        key = cls(name, raw[:1], raw[1:])
        if not _is_name(name) or key.kind not in (ED25519, COSIGNATURE) or len(key.raw) != 32:
            raise BadNote("no public key: it is NAME+HASH+KEY, of Ed25519")
        if _is_small(key.raw):
            raise BadNote(f"public key {name}: anybody can sign for it")
        if key.id.hex() != hash_:
            raise BadNote(f"public key {name}: its hash is {key.id.hex()}, and not {hash_}")
        return key

    def verifies(self, signature: bytes, message: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class SecretKey:
    """`PRIVATE+KEY+name+hash+seed`. Not shown by repr."""

    name: str
    kind: bytes
    _key: Ed25519PrivateKey

    def __repr__(self) -> str:
        return f"SecretKey({self.name!r})"

    @classmethod
    def of(cls, name: str, seed: bytes, kind: bytes = ED25519) -> "SecretKey":
        """`seed`: 32 bytes that nobody guesses. Raises BadNote for a name that no note can bear."""
        if not _is_name(name):
            raise BadNote(f"{name!r} is no name of a key: not empty, without blanks and '+'")
        return cls(name, kind, Ed25519PrivateKey.from_private_bytes(seed))

    @property
    def public(self) -> PublicKey:
        raw = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return PublicKey(self.name, self.kind, raw)

    def text(self) -> str:
        seed = self._key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        return f"{_PRIVATE}{self.name}+{self.public.id.hex()}+{_base64(self.kind + seed)}"

    @classmethod
    def parse(cls, text: str) -> "SecretKey":
        """Raises BadNote, which tells nothing of the key."""
        name, _, rest = text.strip().removeprefix(_PRIVATE).partition("+")
        hash_, _, data = rest.partition("+")
        raw = _from_base64(data, "a private key")
        if not text.strip().startswith(_PRIVATE) or not _is_name(name) or len(raw) != 33:
            raise BadNote(f"no private key: it is {_PRIVATE}NAME+HASH+SEED")
        key = cls(name, raw[:1], Ed25519PrivateKey.from_private_bytes(raw[1:]))
        if key.kind not in (ED25519, COSIGNATURE) or key.public.id.hex() != hash_:
            raise BadNote(f"private key {name}: its hash is not that of the key")
        return key

    def sign(self, text: str, at_s: int = 0) -> str:
        """The line to add below a note's text; `at_s`: of a witness, seconds since 1970."""
        if self.kind == COSIGNATURE:
            message = _cosigned(text, at_s)
            signature = at_s.to_bytes(8, "big") + self._key.sign(message)
        else:
            signature = self._key.sign(text.encode())
        return f"{_MARK}{self.name} {_base64(self.public.id + signature)}\n"


@dataclass(frozen=True, slots=True)
class Signature:
    """A line below a note; it is checked by `Note.signed_by`."""

    name: str
    key_id: bytes
    data: bytes

    @property
    def handle(self) -> str:
        """Of the key that it is of, as PublicKey has it."""
        return f"{self.name}+{self.key_id.hex()}"


@dataclass(frozen=True, slots=True)
class Note:
    text: str
    signatures: tuple[Signature, ...]

    @classmethod
    def parse(cls, data: bytes) -> "Note":
        """Raises BadNote."""
        try:
            whole = data.decode()
        except UnicodeDecodeError:
            raise BadNote("no signed note: it is no UTF-8 text") from None
        text, gap, below = whole.rpartition("\n\n")
        if not gap or not below.endswith("\n"):
            raise BadNote("no signed note: no signature below an empty line")
        lines = below[:-1].split("\n")
        return cls(text + "\n", tuple(_signature(line) for line in lines))

    def signed_by(self, key: PublicKey) -> bool:
        """Whether one of the signatures is this key's, and good."""
        return self.signed_at(key) is not None

    def signed_at(self, key: PublicKey) -> int | None:
        """Seconds since 1970 when a witness says that it signed; of a log's key 0; None: not so."""
        for signature in self.signatures:
            if (signature.name, signature.key_id) != (key.name, key.id):
                continue
            if key.kind == ED25519:
                return 0 if key.verifies(signature.data, self.text.encode()) else None
            at_s = int.from_bytes(signature.data[:8], "big")
            if key.verifies(signature.data[8:], _cosigned(self.text, at_s)):
                return at_s
        return None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`size` entries of the log `origin` have this root."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        return f"{self.origin}\n{self.size}\n{_base64(self.root)}\n"

    def signed(self, key: SecretKey) -> bytes:
        text = self.text()
        return f"{text}\n{key.sign(text)}".encode()

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """Of a note's text; lines after the third are extensions and left alone. Raises BadNote."""
        origin, size, root, *_rest = [*text.split("\n"), "", "", ""]
        number = size_of(size)
        if not origin or number is None:
            raise BadNote("no checkpoint: it is origin, size and root, a line each")
        hash_ = _from_base64(root, "the root of a checkpoint")
        if len(hash_) != 32:
            raise BadNote("no checkpoint: its root is no SHA-256")
        return cls(origin, number, hash_)


def size_of(text: str) -> int | None:
    """The size of a tree, as it is written in checkpoints and their names; None: it is none."""
    if not text.isascii() or not text.isdecimal() or len(text) > _DIGITS_MAX:
        return None
    return int(text) if text == str(int(text)) else None


def _cosigned(text: str, at_s: int) -> bytes:
    return f"cosignature/v1\ntime {at_s}\n{text}".encode()


def _signature(line: str) -> Signature:
    name, _, data = line.removeprefix(_MARK).partition(" ")
    raw = _from_base64(data, "a signature")
    if not line.startswith(_MARK) or not _is_name(name) or len(raw) < 5:
        raise BadNote("no signed note: a line below it is no signature")
    return Signature(name, raw[:4], raw[4:])


def _is_small(raw: bytes) -> bool:
    """Whether a public key is such a point, in whatever way it is written."""
    return (int.from_bytes(raw, "little") & (1 << 255) - 1) % _P in _SMALL


def _is_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(c.isspace() for c in name)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _from_base64(text: str, what: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if not data or _base64(data) != text:
        raise BadNote(f"{what} is not in base64")
    return data
