"""What the holders of keys say of keys: one follows another, one may sign packets.

A statement is a signed note:

    pitledger.key/v1
    ORIGIN
    rotate | packets | revoke-packets
    the key it speaks of, NAME+HASH+KEY
    of rotate: the key that it follows, in the same form

It lies in the archive under `keys/` and its SHA-256, and is sealed in the log as a document.
"rotate" is signed by both keys, so that whoever has either finds the other; what concerns packets
by the archive's key in force. What they make of an archive's keys: `log_keys`.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from pitledger.archive import layout
from pitledger.archive.leaves import Leaf, document_leaf
from pitledger.archive.note import ED25519, BadNote, Note, PublicKey, SecretKey
from pitledger.archive.store import BadArchive, Store

NAME = "key-statement"
_HEAD = "pitledger.key/v1"


class About(StrEnum):
    """What a statement says of its subject."""

    ROTATE = "rotate"
    PACKETS = "packets"
    REVOKE_PACKETS = "revoke-packets"


@dataclass(frozen=True, slots=True)
class Statement:
    """`name`: where it lies. `follows`: of a rotation, the key that the subject takes the place
    of."""

    name: str
    origin: str
    about: About
    subject: PublicKey
    follows: PublicKey | None
    note: Note

    @classmethod
    def parse(cls, data: bytes) -> "Statement":
        """Raises BadNote. Signatures are not checked: `signed_by` does."""
        note = Note.parse(data)
        head, origin, about, subject, *rest = [*note.text.split("\n"), *("",) * 4]
        follows = rest[0]
        if head != _HEAD or about not in set(About) or note.text.count("\n") > 5:
            raise BadNote("no statement about a key")
        if (about == About.ROTATE) != bool(follows):
            raise BadNote("no statement about a key: a rotation names two, all else one")
        return cls(
            name_of(data),
            origin,
            About(about),
            _log_key(subject),
            _log_key(follows) if follows else None,
            note,
        )

    def signed_by(self, key: PublicKey) -> bool:
        return self.note.signed_by(key)


def name_of(statement: bytes) -> str:
    return f"{layout.KEYS}/{sha256(statement).hexdigest()}"


def read_statements(store: Store) -> list[Statement]:
    """All that lie in an archive, sealed or not yet. Raises BadArchive, StoreError."""
    found = []
    for name in _names(store):
        data = store.read(name) or b""
        if name_of(data) != name:
            raise BadArchive(f"{name}: has not the SHA-256 that names it")
        try:
            found.append(Statement.parse(data))
        except BadNote as problem:
            raise BadArchive(f"{name}: {problem}") from None
    return found


def put(store: Store, statement: bytes) -> None:
    """Into an archive, durably; the next append seals it in the log. Raises StoreError."""
    store.write(name_of(statement), statement)
    store.sync()


def rotate(origin: str, old: SecretKey, new: SecretKey) -> bytes:
    """From now on `new` signs the archive's checkpoints. Raises BadNote."""
    if old.public == new.public:
        raise BadNote("a key does not follow itself")
    return _said(origin, About.ROTATE, (new.public, old.public), (old, new))


def packets(origin: str, key: SecretKey, officer: PublicKey) -> bytes:
    """The officer's key may sign packets of this archive. Raises BadNote."""
    return _said(origin, About.PACKETS, (officer,), (key,))


def revoke_packets(origin: str, key: SecretKey, officer: PublicKey) -> bytes:
    """The officer's key may sign no more packets. Raises BadNote."""
    return _said(origin, About.REVOKE_PACKETS, (officer,), (key,))


def unsealed(store: Store, documents: Collection[bytes]) -> list[Leaf]:
    """What lies beside the log and not in it: documents to seal. `documents`: SHA-256 of those that
    the log has. Raises StoreError."""
    known = {f"{layout.KEYS}/{digest.hex()}" for digest in documents}
    found = [store.read(name) or b"" for name in _names(store) if name not in known]
    return [document_leaf(NAME, "text/plain", data) for data in found]


def _names(store: Store) -> list[str]:
    """Of files that have a statement's name; others are not looked at."""
    names = store.names(layout.KEYS)
    return [f"{layout.KEYS}/{name}" for name in names if re.fullmatch("[0-9a-f]{64}", name)]


def _said(
    origin: str, about: About, of: tuple[PublicKey, ...], by: tuple[SecretKey, ...]
) -> bytes:
    for key in (*of, *(each.public for each in by)):
        if key.kind != ED25519:
            raise BadNote(f"{key.handle}: is a witness's key")
    text = "\n".join([_HEAD, origin, about, *map(str, of)]) + "\n"
    return (text + "\n" + "".join(key.sign(text) for key in by)).encode()


def _log_key(text: str) -> PublicKey:
    key = PublicKey.parse(text)
    if key.kind != ED25519:
        raise BadNote(f"{key.handle}: is a witness's key")
    return key
