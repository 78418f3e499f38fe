"""Records into rows: one function for each body that says something of a round or a table."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pitledger import words
from pitledger.cards import notation
from pitledger.journal.record import JournalRecord
from pitledger.pb import cards_pb2, cases_pb2, facts_pb2, money_pb2, rules_pb2
from pitledger.pb import decisions_pb2 as d
from services.export.plain import plain, word

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


def rows_of(event: Event) -> Rows:
    """All rows of a record that has effect; of most bodies some, of others none."""
    tell = _ROWS.get(event.body)
    if tell is not None:
        for table, own in tell(event):
            yield table, event.envelope | own


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
            "kind": _kind(line.kind),
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
    "kind": ("kind", lambda kind: word(money_pb2.WagerKind, kind)),
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


_ROWS: dict[str, Callable[[Event], Rows]] = {}


def _of(*bodies: str) -> Callable[[Callable[[Event], Rows]], Callable[[Event], Rows]]:
    def register(tell: Callable[[Event], Rows]) -> Callable[[Event], Rows]:
        _ROWS.update(dict.fromkeys(bodies, tell))
        return tell

    return register


# ---- facts --------------------------------------------------------------------------------------


@_of("round_opened")
def _seats(event: Event) -> Rows:
    for seat in event.message.seats:
        yield "seats", {"position": seat.position, "patron_id": seat.patron_id}


@_of("wager_requested")
def _wagers(event: Event) -> Rows:
    wager = event.message
    for index, stake in enumerate(wager.stakes):
        yield "wagers", {
            "action": "wager",
            "item": index + 1,
            "position": wager.position,
            "patron_id": wager.patron_id,
            "kind": _kind(stake.kind),
            "amount_minor": stake.amount_minor,
            "currency": event.terms.currency,
            "instrument": wager.instrument,
            **_item(event, index),
        }


@_of("wager_withdrawal_requested")
def _withdrawals(event: Event) -> Rows:
    for index, kind in enumerate(event.message.kinds):
        yield "wagers", {
            "action": "withdrawal",
            "item": index + 1,
            "position": event.message.position,
            "patron_id": event.message.patron_id,
            "kind": _kind(kind),
            **_item(event, index),
        }


@_of("card_drawn")
def _card_drawn(event: Event) -> Rows:
    yield "cards", {"what": "drawn", **_card(event.message.ordinal, event.message.card)}


@_of("packet_drawn")
def _packet_drawn(event: Event) -> Rows:
    first = 5 * (event.message.packet - 1) + 1
    for index, card in enumerate(event.message.cards):
        yield "cards", {"what": "drawn", **_card(first + index, card)}


@_of("dealer_exposed")
def _exposed(event: Event) -> Rows:
    yield "hands", {"what": "exposed", "position": 0, **_split(event.message)}


@_of("hand_set")
def _hand_set(event: Event) -> Rows:
    position = event.message.position
    yield "hands", {
        "what": "set", "position": position, **_split(event.message), **_granted(event)
    }


@_of("payment_recorded")
def _payment(event: Event) -> Rows:
    yield "payments", {
        "position": event.message.position,
        "kind": _kind(event.message.kind),
        "amount_minor": event.message.amount_minor,
        "currency": event.terms.currency,
        "source": event.record.source,
    }


@_of("irregularity_reported")
def _reported(event: Event) -> Rows:
    yield "irregularities", {
        "what": "reported",
        "kind": word(facts_pb2.IrregularityKind, event.message.kind),
        "position": event.message.position,
        "reported_by": event.record.event_id,
        "note": event.message.note,
    }


@_of("conduct_noted")
def _conduct(event: Event) -> Rows:
    yield "irregularities", {
        "what": "conduct",
        "kind": word(facts_pb2.ConductKind, event.message.kind),
        "position": event.message.position,
        "reported_by": event.record.event_id,
        "note": event.message.note,
    }


@_of("card_corrected")
def _corrected(event: Event) -> Rows:
    card = _card(event.message.ordinal, event.message.card)
    yield "cards", {"what": "corrected", **card}
    yield from _ruling(event, **card, reason=event.message.reason)


@_of("void_ordered")
def _void(event: Event) -> Rows:
    order = event.message
    yield from _ruling(
        event,
        position=order.position,
        reason=order.reason,
        authorised_by=order.authorised_by,
        notified=list(order.notified),
    )


@_of("deal_ruled")
def _deal_ruled(event: Event) -> Rows:
    yield from _ruling(event, reason=event.message.reason)


@_of("abandonment_ruled")
def _abandonment(event: Event) -> Rows:
    reading = word(rules_pb2.AbandonmentReading, event.message.reading)
    position, reason = event.message.position, event.message.reason
    yield from _ruling(event, position=position, reading=reading, reason=reason)


@_of("player_left")
def _left(event: Event) -> Rows:
    yield from _ruling(event, position=event.message.position)


@_of("round_closed")
def _closed(event: Event) -> Rows:
    yield from _ruling(event, revision=event.message.revision)


def _ruling(event: Event, **own: Any) -> Rows:
    yield "rulings", {
        "what": event.body, "actor": event.record.actor, **own, **_granted(event)
    }


# ---- decisions ----------------------------------------------------------------------------------


@_of("request_answered")
def _answers(event: Event) -> Rows:
    request = {
        "request_event_id": event.record.causation_id, "currency": event.terms.currency
    }
    for index, answer in enumerate(event.message.answers, 1):
        yield "answers", {
            **request,
            "what": "answer",
            "item": index,
            "kind": _kind(answer.kind),
            "asked_minor": answer.asked_minor,
            **_refusal(answer),
        }
    for index, chips in enumerate(event.message.returned, 1):
        yield "answers", {
            **request,
            "what": "returned",
            "item": index,
            "position": chips.position,
            "kind": _kind(chips.kind),
            "amount_minor": chips.amount_minor,
        }


@_of("betting_closed")
def _circles(event: Event) -> Rows:
    currency = event.terms.currency
    for circle in event.message.circles:
        yield "circles", {
            "position": circle.position,
            "kind": _kind(circle.kind),
            "stake_minor": circle.stake_minor,
            "currency": currency,
            "stands": True,
            "wager_ids": list(circle.wager_ids),
        }
    for chips in event.message.returned:
        yield "circles", {
            "position": chips.position,
            "kind": _kind(chips.kind),
            "stake_minor": chips.amount_minor,
            "currency": currency,
            "stands": False,
            "return_reason": word(d.ReturnReason, chips.reason),
            "limit_minor": chips.limit_minor,
            "citations": list(chips.citations),
        }


@_of("hands_dealt")
def _dealt(event: Event) -> Rows:
    deal = event.message
    for hand in (*deal.hands, deal.dealer):
        for place, (card, ordinal) in enumerate(zip(hand.cards, hand.ordinals, strict=False), 1):
            yield "cards", {
                "what": "dealt",
                "revision": deal.revision,
                "position": hand.position,
                "place": place,
                **_card(ordinal, card),
            }
    yield from _breaches("ruled_to_stand", deal.revision, deal.ruled)


@_of("deal_irregular")
def _irregular(event: Event) -> Rows:
    yield from _breaches("deal_irregular", event.message.revision, event.message.breaches)


def _breaches(what: str, revision: int, breaches: Iterable[d.DealBreach]) -> Rows:
    for breach in breaches:
        yield "irregularities", {
            "what": what,
            "revision": revision,
            "kind": word(d.BreachKind, breach.kind),
            "ordinal": breach.ordinal,
            "position": breach.position,
            "card": notation(breach.card),
            "found": breach.found,
            "expected": breach.expected,
            "reported_by": breach.reported_by or None,
        }


@_of("hands_evaluated")
def _evaluated(event: Event) -> Rows:
    saigon = event.terms.submission.game == rules_pb2.GAME_SAIGON5
    for hand in (*event.message.hands, event.message.dealer):
        if saigon:
            own = {name: getattr(hand, name) for name in ("qualifies", "point_count", "misset")}
        else:
            own = {"busted": hand.busted, "foul": hand.foul}
        yield "hands", {
            "what": "evaluated",
            "revision": event.message.revision,
            "position": hand.position,
            **_split(hand),
            "set_by": word(d.SetBy, hand.set_by),
            "first_total": hand.first_total,
            "second_total": hand.second_total,
            "joker_points": hand.joker_points,
            **own,
            "poker": word(rules_pb2.PokerCategory, hand.poker),
            "poker_rank": hand.poker_rank,
            "joker_in_poker": hand.joker_in_poker,
            "rulings": list(hand.rulings),
        }


@_of("payout_due", "round_settled", "round_voided")
def _lines(event: Event) -> Rows:
    submission = event.terms.submission
    revision = None if event.body == "round_voided" else event.message.revision
    for number, line in enumerate(event.message.lines, 1):
        own: Row = {
            "what": event.body,
            "booked": event.body != "payout_due",
            "revision": revision,
            "line": number,
            "position": line.position,
            "patron_id": event.terms.seats.get(line.position),
            "kind": _kind(line.kind),
            "wager_ids": list(line.wager_ids),
            "counterparty": word(d.Counterparty, line.counterparty),
            "stake_minor": line.stake_minor,
            "currency": event.terms.currency,
            "outcome": word(rules_pb2.Outcome, line.outcome),
            "reason": word(d.LineReason, line.reason),
            "uncut_profit_minor": line.uncut_profit_minor,
            "profit_minor": line.profit_minor,
            "returned_minor": line.returned_minor,
            "comparisons": [
                {"measure": word(d.Measure, c.measure), "player": c.player, "other": c.other}
                for c in line.comparisons
            ],
            "citations": list(line.citations),
            "rulings": list(line.rulings),
            "explanation": words.line(line, event.terms.currency),
        }
        if line.HasField("odds"):
            own |= {
                "odds_win": line.odds.win,
                "odds_stake": line.odds.stake,
                "payout_unit_minor": submission.payout_unit_minor,
                "payout_rounding": word(rules_pb2.PayoutRounding, submission.payout_rounding),
            }
        yield "lines", own


# ---- parts --------------------------------------------------------------------------------------


def _kind(kind: int) -> str | None:
    return word(money_pb2.WagerKind, kind)


def _card(ordinal: int, card: Any) -> Row:
    return {"ordinal": ordinal, "card": notation(card)}


def _split(split: Any) -> Row:
    return {
        "first": [notation(card) for card in split.first],
        "second": [notation(card) for card in split.second],
    }


def _item(event: Event, index: int) -> Row:
    """The answer to one item of a request."""
    if event.answer is None:
        return {}
    answers = event.answer.request_answered.answers
    answer = answers[index if index < len(answers) else 0]
    return {"answer_event_id": event.answer.event_id, **_refusal(answer)}


def _refusal(answer: d.Answer) -> Row:
    return {
        "accepted": not answer.refusal,
        "refusal": word(d.Refusal, answer.refusal),
        "limit_minor": answer.limit_minor if answer.refusal else None,
        "citations": list(answer.citations),
    }


def _granted(event: Event) -> Row:
    """The answer to a request that has one item; what is no request has none."""
    if event.answer is None:
        return {}
    answer = event.answer.request_answered.answers[0]
    return {"accepted": not answer.refusal, "refusal": word(d.Refusal, answer.refusal)}


def dealing_method(method: int) -> str | None:
    return word(cards_pb2.DealingMethod, method)


def void_reason(reason: int) -> str | None:
    return word(d.VoidReason, reason)
