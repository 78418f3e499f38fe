"""A second party's word that a log only grew: it signs a checkpoint that continues the last one."""

from pitledger.archive import layout
from pitledger.archive.log import newest
from pitledger.archive.log_keys import LogKeys
from pitledger.archive.note import Checkpoint, SecretKey
from pitledger.archive.signed import Signed, read_signed
from pitledger.archive.store import BadArchive, Store
from pitledger.archive.tiles import Tiles


class Fork(Exception):
    """One line: the log is not what it was when the witness signed last."""


def examine(store: Store, origin: str, keys: LogKeys, last: Checkpoint | None) -> Signed:
    """The newest checkpoint, which continues `last`: what this witness signed before.

    Raises Fork, BadArchive, StoreError.
    """
    found = newest(store, origin)
    if found is None:
        raise BadArchive("has no checkpoint yet")
    name = layout.signed_checkpoint(found.size)
    signed = read_signed(store, name, origin)
    if signed is None:
        raise BadArchive(f"{name}: is missing")
    if signed.checkpoint != found:
        raise BadArchive(f"{name}: is another one than checkpoint")
    signed.require_signed_by(keys.trusted)
    keys.check(origin)
    _continues(store, found, last)
    return signed


def cosigned(examined: Signed, witness: SecretKey, at_s: int) -> bytes:
    """The note with the witness's line (C2SP tlog-cosignature) below it, once.

    `at_s`: seconds since 1970.
    """
    note = examined.note
    if note.signed_at(witness.public) is not None:
        return examined.data
    return examined.data + witness.sign(note.text, at_s).encode()


def publish(store: Store, examined: Signed, note: bytes) -> None:
    """Put the signature into the archive. To `checkpoints/SIZE` alone: `checkpoint` may be a newer
    one by then. What another witness has added meanwhile stays. Raises StoreError.
    """
    store.write(examined.name, note)
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
