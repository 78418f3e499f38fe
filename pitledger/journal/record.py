"""A journal record: envelope, CloudEvents headers, serialisation, partition.

`Stored` is a message as it lies on the log; `JournalRecord` is what its value parses to.
"""

from dataclasses import dataclass, field
from functools import lru_cache

from pitledger.pb import journal_pb2

JournalRecord = journal_pb2.JournalRecord
Headers = tuple[tuple[str, bytes], ...]

TOPIC = "pitledger.journal.v1"
QUARANTINE_TOPIC = "pitledger.quarantine.v1"

_BODY = JournalRecord.DESCRIPTOR.oneofs_by_name["body"]
TYPE_OF_BODY: dict[str, str] = {
    f.name: f.message_type.full_name for f in _BODY.fields if f.message_type
}
"""Body field name ("card_drawn") to CloudEvents type ("pitledger.v1.CardDrawn")."""

TYPE_BYTES: dict[str, bytes] = {body: name.encode() for body, name in TYPE_OF_BODY.items()}

NUMBER_OF_BODY: dict[str, int] = {f.name: f.number for f in _BODY.fields}
CASE_DECISION_BODIES = frozenset(("case_answered", "adjustment_posted"))
"""Decisions about cases, which the process `cases` writes. They name a case and no round."""
DECISION_BODIES = CASE_DECISION_BODIES | {
    name for name, number in NUMBER_OF_BODY.items() if number >= 200
}
CONSOLE_BODIES = frozenset(name for name, number in NUMBER_OF_BODY.items() if 60 <= number < 70)
"""Facts of the dealer's side, numbered by the console with `table_seq`."""

DECISION_TYPES = frozenset(TYPE_BYTES[name] for name in DECISION_BODIES)
CASE_DECISION_TYPES = frozenset(TYPE_BYTES[name] for name in CASE_DECISION_BODIES)


@dataclass(slots=True)
class Stored:
    """One message of the journal: position, broker's time (ms since 1970), key, headers, value.

    Not to be changed; frozen it would take three times as long to make, and millions are made.
    """

    partition: int
    offset: int
    broker_time: int
    key: bytes
    headers: Headers
    value: bytes
    encoded: bytes = field(default=b"", init=False, compare=False, repr=False)
    """A `StoredRecord` of all this, where it was read as such; b"": it must be made."""


def body_name(record: JournalRecord) -> str:
    """The set body's field name; "" if there is none."""
    return record.WhichOneof("body") or ""


def subject_of(record: JournalRecord) -> str:
    """`ce_subject`: the round id, else the case id, else the table id."""
    return record.round_id or record.case_id or record.table_id


def serialize(record: JournalRecord) -> bytes:
    """The one way a record becomes bytes."""
    return record.SerializeToString(deterministic=True)


def headers_of(record: JournalRecord) -> Headers:
    """CloudEvents attributes in the Kafka binding's binary mode, in this order."""
    return (
        ("ce_specversion", b"1.0"),
        ("ce_id", record.event_id.encode()),
        ("ce_source", record.source.encode()),
        ("ce_type", TYPE_BYTES[body_name(record)]),
        ("ce_subject", subject_of(record).encode()),
    )


@lru_cache(maxsize=1 << 16)
def partition_of(table_id: str, partitions: int) -> int:
    """The partition of a table: Kafka's default partitioner, murmur2 of the key's bytes."""
    return (_murmur2(table_id.encode()) & 0x7FFFFFFF) % partitions


def _murmur2(data: bytes) -> int:
    mask = 0xFFFFFFFF
    mix = 0x5BD1E995
    state = (0x9747B28C ^ len(data)) & mask
    whole = len(data) & ~3
    for index in range(0, whole, 4):
        word = int.from_bytes(data[index : index + 4], "little") * mix & mask
        word = (word ^ word >> 24) * mix & mask
        state = state * mix & mask ^ word
    tail = data[whole:]
    if tail:
        state = (state ^ int.from_bytes(tail, "little")) * mix & mask
    state = (state ^ state >> 13) * mix & mask
    return state ^ state >> 15
