"""The records in an entry's leaf: whether they are what the manifest says."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import NoReturn

from google.protobuf.message import DecodeError

from pitledger.pb.archive_pb2 import ArchivedRound
from pitledger.pb.facts_pb2 import RoundOpened
from pitledger.pb.journal_pb2 import JournalRecord
from pitledger.pb.log_pb2 import StoredRecord
from services.verify.entries import Entry
from services.verify.wire import parsed


def records_of(entry: Entry, data: bytes) -> Iterator[StoredRecord]:
    """The records, in their order, one at a time: who holds a key may seal any number of them.

    Raises Bad.
    """
    try:
        for message in messages_of(data):
            yield parsed(StoredRecord, message)
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


@dataclass(frozen=True, slots=True)
class Ends:
    """What is kept of a round's records. `copy`: of the one that ended it, if it holds such."""

    opened: RoundOpened
    first: StoredRecord
    copy: StoredRecord | None


def check_round(entry: Entry, records: Iterable[StoredRecord]) -> Ends:
    """That the records are those of a round's manifest. Raises Bad for the first that is not."""
    round_, own = entry.leaf.round, entry.offsets()
    copied = round_.copied if round_.HasField("copied") else None
    if copied is not None and copied <= own[0]:
        _opens_no_other(entry)
    kept: dict[int | None, StoredRecord] = {}
    key = round_.table_id.encode()
    offsets = own if copied is None else sorted([*own, copied])
    for offset, record in zip_longest(offsets, records):
        if record is None or record.offset != offset:
            if offset is not None and offset == copied:
                _opens_no_other(entry)
            entry.bad("its records are not at the offsets that it names")
        if (record.partition, record.key) != (round_.partition, key):
            entry.bad(f"its record at offset {offset} is of another partition or table")
        if offset in (own[0], own[-1], copied):
            kept[offset] = record
    first, copy = kept[own[0]], kept.get(copied)
    if copy is not None:
        another = _opened(copy)
        if another is None or another.table_id != round_.table_id:
            _opens_no_other(entry)
    opened = _opened(first)
    if (
        opened is None
        or _said(round_) != _told(first, opened)
        or kept[own[-1]].broker_time_ms != round_.sealed_at_ms
    ):
        entry.bad("is not the round that its first record opens, or not at its times")
    return Ends(opened.round_opened, first, copy)


def check_span(entry: Entry) -> None:
    """That a remainder's manifest accounts for something. Raises Bad."""
    rest = entry.leaf.remainder
    if not 0 <= rest.first < rest.end:
        entry.bad("accounts for no offset")


def of_remainder(entry: Entry, records: Iterable[StoredRecord]) -> Iterator[StoredRecord]:
    """The records, as far as they may be those of a remainder's manifest. Raises Bad."""
    rest = entry.leaf.remainder
    first = rest.first
    for record in records:
        if record.partition != rest.partition:
            entry.bad(f"its record at offset {record.offset} is of another partition")
        if not first <= record.offset < rest.end:
            entry.bad(f"offset {record.offset} does not belong here, or not in this place")
        first = record.offset + 1
        yield record


def _opens_no_other(entry: Entry) -> NoReturn:
    """It has to open a round of the same table, behind this one's opening."""
    copied = entry.leaf.round.copied
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
        record = parsed(JournalRecord, stored.value)
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
