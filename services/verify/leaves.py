"""The records in an entry's leaf: whether they are what the manifest says."""

from collections.abc import Iterator
from itertools import pairwise

from google.protobuf.message import DecodeError

from pitledger.pb.archive_pb2 import ArchivedRound
from pitledger.pb.facts_pb2 import RoundOpened
from pitledger.pb.journal_pb2 import JournalRecord
from pitledger.pb.log_pb2 import StoredRecord
from services.verify.entries import Entry


def records_of(entry: Entry, data: bytes) -> Iterator[StoredRecord]:
    """The records, in their order. Raises Bad."""
    try:
        for message in messages_of(data):
            yield StoredRecord.FromString(message)
    except DecodeError:
        entry.bad("its bytes hold something that is no record")
    except ValueError as problem:
        entry.bad(f"its bytes are {problem}")


def messages_of(data: bytes) -> Iterator[bytes]:
    """Each without the length before it. Raises ValueError."""
    at, end = 0, len(data)
    while at < end:
        length, start = _varint(data, at)
        stop = start + length
        if length < 0 or stop > end:
            raise ValueError(f"cut short in the record at byte {at}")
        yield data[start:stop]
        at = stop


def check_offsets(entry: Entry) -> None:
    """That a round's manifest names records. Raises Bad."""
    offsets = entry.offsets()
    if not offsets:
        entry.bad("names no record")
    if not all(before < after for before, after in pairwise(offsets)):
        entry.bad("its offsets do not ascend")


def check_round(entry: Entry, records: list[StoredRecord]) -> RoundOpened:
    """That the records are those of a round's manifest; what opened it. Raises Bad."""
    round_ = entry.leaf.round
    own = offsets = entry.offsets()
    if round_.HasField("copied"):
        _check_copy(entry, records)
        offsets = sorted([*own, round_.copied])
    if [record.offset for record in records] != offsets:
        entry.bad("its records are not at the offsets that it names")
    key = round_.table_id.encode()
    for record in records:
        if (record.partition, record.key) != (round_.partition, key):
            entry.bad(f"its record at offset {record.offset} is of another partition or table")
    opened = _opened(records[0])
    if (
        opened is None
        or _said(round_) != _told(records[0], opened)
        or records[offsets.index(own[-1])].broker_time_ms != round_.sealed_at_ms
    ):
        entry.bad("is not the round that its first record opens, or not at its times")
    return opened.round_opened


def check_span(entry: Entry) -> None:
    """That a remainder's manifest accounts for something. Raises Bad."""
    rest = entry.leaf.remainder
    if not 0 <= rest.first < rest.end:
        entry.bad("accounts for no offset")


def check_remainder(entry: Entry, records: list[StoredRecord]) -> None:
    """That the records may be those of a remainder's manifest. Raises Bad."""
    rest = entry.leaf.remainder
    for record in records:
        if record.partition != rest.partition:
            entry.bad(f"its record at offset {record.offset} is of another partition")


def _check_copy(entry: Entry, records: list[StoredRecord]) -> None:
    """That it opens a round of the same table, behind this one's opening."""
    copied = entry.leaf.round.copied
    copies = [record for record in records if record.offset == copied]
    opened = _opened(copies[0]) if len(copies) == 1 and copies[0] is not records[0] else None
    if opened is None or opened.table_id != entry.leaf.round.table_id:
        entry.bad(f"the copy in it, of offset {copied}, opens no other round of its table")


_Told = tuple[str, str, int, str, int]
"""Table, round, its number, gaming day, broker time in milliseconds."""


def _said(round_: ArchivedRound) -> _Told:
    return (
        round_.table_id,
        round_.round_id,
        round_.round_number,
        round_.gaming_day,
        round_.opened_at_ms,
    )


def _told(stored: StoredRecord, record: JournalRecord) -> _Told:
    opened = record.round_opened
    return (
        record.table_id,
        record.event_id,
        opened.round_number,
        opened.gaming_day,
        stored.broker_time_ms,
    )


def _opened(stored: StoredRecord) -> JournalRecord | None:
    """A RoundOpened; None: it is none."""
    try:
        record = JournalRecord.FromString(stored.value)
    except DecodeError:
        return None
    return record if record.WhichOneof("body") == "round_opened" else None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number and where it ends; less than 0 where there is none."""
    number = 0
    for index, byte in enumerate(data[at : at + 5]):
        number |= (byte & 127) << 7 * index
        if byte < 128:
            return number, at + index + 1
    return -1, at
