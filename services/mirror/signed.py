"""The checkpoints of a mirror's source and of its own, and whose signature they bear."""

from collections.abc import Sequence
from dataclasses import dataclass

from pitledger.archive import layout
from pitledger.archive.log import BadArchive
from pitledger.archive.note import BadNote, Checkpoint, Note, PublicKey
from pitledger.archive.statements import About, read_statements, successors
from pitledger.archive.store import Store


@dataclass(frozen=True, slots=True)
class Signed:
    """A checkpoint that one of the archive's keys signed, and its bytes."""

    checkpoint: Checkpoint
    note: bytes

    @property
    def size(self) -> int:
        return self.checkpoint.size


def read_signed(store: Store, key: str, origin: str, signers: Sequence[PublicKey]) -> Signed | None:
    """None: it is not there. Raises BadArchive, StoreError."""
    data = store.read(key)
    if data is None:
        return None
    try:
        note = Note.parse(data)
        checkpoint = Checkpoint.parse(note.text)
    except BadNote as problem:
        raise BadArchive(f"{key}: {problem}") from None
    if not any(note.signed_by(signer) for signer in signers):
        names = ", ".join(signer.name for signer in signers)
        raise BadArchive(f"{key}: is not signed by {names}")
    if checkpoint.origin != origin:
        raise BadArchive(f"{key}: is of {checkpoint.origin}, and not of {origin}")
    if key != layout.CHECKPOINT and key != layout.signed_checkpoint(checkpoint.size):
        raise BadArchive(f"{key}: is of {checkpoint.size} entries")
    return Signed(checkpoint, data)


def signers_of(store: Store, key: PublicKey) -> list[PublicKey]:
    """The key, those that it was rotated to, and those that were rotated to it.

    Raises BadArchive, StoreError.
    """
    try:
        statements = read_statements(store)
    except BadNote as problem:
        raise BadArchive(str(problem)) from None
    before = {each.follows for each in statements if each.about is About.ROTATE and each.follows}
    older = [each for each in before if each != key and key in successors(statements, each)]
    return [*successors(statements, key), *sorted(older, key=str)]
