"""The keys of one log: those that statements tie to the one that is known, and what each may do.

They form a line, in which each key took the place of the one before it. Two that took one key's
place, a circle, a statement of another log or by a stranger are refused before anything is sealed
or believed: a key that was stolen could have made them (docs/decisions/0040).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pitledger.archive.note import Note, PublicKey
from pitledger.archive.statements import About, Statement, read_statements
from pitledger.archive.store import BadArchive, Store


@dataclass(frozen=True, slots=True)
class LogKeys:
    """`line`: the log's keys, in the order in which they took each other's place."""

    known: PublicKey
    line: tuple[PublicKey, ...]
    statements: tuple[Statement, ...]

    @classmethod
    def of(cls, statements: Sequence[Statement], known: PublicKey) -> "LogKeys":
        """Raises BadArchive where they form no line, or a rotation lacks a signature."""
        after: dict[PublicKey, PublicKey] = {}
        before: dict[PublicKey, PublicKey] = {}
        for said in statements:
            if (old := said.follows) is None:
                continue
            new = said.subject
            if not said.signed_by(old) or not said.signed_by(new):
                raise BadArchive(f"{said.name}: this rotation is not signed by both its keys")
            if after.setdefault(old, new) != new:
                raise BadArchive(f"{said.name}: a second key follows {old.handle}")
            if before.setdefault(new, old) != old:
                raise BadArchive(f"{said.name}: {new.handle} follows a second key")
        line = [*reversed(_walk(known, before)), *_walk(known, after)[1:]]
        if len(set(line)) < len(line):
            raise BadArchive("keys: they take each other's place in a circle")
        return cls(known, tuple(line), tuple(statements))

    @property
    def in_force(self) -> PublicKey:
        return self.line[-1]

    @property
    def trusted(self) -> tuple[PublicKey, ...]:
        """The one that is known, and those that took its place: who trusts it trusts them."""
        return self.line[self.line.index(self.known) :]

    def check(self, origin: str) -> None:
        """That each statement is of this log, and by its keys. Raises BadArchive."""
        for said in self.statements:
            if said.origin != origin:
                raise BadArchive(f"{said.name}: is about a key of {said.origin}, not of {origin}")
            if said.follows is None and not any(map(said.signed_by, self.line)):
                raise BadArchive(f"{said.name}: is signed by no key of this log")
            if said.follows is not None and said.subject not in self.line:
                raise BadArchive(f"{said.name}: nothing ties its keys to {self.known.handle}")

    def check_in_force(self, origin: str, newest: Note | None) -> None:
        """That the known key signs now: it, or one before it, signed the newest checkpoint, and
        none took its place. Raises BadArchive.
        """
        key = self.known.handle
        if newest is not None and not any(map(newest.signed_by, self.line)):
            raise BadArchive(f"{key} is not the key that signs it, nor was it rotated to")
        self.check(origin)
        if self.in_force != self.known:
            raise BadArchive(f"{key} signs no more: {self.in_force.handle} took its place")

    def let_sign_packets(self, officer: PublicKey) -> bool:
        """Whether the key in force lets the officer's; no key of the log may have taken it back."""
        said = [each for each in self.statements if each.subject == officer]
        return any(
            each.about is About.PACKETS and each.signed_by(self.in_force) for each in said
        ) and not any(
            each.about is About.REVOKE_PACKETS and any(map(each.signed_by, self.line))
            for each in said
        )


def read_keys(store: Store, known: PublicKey) -> LogKeys:
    """By the statements that lie in an archive. Raises BadArchive, StoreError."""
    return LogKeys.of(read_statements(store), known)


def _walk(key: PublicKey, next_of: Mapping[PublicKey, PublicKey]) -> list[PublicKey]:
    """From a key as far as it goes, or once round a circle."""
    line = [key]
    while (following := next_of.get(line[-1])) is not None:
        line.append(following)
        if following in line[:-1]:
            break
    return line
