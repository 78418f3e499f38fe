"""The log that an archive is: entries appended, and a signed checkpoint over all of them.

An append is durable in this order: leaves, tiles, `pending`, the signed checkpoint. `pending` holds
the tree that is about to be signed, and a writer that finds it signs that very tree before it does
anything else: so no two trees of one size are ever signed, wherever a writer was killed. What lies
beyond the newest tree is of no account and is written over.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256 as digest_of
from weakref import WeakKeyDictionary

from pitledger.archive import layout
from pitledger.archive.growing import Growing
from pitledger.archive.leaves import Leaf, parse_manifest
from pitledger.archive.log_keys import read_keys
from pitledger.archive.merkle import EMPTY_ROOT, WIDTH
from pitledger.archive.note import BadNote, Checkpoint, SecretKey
from pitledger.archive.packing import NotPacked, Packer, Unpacker, number_of, unpack
from pitledger.archive.said import read_json
from pitledger.archive.signed import read_signed, signed_sizes
from pitledger.archive.store import BadArchive, Store
from pitledger.archive.tiles import Tiles, bundle
from pitledger.pb.archive_pb2 import ArchiveLeaf

FORMAT = 1
_PLAIN = Packer()


@dataclass(frozen=True, slots=True)
class About:
    """What an archive is of; `log.json`."""

    origin: str
    topic: str
    partitions: int

    def data(self) -> bytes:
        about = {
            "format": FORMAT,
            "origin": self.origin,
            "topic": self.topic,
            "partitions": self.partitions,
        }
        return (json.dumps(about, indent=2) + "\n").encode()

    @classmethod
    def parse(cls, data: bytes) -> "About":
        """Raises BadArchive."""
        try:
            about = read_json(data)
            if about["format"] != FORMAT:
                raise BadArchive(f"log.json: format {about['format']} is not known here")
            return cls(str(about["origin"]), str(about["topic"]), int(about["partitions"]))
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            if isinstance(error, BadArchive):
                raise
            raise BadArchive("log.json: does not say what archive this is") from None


class LogWriter:
    """The one writer of a log. Raises BadArchive, StoreError.

    `about`: an empty origin is that of the archive; of a new one, the key's name.
    """

    def __init__(self, store: Store, key: SecretKey, about: About) -> None:
        self.store, self._key = store, key
        store.lock()
        self.about = self._found(about)
        self._origin = self.about.origin
        self._check_key()
        signed = signed_sizes(store)
        self._finish_pending(signed)
        checkpoint = newest(store, self._origin)
        self.size = checkpoint.size if checkpoint else 0
        _require_newest(layout.CHECKPOINT, self.size, signed)
        self._tree = Growing(store, self.size)
        if checkpoint and self._tree.root() != checkpoint.root:
            raise BadArchive(f"the tiles do not have the root of the checkpoint of {self.size}")
        # A writer may have been killed right after it signed the newest.
        before = max((size for size in signed if size < self.size), default=0)
        drop_partial_tiles(store, before, self.size)

    def append(self, leaves: Sequence[Leaf], entries: Sequence[bytes] = ()) -> Checkpoint:
        """Seal leaves, durably, under a new checkpoint; none: the one that there is.

        `entries`: behind them, of leaves that are durable already.
        """
        store, before = self.store, self.size
        for leaf in leaves:
            store.write(layout.leaf(leaf.sha256), _PLAIN.pack(leaf))
            self._tree.take(leaf.entry)
        for entry in entries:
            self._tree.take(entry)
        self._tree.write_edge()
        store.sync()
        self.size = self._tree.size
        pending = Checkpoint(self._origin, self.size, self._tree.root())
        store.write(layout.PENDING, pending.text().encode())
        store.sync()
        self._sign(pending)
        drop_partial_tiles(store, before, self.size)
        return pending

    def _sign(self, checkpoint: Checkpoint) -> None:
        store, note = self.store, checkpoint.signed(self._key)
        store.write(layout.signed_checkpoint(checkpoint.size), note)
        store.sync()
        store.write(layout.CHECKPOINT, note)
        store.sync()
        store.delete(layout.PENDING)

    def _found(self, meant: About) -> About:
        """Begin an archive, or see that it is the one that is meant."""
        if self.store.read(layout.MIRROR) is not None:
            raise BadArchive("is a mirror: what is sealed here is a fork of what it mirrors")
        there = self.store.read(layout.LOG)
        if there is None:
            if self.store.read(layout.CHECKPOINT) is not None:
                raise BadArchive("log.json is missing")
            founded = replace(meant, origin=meant.origin or self._key.name)
            self.store.write(layout.LOG, founded.data())
            self.store.sync()
            return founded
        found = About.parse(there)
        if found != replace(meant, origin=meant.origin or found.origin):
            raise BadArchive(f"this is the archive of {found.origin}, {found.topic}")
        return found

    def _check_key(self) -> None:
        signed = read_signed(self.store, layout.CHECKPOINT, self._origin)
        keys = read_keys(self.store, self._key.public)
        keys.check_in_force(self._origin, signed.note if signed else None)

    def check_statements(self) -> None:
        """That those that lie there are good: what is sealed cannot be taken back."""
        read_keys(self.store, self._key.public).check(self._origin)

    def _finish_pending(self, signed: Sequence[int]) -> None:
        data = self.store.read(layout.PENDING)
        if data is None:
            return
        try:
            pending = Checkpoint.parse(data.decode())
        except (BadNote, UnicodeDecodeError):
            raise BadArchive("pending: is damaged; nothing is signed in its place") from None
        _require_newest(layout.PENDING, pending.size, signed)
        self._require_ours(pending)
        self._sign(pending)

    def _require_ours(self, pending: Checkpoint) -> None:
        """It may be of a torn copy, or laid there by anybody: what is signed is checked first."""
        signed = newest(self.store, self._origin) or Checkpoint(self._origin, 0, EMPTY_ROOT)
        tiles = Tiles(self.store, pending.size)
        if (
            pending.origin != self._origin
            or pending.size < signed.size
            or pending.root != tiles.root()
            or signed.root != tiles.root_of_first(signed.size)
        ):
            raise BadArchive("pending: is not the tree that lies there; nothing is signed")


def _require_newest(name: str, size: int, signed: Sequence[int]) -> None:
    """That no larger tree is signed, as where a part of a copy was restored: what is sealed behind
    the smaller one would be a second tree of that size. Raises BadArchive.
    """
    if signed and signed[-1] > size:
        newer = layout.signed_checkpoint(signed[-1])
        raise BadArchive(f"{name}: is of {size} entries, and {newer} is newer; nothing is sealed")


def drop_partial_tiles(store: Store, before: int, size: int) -> None:
    """Of the tiles that were partial when the tree had `before` entries, and are full now.

    Whoever reads an old tree finds the full tile in their place. Raises StoreError.
    """
    for folder in layout.partial_tiles(before) - layout.partial_tiles(size):
        for width in store.names(folder):
            store.delete(f"{folder}/{width}")


def newest(store: Store, origin: str) -> Checkpoint | None:
    """The newest checkpoint, whoever signed it; None: nothing was sealed yet. Raises BadArchive."""
    signed = read_signed(store, layout.CHECKPOINT, origin)
    return signed.checkpoint if signed else None


def manifests(store: Store, size: int, first: int = 0) -> Iterator[ArchiveLeaf]:
    """The entries of a tree, in their order, from one on. Raises BadArchive."""
    for index in range(first // WIDTH, -(-size // WIDTH)):
        begin = index * WIDTH
        entries = bundle(store, index, min(WIDTH, size - begin))
        for number in range(max(first, begin), begin + len(entries)):
            yield parse_manifest(number, entries[number - begin])


def leaf_data(store: Store, sha256: bytes, length: int) -> bytes:
    """The bytes of a leaf, as long as its manifest says. Raises BadArchive."""
    return unpacked(store, sha256, length, _must_read(store, layout.leaf(sha256)))


def unpacked(store: Store, sha256: bytes, length: int, packed: bytes) -> bytes:
    """The bytes of a leaf whose file holds `packed`. Raises BadArchive."""
    key = layout.leaf(sha256)
    try:
        data = unpack(packed, length, lambda number: _unpacker(store, number))
    except NotPacked as problem:
        raise BadArchive(f"{key}: {problem}") from None
    if digest_of(data).digest() != sha256:
        raise BadArchive(f"{key}: has not the SHA-256 that names it")
    return data


_unpackers: WeakKeyDictionary[Store, dict[int, Unpacker]] = WeakKeyDictionary()
"""Of each archive that was read, for the dictionaries that its frames have named."""


def _unpacker(store: Store, number: int) -> Unpacker:
    known = _unpackers.setdefault(store, {})
    if number not in known:
        known[number] = Unpacker(_find_dictionary(store, number))
    return known[number]


def _find_dictionary(store: Store, number: int) -> bytes:
    """Sealed before its first use: so mostly among the log's first entries."""
    signed = read_signed(store, layout.CHECKPOINT)
    for manifest in manifests(store, signed.size if signed else 0):
        if manifest.document.name == "dictionary":
            data = leaf_data(store, manifest.sha256, manifest.length)
            if number_of(data) == number:
                return data
    raise BadArchive(f"a dictionary is missing: number {number}")


def _must_read(store: Store, key: str, named: str = "") -> bytes:
    data = store.read(key)
    if data is None:
        raise BadArchive(f"{named or key}: is missing")
    return data
