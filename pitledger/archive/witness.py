"""A second party's word that a log only grew: it signs a checkpoint that continues the last one."""

from collections.abc import Sequence
from dataclasses import dataclass

from pitledger.archive import layout
from pitledger.archive.log import BadArchive, newest
from pitledger.archive.note import BadNote, Checkpoint, Note, PublicKey, SecretKey
from pitledger.archive.store import Store
from pitledger.archive.tiles import Tiles


class Fork(Exception):
    """One line: the log is not what it was when the witness signed last."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A checkpoint that may be signed; `note` is it as it lies in the archive."""

    checkpoint: Checkpoint
    note: bytes


def examine(
    store: Store, origin: str, signers: Sequence[PublicKey], last: Checkpoint | None
) -> Examined:
    """The newest checkpoint, which continues `last`: what this witness signed before.

    `signers`: the archive's keys, one of which has signed it. Raises Fork, BadArchive, StoreError.
    """
    found = newest(store, origin)
    if found is None:
        raise BadArchive("has no checkpoint yet")
    name = layout.signed_checkpoint(found.size)
    data = store.read(name)
    if data is None:
        raise BadArchive(f"{name}: is missing")
    try:
        note = Note.parse(data)
        checkpoint = Checkpoint.parse(note.text)
    except BadNote as problem:
        raise BadArchive(f"{name}: {problem}") from None
    if checkpoint != found:
        raise BadArchive(f"{name}: is another one than checkpoint")
    if not any(note.signed_by(key) for key in signers):
        raise BadArchive(f"{name}: is not signed by {', '.join(key.name for key in signers)}")
    _continues(store, checkpoint, last)
    return Examined(checkpoint, data)


def cosigned(examined: Examined, witness: SecretKey, at_s: int) -> bytes:
    """The note with the witness's line (C2SP tlog-cosignature) below it, once.

    `at_s`: seconds since 1970.
    """
    note = Note.parse(examined.note)
    if note.signed_at(witness.public) is not None:
        return examined.note
    return examined.note + witness.sign(note.text, at_s).encode()


def publish(store: Store, examined: Examined, note: bytes) -> None:
    """Put the signature into the archive. To `checkpoints/SIZE` alone: `checkpoint` may be a newer
    one by then. What another witness has added meanwhile stays. Raises StoreError.
    """
    name = layout.signed_checkpoint(examined.checkpoint.size)
    there = store.read(name) or examined.note
    line = note.removeprefix(examined.note)
    if line and line not in there:
        store.write(name, there + line)
        store.sync()


def _continues(store: Store, checkpoint: Checkpoint, last: Checkpoint | None) -> None:
    tiles = Tiles(store, checkpoint.size)
    if tiles.root() != checkpoint.root:
        raise BadArchive(f"the tiles have not the root of the {checkpoint.size} entries")
    if last is None:
        return
    if last.origin != checkpoint.origin:
        raise Fork(f"the log was {last.origin}, and is {checkpoint.origin}")
    if last.size > checkpoint.size:
        raise Fork(
            f"the log had {last.size} entries, and has {checkpoint.size}: it was shortened, or this"
            " is an older copy of it"
        )
    if tiles.root_of_first(last.size) != last.root:
        raise Fork(f"its first {last.size} entries are not those that were signed before")
