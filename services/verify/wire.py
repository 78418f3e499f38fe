"""Protobuf messages that nobody is trusted for: parsed, they may take 90 times their bytes."""

from typing import TypeVar

from google.protobuf.message import DecodeError, Message

FIELDS_MAX = 1_000_000
_COUNTED_FROM = 1 << 20
"""Bytes. Whatever is shorter takes no memory to speak of."""

_Parsed = TypeVar("_Parsed", bound=Message)


def parsed(kind: type[_Parsed], data: bytes) -> _Parsed:
    """Raises DecodeError, also for more than FIELDS_MAX fields: no record has so many."""
    if len(data) >= _COUNTED_FROM and _fields(data, kind) > FIELDS_MAX:
        raise DecodeError(f"holds more than {FIELDS_MAX} fields")
    return kind.FromString(data)


def _fields(data: bytes, kind: type[Message]) -> int:
    """How many there are, those of messages in it too; of what is damaged, up to there."""
    count, open_ = 0, [(0, len(data), kind.DESCRIPTOR)]
    while open_:
        at, end, descriptor = open_.pop()
        while at < end and count <= FIELDS_MAX:
            count += 1
            tag, at = _varint(data, at)
            match tag & 7:
                case 0:
                    _, at = _varint(data, at)
                case 1:
                    at += 8
                case 2:
                    length, at = _varint(data, at)
                    field = descriptor.fields_by_number.get(tag >> 3)
                    if field is not None and field.message_type is not None:
                        open_.append((at, min(at + length, end), field.message_type))
                    at += length
                case 5:
                    at += 4
    return count


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number and where it ends."""
    number = 0
    for index, byte in enumerate(data[at : at + 10]):
        number |= (byte & 127) << 7 * index
        if byte < 128:
            return number, at + index + 1
    return number, at + 10
