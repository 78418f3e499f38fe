"""What the index keeps of one entry of an archive's log."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from pitledger.archive import layout
from pitledger.archive.leaves import offsets_of
from pitledger.archive.log import leaf_data
from pitledger.archive.long_rounds import Gone, is_long_round, manifest_of, round_of
from pitledger.archive.store import BadArchive, Store
from pitledger.journal.record import CASE_DECISION_TYPES, DECISION_TYPES, TYPE_BYTES, JournalRecord
from pitledger.journal.stored import BadRecords, ascending, parsed
from pitledger.journal.vocabulary import NotAFact, read_fact
from pitledger.pb.archive_pb2 import ArchiveLeaf
from pitledger.pb.log_pb2 import StoredRecord
from pitledger.story import game_key

Row = tuple[str, tuple[Any, ...]]
"""A table of the index, and the values of one row."""

SETTLED, VOIDED = "settled", "voided"
_OUTCOMES = {TYPE_BYTES["round_settled"]: SETTLED, TYPE_BYTES["round_voided"]: VOIDED}
_HOLDS = (TYPE_BYTES["table_held"], TYPE_BYTES["table_released"])
_OF_ROUNDS = DECISION_TYPES - CASE_DECISION_TYPES
_ROUND_CLOSED = TYPE_BYTES["round_closed"]


def rows_of(
    store: Store, size: int, partitions: int, entry: int, leaf: ArchiveLeaf
) -> Iterator[Row]:
    """`size`: of the tree; `partitions`: of the journal. Raises BadArchive, StoreError."""
    match leaf.WhichOneof("kind"):
        case "round":
            data = _data(store, leaf)
            yield from _round(entry, leaf, data)
            if any(kind in data for kind in _HOLDS):
                for message in _messages(data):
                    yield from _hold(partitions, entry, message)
        case "remainder":
            for message in _messages(_data(store, leaf)):
                yield from _loose(entry, message)
                yield from _hold(partitions, entry, message)
        case "document":
            yield "documents", (entry, leaf.document.name, leaf.sha256, leaf.length)
            if is_long_round(leaf):
                yield from _long_round(store, size, entry, leaf)
        case _:
            pass  # of a later contract


@dataclass(frozen=True, slots=True)
class _Played:
    """What a round's records say that its manifest does not; empty where its bytes are gone."""

    game: str = ""
    currency: str = ""
    occurred_at_us: int | None = None
    seats: tuple[tuple[int, str], ...] = ()
    """Position and patron."""
    outcome: str = ""
    amounts: tuple[int | None, int | None, int | None] = (None, None, None)
    """Staked, returned, house net."""
    closed_at: int | None = None
    """Offset of the RoundClosed that ended it, if one did."""
    next_number: str | None = None
    """Of the round whose opening ended it, if one did."""


def _long_round(store: Store, size: int, entry: int, leaf: ArchiveLeaf) -> Iterator[Row]:
    """Its records lie in remainders, which are read for themselves."""
    try:
        manifest, data = round_of(store, size, entry, leaf)
    except Gone:
        manifest, data = manifest_of(store, entry, leaf), b""
    yield from _round(entry, manifest, data)


def _round(entry: int, leaf: ArchiveLeaf, data: bytes) -> Iterator[Row]:
    own, offsets = leaf.round, offsets_of(leaf.round)
    if not offsets:
        raise BadArchive("a round of no records")
    messages = _messages(data)
    played = _played(leaf, messages) if messages else _Played()
    yield "rounds", (
        entry,
        leaf.sha256,
        leaf.length,
        own.partition,
        own.table_id,
        own.round_id,
        sortable(own.round_number),
        own.gaming_day,
        played.game,
        own.opened_at_ms,
        own.sealed_at_ms,
        played.outcome,
        offsets[0],
        offsets[-1],
        played.closed_at,
        played.occurred_at_us,
        played.currency,
        *played.amounts,
        played.next_number,
    )
    for position, patron in dict.fromkeys(played.seats):
        yield "patrons", (patron, entry, position)


def sortable(number: int) -> str:
    """A round's number has 64 bits and no sign, an integer of SQLite has one."""
    return f"{number:020}"


def _played(leaf: ArchiveLeaf, messages: list[StoredRecord]) -> _Played:
    copied = None
    if leaf.round.HasField("copied"):
        copied = next((each for each in messages if each.offset == leaf.round.copied), None)
    record = _parsed(messages[0])
    opened = record.round_opened
    outcome, amounts = _outcome(messages)
    return _Played(
        game_key(opened.submission),
        opened.currency_code,
        record.occurred_at,
        tuple((seat.position, seat.patron_id) for seat in opened.seats),
        outcome,
        amounts,
        _closed_at(messages) if copied is None else None,
        sortable(_parsed(copied).round_opened.round_number) if copied else None,
    )


def _outcome(
    messages: list[StoredRecord],
) -> tuple[str, tuple[int | None, int | None, int | None]]:
    for message in reversed(messages):  # it is near the end
        outcome = _OUTCOMES.get(header(message, "ce_type"))
        if outcome is not None:
            totals = getattr(_parsed(message), f"round_{outcome}").totals
            return outcome, (totals.staked_minor, totals.returned_minor, totals.house_net_minor)
    return "", (None, None, None)


def _closed_at(messages: list[StoredRecord]) -> int | None:
    """A round's last fact is the one that ended it."""
    for message in reversed(messages):
        kind = header(message, "ce_type")
        if kind not in DECISION_TYPES:
            return message.offset if kind == _ROUND_CLOSED else None
    return None


def _parsed(message: StoredRecord) -> JournalRecord:
    try:
        return JournalRecord.FromString(message.value)
    except DecodeError:
        raise BadArchive(f"a round's record at offset {message.offset} does not parse") from None


def _loose(entry: int, message: StoredRecord) -> Iterator[Row]:
    """Of a record that is in no round: which round or case it names, and what it says of them."""
    subject = header(message, "ce_subject")
    if subject != message.key:
        yield "strays", (_text(subject), entry)
    kind = header(message, "ce_type")
    if kind in _OF_ROUNDS:
        return
    at = (entry, message.partition, message.offset, message.broker_time_ms)
    names = (_text(message.key), _text(header(message, "ce_id")))
    try:
        record = JournalRecord.FromString(message.value)
    except DecodeError:
        if kind in CASE_DECISION_TYPES:
            yield "cases", (*at, _text(subject), "", *names, None)
        return
    if record.case_id or kind in CASE_DECISION_TYPES:
        body = record.WhichOneof("body") or ""
        yield "cases", (*at, record.case_id, _spoken_of(record), *names, body)
    if record.WhichOneof("body") == "processor_started":
        started = record.processor_started
        yield "builds", (*at, started.processor, started.build, started.instance)


def _hold(partitions: int, entry: int, message: StoredRecord) -> Iterator[Row]:
    """A table held or released, if the record is a fact."""
    if header(message, "ce_type") not in _HOLDS:
        return
    attributes = {each.name: each.value for each in message.headers}
    try:
        fact = read_fact(message.partition, partitions, message.key, attributes, message.value)
    except NotAFact:
        return
    record = fact.record
    yield "holds", (
        entry,
        message.partition,
        message.offset,
        record.table_id,
        record.event_id,
        record.table_released.held_id,
        fact.body == "table_held",
    )


def _spoken_of(record: JournalRecord) -> str:
    """The round that a case's record names; "" where it names the case alone."""
    body = getattr(record, record.WhichOneof("body") or "", None)
    settlement = getattr(body, "settlement", None)
    return settlement.round_id if settlement is not None else ""


def header(message: StoredRecord, name: str) -> bytes:
    """The last header of this name, as every reader of the journal takes it; b"": none."""
    found = b""
    for each in message.headers:
        if each.name == name:
            found = each.value
    return found


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _data(store: Store, leaf: ArchiveLeaf) -> bytes:
    """A leaf's bytes; b"" where they are gone: whether they may be is for others to judge."""
    try:
        return leaf_data(store, leaf.sha256, leaf.length)
    except BadArchive:
        if store.read(layout.leaf(leaf.sha256)) is None:
            return b""
        raise


def _messages(data: bytes) -> list[StoredRecord]:
    try:
        return [message for message, _ in ascending(parsed(data))]
    except BadRecords as problem:
        raise BadArchive(f"its leaf is {problem}") from None
