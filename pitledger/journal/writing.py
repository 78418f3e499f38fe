"""Making facts: one table's records, with ids and times that the caller hands in."""

from typing import TYPE_CHECKING

from pitledger.journal.record import (
    JournalRecord,
    Stored,
    headers_of,
    partition_of,
    serialize,
)

if TYPE_CHECKING:
    from google.protobuf.message import Message


def fact_record(
    table_id: str,
    round_id: str,
    event_id: str,
    occurred_at: int,
    body: str,
    message: "Message",
    *,
    table_seq: int = 0,
    source: str = "",
    actor: str = "",
) -> JournalRecord:
    """A fact; `body` is its field's name in JournalRecord, `occurred_at` microseconds UTC."""
    record = JournalRecord(
        event_id=event_id,
        table_id=table_id,
        round_id=round_id,
        occurred_at=occurred_at,
        source=source,
        actor=actor,
        table_seq=table_seq,
    )
    getattr(record, body).CopyFrom(message)
    getattr(record, body).SetInParent()
    return record


def stored(record: JournalRecord, offset: int, broker_time: int, partitions: int) -> Stored:
    """A record as the broker would keep it at this offset and broker time (ms)."""
    return Stored(
        partition_of(record.table_id, partitions),
        offset,
        broker_time,
        record.table_id.encode(),
        headers_of(record),
        serialize(record),
    )
