"""Signed checkpoints, as they lie in an archive."""

from collections.abc import Iterable
from dataclasses import dataclass

from pitledger.archive import layout
from pitledger.archive.note import BadNote, Checkpoint, Note, PublicKey, size_of
from pitledger.archive.store import BadArchive, Store


@dataclass(frozen=True, slots=True)
class Signed:
    """`name`: where it lies. `data`: the note's bytes. Whose signatures it bears is another matter:
    `require_signed_by`."""

    name: str
    checkpoint: Checkpoint
    note: Note
    data: bytes

    @property
    def size(self) -> int:
        return self.checkpoint.size

    @classmethod
    def parse(cls, name: str, data: bytes) -> "Signed":
        """Raises BadArchive."""
        try:
            note = Note.parse(data)
            return cls(name, Checkpoint.parse(note.text), note, data)
        except BadNote as problem:
            raise BadArchive(f"{name}: {problem}") from None

    def require_signed_by(self, keys: Iterable[PublicKey]) -> None:
        """By one of them. Raises BadArchive."""
        wanted = list(keys)
        if not any(map(self.note.signed_by, wanted)):
            names = ", ".join(key.handle for key in wanted)
            by = ", ".join(signature.handle for signature in self.note.signatures)
            raise BadArchive(f"{self.name}: is not signed by {names}, but by {by}")


def read_signed(store: Store, name: str, origin: str | None = None) -> Signed | None:
    """`checkpoint`, or one of `checkpoints/`; None: it is not there. Raises BadArchive, StoreError.

    `origin`: of the log that it must be of; None: of any.
    """
    data = store.read(name)
    if data is None:
        return None
    found = Signed.parse(name, data)
    if origin is not None and found.checkpoint.origin != origin:
        raise BadArchive(f"{name}: is of {found.checkpoint.origin}, and not of {origin}")
    if name not in (layout.CHECKPOINT, layout.signed_checkpoint(found.size)):
        raise BadArchive(f"{name}: is of {found.size} entries")
    return found


def signed_sizes(store: Store) -> list[int]:
    """Of the trees in `checkpoints/`, ascending. Raises StoreError."""
    names = store.names(layout.SIGNED)
    return sorted(size for size in map(size_of, names) if size is not None)


def joined(there: bytes, note: bytes) -> bytes:
    """What lies there, and the lines of another note of the same text.

    A line is a signature, and a signature over that text whoever brought it. Raises BadNote for
    another text: of two trees of one size that are signed, none is written over the other.
    """
    text, gap, lines = there.rpartition(b"\n\n")
    if note.rpartition(b"\n\n")[0] != text:
        raise BadNote("another tree of this size is signed")
    more = note.removeprefix(text + gap).splitlines(keepends=True)
    return there + b"".join(line for line in more if line not in lines.splitlines(keepends=True))
