"""What a message on the journal is: a fact, something that claims to be a decision, or neither."""

from google.protobuf.message import DecodeError

from pitledger.audit.vocabulary import known_fields, known_values
from pitledger.journal.ids import is_fact_id
from pitledger.journal.record import Stored, partition_of
from pitledger.pb.journal_pb2 import JournalRecord

FIRST_DECISION = 200  # body numbers from here on are decisions
TABLE_ID_MAX = 256  # characters
DEALERS_SIDE = range(60, 70)  # bodies that the console numbers

_BODIES = JournalRecord.DESCRIPTOR.oneofs_by_name["body"].fields
_NUMBERS = {field.name: field.number for field in _BODIES}
_TYPES = {field.name: field.message_type.full_name for field in _BODIES if field.message_type}
_CASE_DECISION_TYPES = {_TYPES[name].encode() for name in ("case_answered", "adjustment_posted")}
_DECISION_TYPES = _CASE_DECISION_TYPES | {
    _TYPES[name].encode() for name, number in _NUMBERS.items() if number >= FIRST_DECISION
}


class NoFact(Exception):
    """Why a message that is not of a decision's type is no fact either."""


def claims_to_be_decision(stored: Stored) -> bool:
    """Whether the type header, which alone says so, names a decision."""
    return dict(stored.headers).get("ce_type") in _DECISION_TYPES


def speaks_of_a_case(stored: Stored) -> bool:
    """Whether it claims to be a decision about a case, of which no round knows."""
    return dict(stored.headers).get("ce_type") in _CASE_DECISION_TYPES


def read_fact(stored: Stored, partitions: int) -> JournalRecord:
    """Parse a fact; raise NoFact with the reason where it is none."""
    try:
        record = JournalRecord.FromString(stored.value)
    except DecodeError:
        raise NoFact("its bytes are no journal record") from None
    _check_body(record)
    _check_envelope(record)
    _check_place(stored, record, partitions)
    return record


def _check_body(record: JournalRecord) -> None:
    body = record.WhichOneof("body")
    if body is None:
        raise NoFact("it has no body")
    if body == "round_opened":
        # It opens whatever else it says; that is judged with the round.
        envelope = JournalRecord()
        envelope.CopyFrom(record)
        envelope.ClearField("round_opened")
        if not known_fields(envelope):
            raise NoFact("its envelope has fields that are not in the vocabulary")
    elif not known_fields(record):
        raise NoFact("it has fields that are not in the vocabulary")
    elif not known_values(getattr(record, body)):
        raise NoFact("it has values that are not in the vocabulary")


def _check_envelope(record: JournalRecord) -> None:
    body = record.WhichOneof("body") or ""
    if not is_fact_id(record.event_id):
        raise NoFact("its event id is no UUIDv7 in lower case")
    if not record.table_id:
        raise NoFact("it names no table")
    if len(record.table_id) > TABLE_ID_MAX:
        raise NoFact(f"its table's id has more than {TABLE_ID_MAX} characters")
    if record.causation_id:
        raise NoFact("it names a cause")
    if body == "round_opened" and record.round_id != record.event_id:
        raise NoFact("its round id is not its event id")
    if (_NUMBERS[body] in DEALERS_SIDE) != (record.table_seq > 0):
        raise NoFact("it has a console number that its kind does not bear, or lacks one")


def _check_place(stored: Stored, record: JournalRecord, partitions: int) -> None:
    headers = dict(stored.headers)
    body = record.WhichOneof("body") or ""
    subject = record.round_id or record.case_id or record.table_id
    bears = {"ce_id": record.event_id, "ce_type": _TYPES[body], "ce_subject": subject}
    for name, text in bears.items():
        if headers.get(name) != text.encode():
            raise NoFact(f"its header {name} is not what its body bears")
    if stored.key != record.table_id.encode():
        raise NoFact("its key is not its table")
    if stored.partition != partition_of(record.table_id, partitions):
        raise NoFact("it lies in another partition than its table's")
