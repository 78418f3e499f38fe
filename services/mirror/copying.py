"""Brings a mirror up to date: all is verified before it counts, and nothing of a fork is taken.

As in an archive's writer, what is signed comes last: leaves, tiles, `pending`, checkpoints. A
mirror that was stopped anywhere is the one that it was, or the new one, and goes on from there.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import NoReturn

from pitledger.archive import layout
from pitledger.archive.deletions import Deleted, read_deletions
from pitledger.archive.growing import Growing
from pitledger.archive.leaves import parse_manifest
from pitledger.archive.log import About, drop_partial_tiles, manifests, unpacked
from pitledger.archive.log_keys import LogKeys, read_keys
from pitledger.archive.note import PublicKey
from pitledger.archive.signed import Signed, read_signed, signed_sizes
from pitledger.archive.store import BadArchive, Store, StoreError
from pitledger.archive.tiles import Tiles
from pitledger.pb.archive_pb2 import ArchiveLeaf
from services.mirror.alarm import Alarm
from services.mirror.entries import Entry, entries_from
from services.mirror.keys_and_holds import copy_beside
from services.retention.deleting import sweep

BATCH = 4_096
"""Entries after which what was copied is made durable, at the next checkpoint of the source."""
_AT_ONCE, _HELD = 16, 64
"""Leaves that are read and verified side by side, and those that are held in memory."""


@dataclass(slots=True)
class Copied:
    """What an update added; `size` entries are in the mirror now, with this root.

    `deleted`: leaves whose bytes the source has no more, as its log says.
    """

    size: int
    root: bytes
    entries: int = 0
    leaves: int = 0
    bytes: int = 0
    deleted: int = 0


class Mirror:
    """Of one archive. Raises Alarm, BadArchive, StoreError."""

    def __init__(
        self,
        source: Store,
        store: Store,
        key: PublicKey,
        *,
        deletions: bool = False,
        again: bool = False,
    ) -> None:
        """`deletions`: what the log lists as deleted is deleted in the mirror, too. `again`: the
        first update also verifies the leaves that are there, and replaces what is not good.
        """
        self._source, self._store, self._key = source, store, key
        self._deletions = self._to_sweep = deletions
        self._again = again
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="mirror")
        self._locked = False

    def update(self) -> Copied:
        """Copy all that the source has signed since. After an error it may be called again."""
        if not self._locked:
            self._store.lock()
        self._locked = False
        copied = self._update()
        if self._to_sweep:
            sweep(self._store, copied.size)
        self._to_sweep = False
        self._locked = True
        return copied

    def _update(self) -> Copied:
        source, store = self._source, self._store
        about = self._about()
        origin, keys = About.parse(about).origin, read_keys(source, self._key)
        newest = read_signed(source, layout.CHECKPOINT, origin)
        if newest is None:
            raise StoreError("the source has no checkpoint yet")
        newest.require_signed_by(keys.trusted)
        keys.check(origin)
        own = read_signed(store, layout.CHECKPOINT, origin)
        if own is not None:
            own.require_signed_by(keys.line)
        if store.read(layout.LOG) is None:
            self._found(origin)
        self._compare(own, newest)
        signed = self._signed_since(own.size if own else 0, newest, keys)
        copy_beside(source, store)
        store.read(layout.PENDING)  # a bucket changes it from what was seen there
        growing = Growing(store, own.size if own else 0)
        copied = Copied(newest.size, newest.checkpoint.root)
        deleted = self._deleted(growing.size, newest.size)
        self._to_sweep |= self._deletions and bool(deleted)
        if self._again:
            self._copy_again(growing.size, newest, copied)
        self._again = False
        for group in _grouped(signed, growing.size):
            before = growing.size
            self._copy(growing, group[-1].size, newest, deleted, copied)
            if growing.root() != group[-1].checkpoint.root:
                raise BadArchive(
                    f"its entries have not the root of its checkpoint of {growing.size}"
                )
            if store.read(layout.LOG) is None:
                self._require_sealed(about, growing.size)
                store.write(layout.LOG, about)
            self._publish(group, newest)
            drop_partial_tiles(store, before, growing.size)
        return copied

    def _about(self) -> bytes:
        """What the source says it is, which is what the mirror is of."""
        data, there = self._source.read(layout.LOG), self._store.read(layout.LOG)
        if data is None:
            raise BadArchive(f"is no archive: it has no {layout.LOG}")
        if there is None:
            return data
        if self._store.read(layout.MIRROR) is None:
            raise StoreError("the copy is an archive of its own already, and no mirror")
        about, own = About.parse(data), About.parse(there)
        if own != about:
            raise BadArchive(f"is the archive of {about.origin}, {about.topic}; the mirror is of"
                             f" {own.origin}, {own.topic}")  # fmt: skip
        return data

    def _found(self, origin: str) -> None:
        """Let nobody seal anything there, before the first of the archive comes."""
        if not self._store.create(layout.MIRROR, f"{origin}\n".encode()):
            raise BadArchive(f"is the archive of {origin}, and the mirror of another")

    def _require_sealed(self, about: bytes, size: int) -> None:
        """That it is what the log says, which begins with that. Raises BadArchive."""
        for leaf in manifests(self._store, size):
            if leaf.document.name == "log":
                if leaf.sha256 != sha256(about).digest():
                    raise BadArchive(f"{layout.LOG}: is not what was sealed")
                return

    def _compare(self, own: Signed | None, newest: Signed) -> None:
        """That the source continues what the mirror holds. Raises Alarm."""
        if own is not None and newest.size <= own.size:
            # The mirror's own tiles tell; the source's may be any.
            before = Tiles(self._store, own.size).root_of_first(newest.size)
            how = f"the log had {own.size} entries, and has {newest.size}"
            if before != newest.checkpoint.root:
                self._alarm("FORK", f"{how}, which are not its first", own, newest)
            if newest.size < own.size:
                self._alarm("ROLLED BACK", how, own, newest)
        tiles = Tiles(self._source, newest.size)
        if tiles.root() != newest.checkpoint.root:
            raise BadArchive(f"its tiles have not the root of its {newest.size} entries")
        if own is not None and tiles.root_of_first(own.size) != own.checkpoint.root:
            what = f"the first {own.size} entries are not those that were signed before"
            self._alarm("FORK", what, own, newest)

    def _signed_since(self, size: int, newest: Signed, keys: LogKeys) -> list[Signed]:
        """The checkpoints from `size` on, the newest last: all of the one tree. Raises Alarm."""
        tiles, found = Tiles(self._source, newest.size), list[Signed]()
        sizes = [size]
        if size < newest.size:
            sizes = signed_sizes(self._source)
        for number in sizes:
            if not size <= number <= newest.size:
                continue
            name, origin = layout.signed_checkpoint(number), newest.checkpoint.origin
            signed = read_signed(self._source, name, origin)
            if signed is None:
                continue
            signed.require_signed_by(keys.line)
            if tiles.root_of_first(number) != signed.checkpoint.root:
                what = f"two trees are signed, and both have {number} entries"
                self._alarm("FORK", what, signed, newest)
            found.append(signed)
        return found if found and found[-1].size == newest.size else [*found, newest]

    def _alarm(self, what: str, how: str, *signed: Signed) -> NoReturn:
        """The signed checkpoints, which contradict each other, are kept as evidence."""
        for each in signed:
            self._store.create(f"{layout.FORKS}/{sha256(each.data).hexdigest()}", each.data)
        raise Alarm(f"{what}: {how}; both checkpoints are kept in the mirror, under forks/")

    def _deleted(self, first: int, size: int) -> Deleted:
        """What the new entries say of deletions: no others can speak of new entries."""
        found = entries_from(self._source, first, size)
        leaves = (parse_manifest(entry.number, entry.data) for entry in found)
        return Deleted(read_deletions(self._source, leaves))

    def _copy(
        self, growing: Growing, size: int, newest: Signed, deleted: Deleted, copied: Copied
    ) -> None:
        """Entries up to `size`, and all that belongs to them."""
        held: list[Entry] = []
        for entry in entries_from(self._source, growing.size, newest.size):
            if growing.size == size:
                break
            growing.take(entry.data)
            copied.entries += 1
            held.append(entry)
            if len(held) == _HELD:
                self._copy_leaves(held, deleted, copied)
                held = []
        self._copy_leaves(held, deleted, copied)
        growing.write_edge()

    def _copy_again(self, size: int, newest: Signed, copied: Copied) -> None:
        """The leaves of the first entries, where those in the mirror are not good."""
        deleted = self._deleted(0, newest.size)
        entries = islice(entries_from(self._source, 0, newest.size), size)
        while held := list(islice(entries, _HELD)):
            self._copy_leaves(held, deleted, copied)

    def _copy_leaves(self, entries: Iterable[Entry], deleted: Deleted, copied: Copied) -> None:
        wanted: dict[str, tuple[Entry, ArchiveLeaf]] = {}
        for entry in entries:
            leaf = parse_manifest(entry.number, entry.data)
            wanted.setdefault(layout.leaf(leaf.sha256), (entry, leaf))
        found = self._pool.map(lambda each: self._leaf(each[0], each[1], deleted), wanted.values())
        for key, data in zip(wanted, found, strict=True):
            if data is None:
                copied.deleted += 1
            elif data:
                self._store.write(key, data)
                copied.leaves += 1
                copied.bytes += len(data)

    def _leaf(self, entry: Entry, leaf: ArchiveLeaf, deleted: Deleted) -> bytes | None:
        """A leaf's file, verified; b"": the mirror has it already; None: it was deleted."""
        key = layout.leaf(leaf.sha256)
        there = self._store.read(key)
        if there is not None and self._problem(leaf, there) is None:
            return b""
        packed = self._source.read(key)
        if packed is None:
            if entry.number in deleted:
                return None
            raise BadArchive(f"entry {entry.number}: {key}: is missing")
        if problem := self._problem(leaf, packed):
            raise BadArchive(f"entry {entry.number}: {problem}")
        return packed

    def _problem(self, leaf: ArchiveLeaf, packed: bytes) -> BadArchive | None:
        """What is wrong with a leaf's file, as it lies there."""
        try:
            unpacked(self._source, leaf.sha256, leaf.length, packed)
        except BadArchive as problem:
            return problem
        return None

    def _publish(self, group: Sequence[Signed], newest: Signed) -> None:
        """Let the mirror's readers see what was copied."""
        store, last = self._store, group[-1]
        store.sync()
        store.write(layout.PENDING, last.checkpoint.text().encode())
        store.sync()
        for signed in reversed(group):
            store.write(layout.signed_checkpoint(signed.size), signed.data)
            store.sync()
        store.write(layout.CHECKPOINT, (newest if last.size == newest.size else last).data)
        store.sync()
        store.delete(layout.PENDING)


def _grouped(signed: Sequence[Signed], size: int) -> Iterator[list[Signed]]:
    """Checkpoints whose entries are copied as one."""
    group: list[Signed] = []
    for each in signed:
        group.append(each)
        if each.size - size >= BATCH:
            yield group
            size, group = each.size, []
    if group:
        yield group
