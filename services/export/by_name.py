"""Rows of cases and of tables: by the names of fields, whatever bodies later contracts have."""

from collections.abc import Callable
from typing import Any

from pitledger.pb import cases_pb2, facts_pb2
from pitledger.pb import decisions_pb2 as d
from services.export.event import Event, Row, Rows, kind_of
from services.export.plain import plain, word


def case_rows(event: Event) -> Rows:
    """A record of a case: by the names of its fields, whatever bodies later contracts have."""
    record, message = event.record, event.message
    fields = message.DESCRIPTOR.fields_by_name
    own: Row = {
        "round_id": None,
        "case_id": record.case_id,
        "what": event.body,
        "source": record.source,
        "actor": record.actor,
        "decision": bool(record.causation_id),
        "causation_id": record.causation_id or None,
        "body": plain(message),
    }
    if "settlement" in fields:
        own["settlement_event_id"] = message.settlement.settlement_event_id
        own["round_id"] = message.settlement.round_id
    own |= {
        column: tell(getattr(message, name))
        for name, (column, tell) in _OF_CASES.items()
        if name in fields
    }
    table = "adjustments" if event.body.startswith("adjustment") else "cases"
    if "lines" not in fields:
        yield table, event.envelope | own
        return
    for line in message.lines:
        of_line = {
            "line_id": line.line_id,
            "position": line.position,
            "kind": kind_of(line.kind),
            "counterparty": word(d.Counterparty, line.counterparty),
            "amount_minor": line.amount_minor,
        }
        yield table, event.envelope | own | of_line


def _same(value: Any) -> Any:
    return value


_OF_CASES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    **{
        name: (name, _same)
        for name in (
            "settlement_event_id", "round_id", "fact_event_id", "position", "amount_minor",
            "proposal_event_id", "reason",
        )
    },
    "claim": ("reason", _same),
    "resolution": ("reason", _same),
    "currency_code": ("currency", _same),
    "gaming_day": ("booked_day", _same),
    "kind": ("kind", kind_of),
    "finding": ("finding", lambda finding: word(facts_pb2.DisputeFinding, finding)),
    "refusal": ("refusal", lambda refusal: word(cases_pb2.CaseRefusal, refusal)),
}
"""Field of a case's body -> column, and what it says there."""


def table_rows(event: Event) -> Rows:
    """A record of a table, or of the software: by the names of its fields."""
    message = event.message
    fields = message.DESCRIPTOR.fields_by_name
    names = (
        "property_id", "pit_id", "dealer_id", "supervisor_id", "reason", "about_id", "held_id",
        "processor", "build", "instance",
    )
    own = {name: getattr(message, name) for name in names if name in fields}
    if "submission_digest" in fields:
        own["submission_sha256"] = message.submission_digest.hex()
        own["submission_name"] = event.terms.submission.name
    own |= {
        "what": event.body,
        "source": event.record.source,
        "actor": event.record.actor,
        "body": plain(message),
    }
    yield "table_events", event.envelope | own
