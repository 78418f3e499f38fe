"""Text of a record as it may be shown: anybody may have written it.

Characters that do not print, or that turn the direction of what follows, are written as their code
points; what is too long is cut, and says so. The evidence holds the bytes as they are.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import TypeVar, cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

VALUE_MAX = 300
"""Characters of one value of a record: an id, a reason."""

TEXT_MAX = 6_000
"""Characters of one sentence or cell."""

_M = TypeVar("_M", bound=Message)
_T = TypeVar("_T")


_MARKS_MAX = 3
"""Marks on one letter. More are a tower that covers the lines around it."""


def visible(text: str) -> str:
    """Without control, format, private and unassigned characters, and without towers of marks."""
    if text.isascii() and text.isprintable():
        return text
    parts, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        shown = character.isprintable() and marks <= _MARKS_MAX
        parts.append(character if shown else code_point(character))
    return "".join(parts)


def code_point(character: str) -> str:
    """`‹U+202E›`."""
    return f"‹U+{ord(character):04X}›"


def shortened(text: str, longest: int) -> str:
    """Cut, with what it was."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… [cut here: {len(text):,} characters; all of it is in the evidence]"


def displayed(message: _M) -> _M:
    """A copy of a record whose strings are fit to be shown, so that none hides another."""
    copy = type(message)()
    copy.CopyFrom(message)
    _each_string(copy, lambda text: shortened(visible(text), VALUE_MAX))
    return copy


def cleaned(value: _T) -> _T:
    """The same, of any frozen dataclass with all that it holds: no text of it is forgotten."""
    match value:
        case str():
            return cast(_T, shortened(visible(value), TEXT_MAX))
        case tuple():
            return cast(_T, tuple(cleaned(item) for item in value))
        case _ if is_dataclass(value) and not isinstance(value, type):
            parts = {f.name: cleaned(getattr(value, f.name)) for f in fields(value)}
            return cast(_T, type(value)(**parts))
        case _:
            return value


def _each_string(message: Message, change: Callable[[str], str]) -> None:
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in value if field.is_repeated else (value,):
                _each_string(inner, change)
        elif field.type == FieldDescriptor.TYPE_STRING:
            if field.is_repeated:
                value[:] = [change(text) for text in value]
            else:
                setattr(message, field.name, change(value))
