"""What a message may hold: the contract's fields and enum values that its version knows."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from pitledger.pb import options_pb2

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor
    from google.protobuf.message import Message


def known_throughout(message: "Message") -> bool:
    """Whether a message has no unknown field and no unknown enum value, at any depth."""
    return known_fields(message) and known_values(message)


def known_fields(message: "Message") -> bool:
    """Whether nothing is lost when what is unknown is dropped."""
    kept = type(message)()
    kept.CopyFrom(message)
    kept.DiscardUnknownFields()
    return kept.ByteSize() == message.ByteSize()


def known_values(message: "Message") -> bool:
    """Whether every enum in the message has a value that has a name."""
    for field in _telling_fields(message.DESCRIPTOR):
        for value in _values(message, field):
            if field.enum_type is not None:
                if value not in field.enum_type.values_by_number:
                    return False
            elif not known_values(value):
                return False
    return True


def of_version(message: "Message", version: int) -> bool:
    """Whether a message holds no field and no enum value of a later version, at any depth."""
    for field in _later_fields(message.DESCRIPTOR, version):
        if _is_later(field, version):
            if any(used.number == field.number for used, _ in message.ListFields()):
                return False
            continue
        for value in _values(message, field):
            if field.enum_type is not None:
                known = field.enum_type.values_by_number.get(value)
                if known is not None and _since_value(known) > version:
                    return False
            elif not of_version(value, version):
                return False
    return True


def _values(message: "Message", field: "FieldDescriptor") -> Iterator[Any]:
    if field.is_repeated:
        yield from getattr(message, field.name)
    elif not field.has_presence or message.HasField(field.name):
        yield getattr(message, field.name)


@cache
def _telling_fields(descriptor: "Descriptor") -> "tuple[FieldDescriptor, ...]":
    """Fields in which an enum value can lie, at any depth."""
    return tuple(
        field
        for field in descriptor.fields
        if field.enum_type is not None
        or (field.message_type is not None and _telling_fields(field.message_type))
    )


@cache
def _later_fields(descriptor: "Descriptor", version: int) -> "tuple[FieldDescriptor, ...]":
    """Fields that are of a later version, or in which something of one can lie, at any depth."""
    return tuple(field for field in descriptor.fields if _leads_later(field, version))


def _leads_later(field: "FieldDescriptor", version: int) -> bool:
    if _is_later(field, version):
        return True
    if field.enum_type is not None:
        return any(_since_value(value) > version for value in field.enum_type.values)
    return field.message_type is not None and bool(_later_fields(field.message_type, version))


def _is_later(field: Any, version: int) -> bool:
    return int(field.GetOptions().Extensions[options_pb2.field_since]) > version


def _since_value(value: Any) -> int:
    return int(value.GetOptions().Extensions[options_pb2.value_since])
