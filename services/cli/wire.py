"""What can be read of bytes that do not parse as a whole: field by field, up to the fault."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_VARINT_BYTES_MAX = 10


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a protobuf message; `end`: the offset after it. `whole`: all of it is there."""

    number: int
    value: int | bytes
    end: int
    whole: bool


def fields(data: bytes) -> Iterator[Field]:
    """The outermost fields of a message, up to the first byte that cannot begin one."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind, number = tag & 7, tag >> 3
        if at < 0 or not number:
            return
        if kind == 0:
            value, at = _varint(data, at)
            if at < 0:
                return
            yield Field(number, value, at, True)
            continue
        length, begin = {1: (8, at), 2: _varint(data, at), 5: (4, at)}.get(kind, (0, -1))
        if begin < 0:
            return
        at = min(begin + length, len(data))
        yield Field(number, data[begin:at], at, at == begin + length)


def told(data: bytes, names: Mapping[int, str]) -> Iterator[str]:
    """A line for each field that can be read; `names` by field number."""
    end = 0
    for field in fields(data):
        name = names.get(field.number, f"field {field.number}")
        yield f"{name}: {_shown(field)}"
        end = field.end
    if end < len(data):
        yield f"from byte {end} on nothing can be read"


def _shown(field: Field) -> str:
    if isinstance(field.value, int):
        return str(field.value)
    try:
        text = field.value.decode()
    except UnicodeDecodeError:
        text = ""
    shown = text if text and text.isprintable() else f"{len(field.value)} bytes"
    return shown + ("" if field.whole else ", cut short")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number and the offset after it; (0, -1) if there is none."""
    number = 0
    for index, byte in enumerate(data[at : at + _VARINT_BYTES_MAX]):
        number |= (byte & 127) << 7 * index
        if byte < 128:
            return number, at + index + 1
    return 0, -1
