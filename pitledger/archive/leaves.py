"""The log's entries: a transcript, a remainder, a document, each as manifest and bytes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from operator import attrgetter

from google.protobuf.message import DecodeError

from pitledger.archive.collect import Remainder, Transcript
from pitledger.archive.store import BadArchive
from pitledger.journal.record import Stored
from pitledger.journal.stored import to_bytes
from pitledger.pb import archive_pb2

DATA_MAX = 16 << 20
"""Bytes of a leaf. A remainder that would be longer is cut into several, at a record."""
ENTRY_MAX = (1 << 16) - 1
"""Bytes of a manifest: an entry's length has two bytes in C2SP tlog-tiles."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """`entry`: the manifest, as it lies in the log. `data`: the bytes that it tells of."""

    entry: bytes
    sha256: bytes
    data: bytes
    is_document: bool = False


def round_leaf(transcript: Transcript) -> Leaf:
    records, opened = transcript.records, transcript.opened
    manifest = archive_pb2.ArchivedRound(
        partition=transcript.partition,
        offsets=_distances(records),
        copied=transcript.copied.offset if transcript.copied else None,
        table_id=opened.table_id,
        round_id=opened.event_id,
        round_number=opened.round_opened.round_number,
        gaming_day=opened.round_opened.gaming_day,
        opened_at_ms=records[0].broker_time,
        sealed_at_ms=records[-1].broker_time,
    )
    held = [*records, transcript.copied] if transcript.copied else records
    data = b"".join(map(to_bytes, sorted(held, key=attrgetter("offset"))))
    return _leaf(data, archive_pb2.ArchiveLeaf(round=manifest))


def is_too_long(leaf: Leaf) -> bool:
    """No log can take it: of a round of tens of thousands of records, or with texts of that size.
    Such a round lies in remainders.
    """
    return len(leaf.entry) > ENTRY_MAX or len(leaf.data) > DATA_MAX


def remainder_leaves(remainder: Remainder) -> Iterator[Leaf]:
    """One, or several that follow each other without a gap."""
    partition, first = remainder.partition, remainder.first
    held: list[bytes] = []
    size = 0
    for record in remainder.records:
        data = to_bytes(record)
        if held and size + len(data) > DATA_MAX:
            yield _remainder_leaf(partition, first, record.offset, held)
            first, held, size = record.offset, [], 0
        held.append(data)
        size += len(data)
    yield _remainder_leaf(partition, first, remainder.end, held)


def document_leaf(name: str, media_type: str, data: bytes) -> Leaf:
    """`name`: "schema" or "rules", say."""
    document = archive_pb2.ArchivedDocument(name=name, media_type=media_type)
    return _leaf(data, archive_pb2.ArchiveLeaf(document=document), is_document=True)


def parse_manifest(entry: int, data: bytes) -> archive_pb2.ArchiveLeaf:
    """`entry`: its number in the log. Raises BadArchive."""
    try:
        return archive_pb2.ArchiveLeaf.FromString(data)
    except DecodeError:
        raise BadArchive(f"entry {entry}: is no manifest") from None


def offsets_of(round_: archive_pb2.ArchivedRound) -> list[int]:
    """The offsets of a round's own records."""
    offset, offsets = 0, []
    for distance in round_.offsets:
        offset += distance
        offsets.append(offset)
    return offsets


def _remainder_leaf(partition: int, first: int, end: int, held: Sequence[bytes]) -> Leaf:
    manifest = archive_pb2.ArchivedRemainder(partition=partition, first=first, end=end)
    return _leaf(b"".join(held), archive_pb2.ArchiveLeaf(remainder=manifest))


def _leaf(data: bytes, manifest: archive_pb2.ArchiveLeaf, is_document: bool = False) -> Leaf:
    digest = sha256(data).digest()
    manifest.sha256, manifest.length = digest, len(data)
    return Leaf(manifest.SerializeToString(deterministic=True), digest, data, is_document)


def _distances(records: Sequence[Stored]) -> list[int]:
    before, distances = 0, []
    for record in records:
        distances.append(record.offset - before)
        before = record.offset
    return distances
