"""What is a fact: parsed, well addressed, and within its round's vocabulary.

`read_fact` judges what is one code for every version and frozen for the topic: that the bytes
parse, and that envelope, headers, key and partition bear each other out. `outside` judges a body
against the closed vocabulary of an adjudication version.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from pitledger.journal.ids import is_fact_id
from pitledger.journal.record import (
    CONSOLE_BODIES,
    DECISION_BODIES,
    TYPE_BYTES,
    JournalRecord,
    Stored,
    body_name,
    partition_of,
    subject_of,
)
from pitledger.pb import options_pb2

if TYPE_CHECKING:
    from pitledger.pb.rules_pb2 import RulesSubmission

    Problem = Callable[[Any], str]


TABLE_ID_MAX = 256
"""Characters. A decision bears its table's id twice, and must not outgrow what a broker takes."""


class NotAFact(ValueError):
    """Bytes on the journal that are no fact, for every build; the text is the reason."""


@dataclass(slots=True)
class Fact:
    """A fact as it was read; not to be changed."""

    record: JournalRecord
    body: str  # the body's field name
    value: bytes  # what it was parsed from
    unknown: str  # which message holds a field that this build does not know, "" if none does


def as_fact(record: JournalRecord, value: bytes) -> Fact:
    """A record that is known to be well addressed, with its bytes, as a fact."""
    return Fact(record, body_name(record), value, _unknown_in(record, value))


def read_fact(
    partition: int, partitions: int, key: bytes, headers: Mapping[str, bytes], value: bytes
) -> Fact:
    """Parse a record that its `ce_type` does not call a decision; raise NotAFact."""
    try:
        record = JournalRecord.FromString(value)
    except DecodeError:
        raise NotAFact("undecodable") from None
    body = record.WhichOneof("body")
    if body is None:
        raise NotAFact("unknown_type")
    if body in DECISION_BODIES:
        raise NotAFact("type_mismatch")
    problem = _envelope_problem(record, body) or _address_problem(record, body, key, headers)
    if problem:
        raise NotAFact(problem)
    if partition_of(record.table_id, partitions) != partition:
        raise NotAFact("foreign_partition")
    unknown = _unknown_in(record, value)
    if unknown == _IN_ENVELOPE:
        raise NotAFact("unknown_field")
    return Fact(record, body, value, unknown)


def read_stored(stored: Stored, partitions: int) -> Fact:
    """The same for a record with its position. Raises NotAFact."""
    attributes = {name: value or b"" for name, value in stored.headers}
    return read_fact(stored.partition, partitions, stored.key, attributes, stored.value)


def _envelope_problem(record: JournalRecord, body: str) -> str:
    if not is_fact_id(record.event_id):
        return "bad_event_id"
    if not record.table_id:
        return "no_table_id"
    if len(record.table_id) > TABLE_ID_MAX:
        return "table_id_too_long"
    if record.causation_id:
        return "fact_with_causation"
    if body == "round_opened" and record.round_id != record.event_id:
        return "round_id_mismatch"
    if (body in CONSOLE_BODIES) != (record.table_seq > 0):
        return "bad_table_seq"
    return ""


def _address_problem(
    record: JournalRecord, body: str, key: bytes, headers: Mapping[str, bytes]
) -> str:
    if headers.get("ce_id") != record.event_id.encode():
        return "id_mismatch"
    if headers.get("ce_type") != TYPE_BYTES[body]:
        return "type_mismatch"
    if headers.get("ce_subject") != subject_of(record).encode():
        return "subject_mismatch"
    if key != record.table_id.encode():
        return "key_mismatch"
    return ""


def outside(fact: Fact, version: int) -> str:
    """Say what of a fact lies outside the vocabulary of an adjudication version; "" if nothing."""
    check = _body_checker(fact.body, version)
    return fact.unknown or (check(getattr(fact.record, fact.body)) if check else "")


def outside_submission(submission: "RulesSubmission", version: int) -> str:
    """The same of the rules submission that a RoundOpened bears as bytes."""
    check = _checker(submission.DESCRIPTOR, version)
    return check(submission) if check else ""


def _unknown_in(record: JournalRecord, value: bytes) -> str:
    """Name the message with a field unknown to this build; they are dropped from `record`."""
    record.DiscardUnknownFields()
    if record.SerializeToString(deterministic=True) == value:
        return ""
    # Bytes that differ without an unknown field are no fault: serialisers differ.
    return _unknown_fields(JournalRecord.FromString(value))


def _unknown_field_in(name: str) -> str:
    return f"unknown field in {name}"


_IN_ENVELOPE = _unknown_field_in("JournalRecord")
"""The envelope is frozen: what adds to it is no fact, in a round of whatever version."""


def _unknown_fields(message: Message) -> str:
    if len(UnknownFieldSet(message)):
        return _unknown_field_in(message.DESCRIPTOR.name)
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for part in value if field.is_repeated else (value,):
            problem = _unknown_fields(part)
            if problem:
                return problem
    return ""


@cache
def _body_checker(body: str, version: int) -> "Problem | None":
    field = JournalRecord.DESCRIPTOR.fields_by_name[body]
    if _since(field, options_pb2.field_since) > version:
        return lambda _message: f"{body} is not of this version"
    assert field.message_type is not None
    return _checker(field.message_type, version)


@cache
def _checker(descriptor: Descriptor, version: int) -> "Problem | None":
    """A function that names the first enum value or field of a message that is not in a version."""
    checks = [check for field in descriptor.fields if (check := _field_check(field, version))]
    if not checks:
        return None
    if len(checks) == 1:
        return checks[0]

    def check_all(message: Message) -> str:
        for check in checks:
            problem = check(message)
            if problem:
                return problem
        return ""

    return check_all


def _field_check(field: FieldDescriptor, version: int) -> "Problem | None":
    name = field.name
    if _since(field, options_pb2.field_since) > version:
        return lambda message: (
            f"field {name} is not of this version"
            if any(used.name == name for used, _ in message.ListFields())
            else ""
        )
    if field.enum_type is not None:
        return _enum_check(field, version)
    if field.message_type is None:
        return None
    return _message_check(field, _checker(field.message_type, version))


def _enum_check(field: FieldDescriptor, version: int) -> "Problem":
    name = field.name
    assert field.enum_type is not None
    known = frozenset(
        value.number
        for value in field.enum_type.values
        if _since(value, options_pb2.value_since) <= version
    )
    problem = f"unknown value of {name}"
    if field.is_repeated:
        return lambda message: "" if known.issuperset(getattr(message, name)) else problem
    return lambda message: "" if getattr(message, name) in known else problem


def _message_check(field: FieldDescriptor, check: "Problem | None") -> "Problem | None":
    if check is None:
        return None
    name = field.name
    if field.is_repeated:

        def check_each(message: Message) -> str:
            for part in getattr(message, name):
                problem = check(part)
                if problem:
                    return problem
            return ""

        return check_each
    return lambda message: check(getattr(message, name)) if message.HasField(name) else ""


def _since(element: Any, extension: Any) -> int:
    return int(element.GetOptions().Extensions[extension]) or 1
