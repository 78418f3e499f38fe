"""Rows of facts: one function for each body that says something of a round."""

from collections.abc import Callable
from typing import Any

from pitledger.pb import facts_pb2, rules_pb2
from services.export.event import Event, Row, Rows, card_of, kind_of, refusal_of, split_of
from services.export.plain import word

FACTS: dict[str, Callable[[Event], Rows]] = {}


def _of(*bodies: str) -> Callable[[Callable[[Event], Rows]], Callable[[Event], Rows]]:
    def register(tell: Callable[[Event], Rows]) -> Callable[[Event], Rows]:
        FACTS.update(dict.fromkeys(bodies, tell))
        return tell

    return register


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
            "kind": kind_of(stake.kind),
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
            "kind": kind_of(kind),
            **_item(event, index),
        }


@_of("card_drawn")
def _card_drawn(event: Event) -> Rows:
    yield "cards", {"what": "drawn", **card_of(event.message.ordinal, event.message.card)}


@_of("packet_drawn")
def _packet_drawn(event: Event) -> Rows:
    first = 5 * (event.message.packet - 1) + 1
    for index, card in enumerate(event.message.cards):
        yield "cards", {"what": "drawn", **card_of(first + index, card)}


@_of("dealer_exposed")
def _exposed(event: Event) -> Rows:
    yield "hands", {"what": "exposed", "position": 0, **split_of(event.message)}


@_of("hand_set")
def _hand_set(event: Event) -> Rows:
    position = event.message.position
    yield "hands", {
        "what": "set", "position": position, **split_of(event.message), **_granted(event)
    }


@_of("payment_recorded")
def _payment(event: Event) -> Rows:
    yield "payments", {
        "position": event.message.position,
        "kind": kind_of(event.message.kind),
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
    card = card_of(event.message.ordinal, event.message.card)
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


def _item(event: Event, index: int) -> Row:
    """The answer to one item of a request."""
    if event.answer is None:
        return {}
    answers = event.answer.request_answered.answers
    answer = answers[index if index < len(answers) else 0]
    return {"answer_event_id": event.answer.event_id, **refusal_of(answer)}


def _granted(event: Event) -> Row:
    """The answer to a request that has one item; what is no request has none."""
    if event.answer is None:
        return {}
    answer = event.answer.request_answered.answers[0]
    return {"accepted": not answer.refusal, "refusal": refusal_of(answer)["refusal"]}
