"""A protobuf message as plain values, as protobuf's JSON mapping has it with the field's own names.

`google.protobuf.json_format` says the same, and takes several times as long; every record of a
journal is written.
"""

from base64 import b64encode
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

_Plain = Callable[[Any], Any]
_TEXT_TYPES = frozenset(
    (
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_UINT64,
    )
)
"""In JSON numbers of 64 bits are texts: many a reader has no such numbers."""


def plain(message: Message) -> dict[str, Any]:
    """Fields that are set, by name."""
    return {field.name: _of(field)(value) for field, value in message.ListFields()}


@cache
def _of(field: FieldDescriptor) -> _Plain:
    one = _one(field)
    if field.is_repeated:
        return lambda values: [one(value) for value in values]
    return one


def _one(field: FieldDescriptor) -> _Plain:
    if field.message_type is not None:
        return plain
    if field.enum_type is not None:
        enum = field.enum_type
        return lambda number: enum_name(enum, number)
    if field.cpp_type in _TEXT_TYPES:
        return str
    if field.type == FieldDescriptor.TYPE_BYTES:
        return base64
    return lambda value: value


@cache
def _names(enum: EnumDescriptor) -> dict[int, str]:
    return {value.number: value.name for value in enum.values}


def enum_name(enum: EnumDescriptor, number: int) -> str | int:
    """A number that this build does not know stays one."""
    return _names(enum).get(number, number)


@lru_cache(maxsize=4096)
def base64(data: bytes) -> str:
    """Submissions, keys and types come many times."""
    return b64encode(data).decode()


@cache
def _words(enum: EnumDescriptor) -> dict[int, str]:
    prefix = len(enum.values[0].name) - len("UNSPECIFIED")
    return {value.number: value.name[prefix:].lower() for value in enum.values}


def word(enum: Any, number: int) -> str | None:
    """An enum's value in small letters, without the enum's name; null: unspecified."""
    if not number:
        return None
    return _words(enum.DESCRIPTOR).get(number, str(number))
