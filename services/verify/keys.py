"""The keys of one log: the one that is given, and those that statements tie to it.

A statement is a signed note of five lines or four:

    pitledger.key/v1
    origin
    rotate | packets | revoke-packets
    the key that it speaks of
    of a rotation: the key that the other takes the place of

A rotation is signed by both its keys. Who trusts a key trusts those that took its place; what those
before it have signed is good only as the beginning of what a trusted one signed, as such a key may
have been given up because it was stolen. What concerns packets is signed by one of the log's keys.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from services.verify.faults import Bad
from services.verify.note import BadNote, Key, Note

_HEAD = "pitledger.key/v1"


@dataclass(frozen=True, slots=True)
class Statement:
    """`follows`: of a rotation, the key that `subject` takes the place of."""

    name: str
    origin: str
    about: str
    subject: Key
    follows: Key | None
    note: Note

    @staticmethod
    def is_named(name: str) -> bool:
        """Whether a file has a statement's name; others are not looked at."""
        return re.fullmatch("[0-9a-f]{64}", name) is not None

    @classmethod
    def parse(cls, name: str, data: bytes) -> "Statement":
        """`name`: of its file. Raises Bad; also for a rotation that its keys did not sign."""
        try:
            note = Note.parse(data)
            head, origin, about, *keys = note.text.removesuffix("\n").split("\n")
            subject, follows = _keys(about, keys)
        except BadNote as problem:
            raise Bad(f"{name}: {problem}") from None
        except ValueError:
            raise Bad(f"{name}: is no statement about a key") from None
        if head != _HEAD or not origin:
            raise Bad(f"{name}: is no statement about a key")
        for key in (subject, follows) if follows else ():
            if not note.is_signed_by(key):
                raise Bad(f"{name}: this rotation is not signed by its key {key.handle}")
        return cls(name, origin, about, subject, follows, note)


@dataclass(frozen=True, slots=True)
class Keys:
    """`log`: keys that sign checkpoints, in the order in which they took each other's place."""

    given: Key
    log: tuple[Key, ...]
    statements: tuple[Statement, ...]

    @classmethod
    def of(cls, given: Key, files: Mapping[str, bytes]) -> "Keys":
        """From statements by their files' names. Raises Bad for one that is none, or is forged."""
        statements = tuple(_statement(name, files[name]) for name in sorted(files))
        after: dict[Key, Key] = {}
        before: dict[Key, Key] = {}
        for each in statements:
            if each.follows is None:
                continue
            if after.setdefault(each.follows, each.subject) != each.subject:
                raise Bad(f"{each.name}: a second key follows {each.follows.handle}")
            if before.setdefault(each.subject, each.follows) != each.follows:
                raise Bad(f"{each.name}: {each.subject.handle} follows a second key")
        log = [*reversed(_line(given, before)), *_line(given, after)[1:]]
        if len(set(log)) < len(log):
            raise Bad("keys: they take each other's place in a circle")
        return cls(given, tuple(log), statements)

    def check(self, origin: str) -> None:
        """That each statement is of this log, and by one of its keys. Raises Bad."""
        for each in self.statements:
            if each.origin != origin:
                raise Bad(f"{each.name}: is about a key of {each.origin}, and not of {origin}")
            if each.follows is None:
                if not self._said(each):
                    raise Bad(f"{each.name}: is signed by no key of this log")
            elif each.subject not in self.log:
                raise Bad(f"{each.name}: no statement ties these keys to the one that was given")

    @property
    def trusted(self) -> tuple[Key, ...]:
        """The one that was given, and those that took its place."""
        return self.log[self.log.index(self.given) :]

    @property
    def in_force(self) -> Key:
        return self.log[-1]

    def check_packets_signer(self, key: Key) -> None:
        """That it is the key in force, or one that this lets sign and none took that back.

        What a key before it let others do ended with it. Raises Bad; the line goes behind a name.
        """
        if key == self.in_force:
            return
        if key in self.log:
            raise Bad(f"{key.handle} signs no more: {self.in_force.handle} took its place")
        about = {each.about for each in self.statements if each.subject == key and self._said(each)}
        if "revoke-packets" in about:
            raise Bad(f"{key.handle} may not sign packets: that was revoked")
        if not any(
            each.subject == key and each.note.is_signed_by(self.in_force)
            for each in self.statements
        ):
            raise Bad(f"{key.handle} may not sign packets: {self.in_force.handle} lets it not")

    def packet_keys(self) -> list[Key]:
        """Those that were ever let sign packets, and those of the log."""
        return [*self.log, *{s.subject: None for s in self.statements if s.follows is None}]

    def _said(self, statement: Statement) -> bool:
        return any(statement.note.is_signed_by(key) for key in self.log)


def _statement(name: str, data: bytes) -> Statement:
    if name.rpartition("/")[2] != sha256(data).hexdigest():
        raise Bad(f"{name}: has not the SHA-256 that it is named by")
    return Statement.parse(name, data)


def _keys(about: str, texts: Iterable[str]) -> tuple[Key, Key | None]:
    """Raises BadNote, ValueError."""
    keys = [Key.parse(text) for text in texts]
    if any(key.is_witness for key in keys):
        raise BadNote("speaks of a witness's key")
    match about, keys:
        case "rotate", [subject, follows]:
            return subject, follows
        case ("packets" | "revoke-packets"), [subject]:
            return subject, None
        case _:
            raise ValueError(about)


def _line(key: Key, next_of: Mapping[Key, Key]) -> list[Key]:
    """From a key as far as it goes, or once round a circle."""
    line = [key]
    while (following := next_of.get(line[-1])) is not None:
        line.append(following)
        if following in line[:-1]:
            break
    return line
