"""What a message may hold: the fields and enum values of the contract, nothing else."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

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
