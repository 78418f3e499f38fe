"""Records in sentences: every body of a round, whatever a forger puts into it."""

import random

import pytest
from google.protobuf.descriptor import FieldDescriptor

from pitledger.journal.record import NUMBER_OF_BODY, JournalRecord
from pitledger.story import told

OF_ROUNDS = [
    name for name, number in NUMBER_OF_BODY.items()
    if 30 <= number < 90 or number >= 200 or name == "table_closed"
]


def fill(message, dice, depth=0):
    """Put anything at all into a message."""
    for field in message.DESCRIPTOR.fields:
        if dice.random() < 0.2 or depth > 3:
            continue
        for _ in range(dice.randrange(3) if field.is_repeated else 1):
            put(message, field, dice, depth)


def put(message, field, dice, depth):
    if field.message_type is not None:
        inner = getattr(message, field.name)
        fill(inner.add() if field.is_repeated else inner, dice, depth + 1)
        if not field.is_repeated:
            inner.SetInParent()
        return
    value = {
        FieldDescriptor.CPPTYPE_ENUM: lambda: dice.choice([0, 1, 2, 9999, -1]),
        FieldDescriptor.CPPTYPE_STRING: lambda: dice.choice(["", "x", "\x1b[31m\n", "é" * 50]),
        FieldDescriptor.CPPTYPE_BOOL: lambda: dice.random() < 0.5,
        FieldDescriptor.CPPTYPE_UINT32: lambda: dice.choice([0, 1, 2**32 - 1]),
        FieldDescriptor.CPPTYPE_UINT64: lambda: dice.choice([0, 1, 2**64 - 1]),
        FieldDescriptor.CPPTYPE_INT64: lambda: dice.choice([0, 1, -(2**63), 2**63 - 1]),
    }[field.cpp_type]()
    if field.type == FieldDescriptor.TYPE_BYTES:
        value = dice.choice([b"", b"\xff", b"\x08\x01"])
    if field.is_repeated:
        getattr(message, field.name).append(value)
    else:
        setattr(message, field.name, value)


@pytest.mark.parametrize("body", OF_ROUNDS)
def test_every_body_is_told_whatever_it_holds(body):
    dice = random.Random(body)
    for _ in range(200):
        record = JournalRecord()
        getattr(record, body).SetInParent()
        fill(getattr(record, body), dice)

        assert all(isinstance(line, str) for line in told(record, dice.choice(["USD", "", "\n"])))


@pytest.mark.parametrize("body", [name for name in OF_ROUNDS if name != "request_answered"])
def test_every_empty_body_still_says_something(body):
    record = JournalRecord()
    getattr(record, body).SetInParent()

    assert told(record, "USD")
