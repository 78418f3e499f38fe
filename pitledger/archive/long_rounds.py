"""Rounds that no leaf can hold: of tens of thousands of records, or with texts of megabytes.

Their records lie in remainders. Behind the remainder in which such a round lies whole, a document
tells of it: its bytes are the manifest that was too long for an entry, or whose leaf would have
been too long. So the log names each of its records, and has the SHA-256 of its transcript.
"""

from collections.abc import Iterator
from hashlib import sha256

from google.protobuf.message import DecodeError

from pitledger.archive import layout
from pitledger.archive.in_order import bytes_of, own_records, partition_of_leaf
from pitledger.archive.leaves import Leaf, document_leaf, offsets_of, parse_manifest
from pitledger.archive.merkle import WIDTH
from pitledger.archive.store import BadArchive, Store
from pitledger.archive.tiles import bundle
from pitledger.journal.record import Stored
from pitledger.journal.stored import to_bytes
from pitledger.pb.archive_pb2 import ArchiveLeaf

NAME = "long-round"
_MEDIA_TYPE = "application/protobuf; proto=pitledger.v1.ArchiveLeaf"


class Gone(BadArchive):
    """What holds its records is not there; whether it may be gone is for others to judge."""


def long_round_leaf(round_: Leaf) -> Leaf:
    """The document that tells of what would have been this leaf."""
    return document_leaf(NAME, _MEDIA_TYPE, round_.entry)


def is_long_round(leaf: ArchiveLeaf) -> bool:
    return leaf.document.name == NAME


def manifest_of(store: Store, entry: int, leaf: ArchiveLeaf) -> ArchiveLeaf:
    """An entry's own manifest; of a long round the one that its document has.

    Raises BadArchive, StoreError.
    """
    if not is_long_round(leaf):
        return leaf
    try:
        manifest = ArchiveLeaf.FromString(bytes_of(store, entry, leaf))
    except DecodeError:
        manifest = ArchiveLeaf()
    if not manifest.round.offsets:
        raise BadArchive(f"entry {entry}: is a document {NAME!r}, and tells of no round")
    return manifest


def round_of(store: Store, size: int, entry: int, leaf: ArchiveLeaf) -> tuple[ArchiveLeaf, bytes]:
    """Manifest and bytes of the round that an entry is of, itself or by its document.

    `size`: of the tree. Raises BadArchive, StoreError; Gone: of a long one alone.
    """
    if not is_long_round(leaf):
        return leaf, bytes_of(store, entry, leaf)
    manifest = manifest_of(store, entry, leaf)
    records = sorted(_gathered(store, size, entry, manifest), key=lambda stored: stored.offset)
    data = b"".join(map(to_bytes, records))
    if sha256(data).digest() != manifest.sha256:
        raise BadArchive(f"entry {entry}: the records before it are not the round it tells of")
    return manifest, data


def _gathered(store: Store, size: int, entry: int, manifest: ArchiveLeaf) -> Iterator[Stored]:
    """Out of the entries before its document: its own lie in the last remainder, that of the round
    that ended it may lie further up.
    """
    round_ = manifest.round
    wanted = set(offsets_of(round_))
    if round_.HasField("copied"):
        wanted.add(round_.copied)
    for number, leaf in _upwards(store, size, entry):
        if partition_of_leaf(leaf) != round_.partition or not _may_hold(leaf, wanted):
            continue
        if store.read(layout.leaf(leaf.sha256)) is None:
            raise Gone(f"entry {number}: {layout.leaf(leaf.sha256)}: is missing")
        for stored in own_records(store, number, leaf):
            if stored.offset in wanted:
                wanted.discard(stored.offset)
                yield stored
        if not wanted:
            return
    raise BadArchive(f"entry {entry}: offset {min(wanted)} lies in no leaf before it")


def _may_hold(leaf: ArchiveLeaf, wanted: set[int]) -> bool:
    """Of a round in a leaf only the opening is wanted: it ended the long one."""
    if leaf.HasField("round"):
        return not wanted.isdisjoint(leaf.round.offsets[:1])
    return any(leaf.remainder.first <= offset < leaf.remainder.end for offset in wanted)


def _upwards(store: Store, size: int, entry: int) -> Iterator[tuple[int, ArchiveLeaf]]:
    """The entries before one, the last first."""
    for index in range(entry // WIDTH, -1, -1):
        first = index * WIDTH
        entries = bundle(store, index, min(WIDTH, size - first))
        for number in reversed(range(min(entry - first, len(entries)))):
            yield first + number, parse_manifest(first + number, entries[number])
