"""Ids: facts bear UUIDv7 (the caller's command id), decisions UUIDv5 (the question they answer)."""

import re
from hashlib import sha1
from uuid import UUID

NAMESPACE = UUID("5a1960a5-663a-480a-8f8d-70174c656467").bytes
"""Namespace of decision ids; for ever."""

_UUID7 = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def is_fact_id(text: str) -> bool:
    """Whether this is a UUIDv7 in its canonical lower-case form."""
    return _UUID7.fullmatch(text) is not None


def time_of_fact_id(text: str) -> int:
    """Milliseconds since 1970 in a UUIDv7."""
    return int(text[:8] + text[9:13], 16)


def fact_id(time_ms: int, random_bits: int) -> str:
    """A UUIDv7 of a time in milliseconds and 74 random bits."""
    high = (time_ms & (1 << 48) - 1) << 80 | 7 << 76 | (random_bits >> 62 & 0xFFF) << 64
    text = f"{high | 2 << 62 | random_bits & (1 << 62) - 1:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def decision_id(table_id: str, round_id: str, question: str, subject: str) -> str:
    """UUIDv5 of (table, round, question, subject); a question has one answer.

    `question` and `round_id` contain no slash and `subject` is an id or a number, so that no two
    questions share a name whatever the table's id contains.
    """
    name = f"{question}/{round_id}/{subject}/{table_id}".encode()
    digest = bytearray(sha1(NAMESPACE + name, usedforsecurity=False).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    text = digest.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
