"""Records in sentences: every body of the journal, whatever a forger puts into it."""

import inspect
import random
import re
from datetime import UTC, datetime, timedelta

import pytest
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import given
from hypothesis import strategies as st

from pitledger import words
from pitledger.journal import vocabulary
from pitledger.journal.record import NUMBER_OF_BODY, JournalRecord
from pitledger.pb import decisions_pb2 as d
from pitledger.pb import facts_pb2, rules_pb2
from pitledger.story import evaluated, told

BODIES = list(NUMBER_OF_BODY)


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


@pytest.mark.parametrize("body", BODIES)
def test_every_body_is_told_whatever_it_holds(body):
    dice = random.Random(body)
    for _ in range(200):
        record = JournalRecord()
        getattr(record, body).SetInParent()
        fill(getattr(record, body), dice)

        assert all(isinstance(line, str) for line in told(record, dice.choice(["USD", "", "\n"])))


@pytest.mark.parametrize("body", [name for name in BODIES if name != "request_answered"])
def test_every_empty_body_still_says_something(body):
    record = JournalRecord()
    getattr(record, body).SetInParent()

    assert told(record, "USD")


def lines(body, currency="USD", **content):
    field = JournalRecord.DESCRIPTOR.fields_by_name[body]
    message = field.message_type._concrete_class(**content)
    return told(JournalRecord(**{body: message}), currency)


def test_a_hold_and_its_release_say_why_and_what_they_are_about():
    held, what_follows = lines("table_held", reason="a claim", about_id="case-7")

    assert held == "the table is held, about case-7: a claim"
    assert "no decision changes" in what_follows
    assert lines("table_released", reason="settled", held_id="h1") == (
        "the hold h1 is released: settled",)


def test_posted_limits_are_told_wager_by_wager():
    offers = [
        rules_pb2.WagerOffer(kind=1, offered=True, min_minor=1000, max_minor=50000),
        rules_pb2.WagerOffer(kind=2),
    ]
    limits = rules_pb2.PostedLimits(wagers=offers, pot_amount_minor=500)

    assert lines("posted_limits_changed", posted_limits=limits)[1:] == (
        "Ante: 10.00 USD to 500.00 USD", "Bonus: not offered", "Pot: 5.00 USD a position")


def test_an_adjustment_says_whose_money_it_is():
    one = {"position": 2, "kind": 1, "reason": "misread"}

    assert lines("adjustment_proposed", amount_minor=1500, **one)[0] == (
        "proposed: 15.00 USD to the patron, position 2 Ante: misread")
    assert lines("adjustment_proposed", amount_minor=-1500, **one)[0] == (
        "proposed: 15.00 USD to the house, position 2 Ante: misread")


def test_a_dispute_is_told_from_claim_to_finding():
    about = facts_pb2.SettlementReference(settlement_event_id="s1", round_id="r1")

    assert lines("dispute_opened", settlement=about, position=3, claimant_id="p9",
                 claim="the Ante won", amount_minor=2500) == (
        "p9 claims 25.00 USD at position 3: the Ante won",
        "it is about the settlement s1 of round r1")
    assert lines("dispute_resolved", finding=3, resolution="paid") == (
        "the dispute is resolved, finding: dealer error: paid",)
    assert lines("dealer_changed", dealer_id="d2", supervisor_id="s1") == (
        "dealer d2 takes over, supervised by s1",)


@given(st.integers(-62_135_596_800, 253_402_300_799))
def test_times_are_told_as_the_calendar_has_them(second):
    told_so = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=second)

    assert words.moment(1_000_000 * second + 999_999) == (
        f"{told_so.year:04}{told_so:-%m-%d %H:%M:%S} UTC")


def test_every_reason_for_quarantine_has_its_words():
    source = inspect.getsource(vocabulary)
    codes = set(re.findall(r'(?:NotAFact\(|return )"([a-z_]+)"', source))

    assert {"undecodable", "foreign_partition", "key_mismatch"} <= codes
    for code in codes | {"foreign_decision", "outside_vocabulary"}:
        assert words.no_fact(code) != code.replace("_", " ")
    assert words.no_fact("outside_vocabulary: unknown value of kind").endswith(
        ": unknown value of kind")
    assert words.no_fact("new_code") == "new code"


@pytest.mark.parametrize(("position", "who"), [(0, "dealer"), (4, "player")])
def test_a_hand_is_set_by_whoever_plays_it(position, who):
    hand = d.EvaluatedHand(position=position, point_count=7, set_by=d.SET_BY_PLAYER)
    assert evaluated(hand).endswith(f", set by {who}")
