"""What the holders of keys say of keys: one follows another, one may sign packets.

A statement is a signed note:

    pitledger.key/v1
    ORIGIN
    rotate | packets | revoke-packets
    the key it speaks of, NAME+HASH+KEY
    of rotate: the key that it follows, in the same form

It lies in the archive under `keys/` and its SHA-256, and is sealed in the log as a document.
"rotate" is signed by both keys, so that whoever has either finds the other; what concerns packets
by the archive's key in force.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from pitledger.archive.note import ED25519, BadNote, Note, PublicKey, SecretKey

_HEAD = "pitledger.key/v1"


class About(StrEnum):
    """What a statement says of its subject."""

    ROTATE = "rotate"
    PACKETS = "packets"
    REVOKE_PACKETS = "revoke-packets"


@dataclass(frozen=True, slots=True)
class Statement:
    """`follows`: of a rotation, the key that the subject takes the place of."""

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
            origin,
            About(about),
            _log_key(subject),
            _log_key(follows) if follows else None,
            note,
        )

    def signed_by(self, key: PublicKey) -> bool:
        return self.note.signed_by(key)


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


def successors(statements: Iterable[Statement], key: PublicKey) -> list[PublicKey]:
    """The key, and those that came after it, one by one: the last one is in force."""
    chain, found = [key], list(statements)
    while True:
        after = [
            s.subject
            for s in found
            if s.about is About.ROTATE
            and s.follows == chain[-1]
            and s.signed_by(chain[-1])
            and s.signed_by(s.subject)
            and s.subject not in chain
        ]
        if not after:
            return chain
        chain.append(after[0])


def may_sign_packets(
    statements: Iterable[Statement], officer: PublicKey, keys: Iterable[PublicKey]
) -> bool:
    """Whether one of the archive's keys lets the officer's, and none took it back."""
    said = {
        s.about
        for s in statements
        if s.subject == officer and any(s.signed_by(key) for key in keys)
    }
    return About.PACKETS in said and About.REVOKE_PACKETS not in said


def _said(
    origin: str, about: About, of: tuple[PublicKey, ...], by: tuple[SecretKey, ...]
) -> bytes:
    for key in (*of, *(each.public for each in by)):
        if key.kind != ED25519:
            raise BadNote(f"{key.name}: is a witness's key")
    text = "\n".join([_HEAD, origin, about, *map(str, of)]) + "\n"
    return (text + "\n" + "".join(key.sign(text) for key in by)).encode()


def _log_key(text: str) -> PublicKey:
    key = PublicKey.parse(text)
    if key.kind != ED25519:
        raise BadNote(f"{key.name}: is a witness's key")
    return key
