"""A record as rows need it, and what many of them have in common."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pitledger.cards import notation
from pitledger.journal.record import JournalRecord
from pitledger.pb import decisions_pb2 as d
from pitledger.pb import money_pb2, rules_pb2
from services.export.plain import word

Row = dict[str, Any]
"""Columns that have a value; those left out are null."""
Rows = Iterator[tuple[str, Row]]
"""Table, row."""


@dataclass(slots=True)
class Terms:
    """What of a round's opening its rows need."""

    gaming_day: str
    currency: str
    seats: dict[int, str] = field(default_factory=dict)
    submission: rules_pb2.RulesSubmission = field(default_factory=rules_pb2.RulesSubmission)


@dataclass(frozen=True, slots=True)
class Event:
    """A record with its envelope's columns, and the answer to it where it is a request."""

    record: JournalRecord
    body: str
    envelope: Row
    terms: Terms
    answer: JournalRecord | None = None

    @property
    def message(self) -> Any:
        return getattr(self.record, self.body)


def envelope(
    record: JournalRecord, gaming_day: str, partition: int, offset: int | None
) -> Row:
    return {
        "gaming_day": gaming_day,
        "table_id": record.table_id,
        "round_id": record.round_id,
        "event_id": record.event_id,
        "partition": partition,
        "offset": offset,
        "occurred_at": record.occurred_at,
    }


def kind_of(kind: int) -> str | None:
    return word(money_pb2.WagerKind, kind)


def card_of(ordinal: int, card: Any) -> Row:
    return {"ordinal": ordinal, "card": notation(card)}


def split_of(split: Any) -> Row:
    return {
        "first": [notation(card) for card in split.first],
        "second": [notation(card) for card in split.second],
    }


def refusal_of(answer: d.Answer) -> Row:
    return {
        "accepted": not answer.refusal,
        "refusal": word(d.Refusal, answer.refusal),
        "limit_minor": answer.limit_minor if answer.refusal else None,
        "citations": list(answer.citations),
    }
