"""The bytes of an entry's leaf: whether they are there, and are what the manifest says."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise

import zstandard
from google.protobuf.message import DecodeError

from pitledger.pb.archive_pb2 import ArchivedRound, ArchiveLeaf
from pitledger.pb.journal_pb2 import JournalRecord
from pitledger.pb.log_pb2 import StoredRecord
from services.verify.entries import Entry
from services.verify.faults import Bad
from services.verify.files import Folder

LONGEST = 64 << 20
"""Bytes of a leaf: no manifest makes this program take more memory than that."""


def leaf_key(leaf: ArchiveLeaf) -> str:
    name = leaf.sha256.hex()
    return f"leaf/{name[:2]}/{name}.zst"


def leaf_bytes(files: Folder, entry: Entry) -> bytes:
    """Uncompressed. Raises Bad."""
    leaf = entry.leaf
    if len(leaf.sha256) != 32:
        entry.bad("names no SHA-256")
    if leaf.length > LONGEST:
        entry.bad(f"is of {leaf.length} bytes, and no leaf has more than {LONGEST}")
    key = leaf_key(leaf)
    try:
        packed = files.must_read(key, leaf.length + leaf.length // 128 + 1024)
    except Bad as problem:
        entry.bad(str(problem))
    data = _unpack(entry, key, packed)
    if sha256(data).digest() != leaf.sha256:
        entry.bad(f"{key}: has not the SHA-256 that it is named by")
    return data


def records_of(entry: Entry, data: bytes) -> Iterator[StoredRecord]:
    """The records, in their order. Raises Bad."""
    at, end = 0, len(data)
    while at < end:
        length, start = _varint(data, at)
        stop = start + length
        if length < 0 or stop > end:
            entry.bad(f"{leaf_key(entry.leaf)}: is cut short in the record at byte {at}")
        try:
            yield StoredRecord.FromString(data[start:stop])
        except DecodeError:
            entry.bad(f"{leaf_key(entry.leaf)}: holds no record at byte {at}")
        at = stop


def check_round(entry: Entry, records: list[StoredRecord]) -> None:
    """That the records are those of a round's manifest. Raises Bad."""
    round_ = entry.leaf.round
    offsets = entry.offsets()
    if not offsets:
        entry.bad("names no record")
    if not all(before < after for before, after in pairwise(offsets)):
        entry.bad("its offsets do not ascend")
    if round_.HasField("copied"):
        _check_copy(entry, records)
        offsets = sorted([*offsets, round_.copied])
    if [record.offset for record in records] != offsets:
        entry.bad("its records are not at the offsets that it names")
    key = round_.table_id.encode()
    for record in records:
        if (record.partition, record.key) != (round_.partition, key):
            entry.bad(f"its record at offset {record.offset} is of another partition or table")
    if _said(round_) != _opened(records[0]) or records[-1].broker_time_ms != round_.sealed_at_ms:
        entry.bad("is not the round that its first record opens, or not at its times")


def check_remainder(entry: Entry, records: list[StoredRecord]) -> None:
    """That the records may be those of a remainder's manifest. Raises Bad."""
    rest = entry.leaf.remainder
    if not 0 <= rest.first < rest.end:
        entry.bad("accounts for no offset")
    for record in records:
        if record.partition != rest.partition:
            entry.bad(f"its record at offset {record.offset} is of another partition")


def _check_copy(entry: Entry, records: list[StoredRecord]) -> None:
    """That it opens a round of the same table, behind this one's opening."""
    copied = entry.leaf.round.copied
    copies = [record for record in records if record.offset == copied]
    opened = _opened(copies[0]) if len(copies) == 1 and copies[0] is not records[0] else None
    if opened is None or opened[0] != entry.leaf.round.table_id:
        entry.bad(f"the copy in it, of offset {copied}, opens no other round of its table")


_Opened = tuple[str, str, int, str, int]
"""Table, round, its number, gaming day, broker time in milliseconds."""


def _said(round_: ArchivedRound) -> _Opened:
    return (
        round_.table_id,
        round_.round_id,
        round_.round_number,
        round_.gaming_day,
        round_.opened_at_ms,
    )


def _opened(stored: StoredRecord) -> _Opened | None:
    """What a RoundOpened says; None: it is none."""
    try:
        record = JournalRecord.FromString(stored.value)
    except DecodeError:
        return None
    if record.WhichOneof("body") != "round_opened":
        return None
    opened = record.round_opened
    return (
        record.table_id,
        record.event_id,
        opened.round_number,
        opened.gaming_day,
        stored.broker_time_ms,
    )


def _unpack(entry: Entry, key: str, packed: bytes) -> bytes:
    """One zstd frame, as long as the manifest says before a byte of it is unpacked."""
    length = entry.leaf.length
    try:
        frame = zstandard.get_frame_parameters(packed)
        if frame.content_size != length or frame.window_size > LONGEST:
            entry.bad(f"{key}: is not of the {length} bytes that the manifest says")
        unpack = zstandard.ZstdDecompressor().decompress
        data = unpack(packed, max_output_size=length, allow_extra_data=False)
    except zstandard.ZstdError:
        entry.bad(f"{key}: cannot be unpacked")
    if len(data) != length:
        entry.bad(f"{key}: is not of the {length} bytes that the manifest says")
    return data


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number and where it ends; less than 0 where there is none."""
    number = 0
    for index, byte in enumerate(data[at : at + 5]):
        number |= (byte & 127) << 7 * index
        if byte < 128:
            return number, at + index + 1
    return -1, at
