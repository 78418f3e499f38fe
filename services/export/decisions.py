"""Rows of decisions: one function for each body."""

from collections.abc import Callable, Iterable

from pitledger import words
from pitledger.cards import notation
from pitledger.pb import decisions_pb2 as d
from pitledger.pb import rules_pb2
from services.export.event import Event, Row, Rows, card_of, kind_of, refusal_of, split_of
from services.export.plain import word

DECISIONS: dict[str, Callable[[Event], Rows]] = {}


def _of(*bodies: str) -> Callable[[Callable[[Event], Rows]], Callable[[Event], Rows]]:
    def register(tell: Callable[[Event], Rows]) -> Callable[[Event], Rows]:
        DECISIONS.update(dict.fromkeys(bodies, tell))
        return tell

    return register


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
            "kind": kind_of(answer.kind),
            "asked_minor": answer.asked_minor,
            **refusal_of(answer),
        }
    for index, chips in enumerate(event.message.returned, 1):
        yield "answers", {
            **request,
            "what": "returned",
            "item": index,
            "position": chips.position,
            "kind": kind_of(chips.kind),
            "amount_minor": chips.amount_minor,
        }


@_of("betting_closed")
def _circles(event: Event) -> Rows:
    currency = event.terms.currency
    for circle in event.message.circles:
        yield "circles", {
            "position": circle.position,
            "kind": kind_of(circle.kind),
            "stake_minor": circle.stake_minor,
            "currency": currency,
            "stands": True,
            "wager_ids": list(circle.wager_ids),
        }
    for chips in event.message.returned:
        yield "circles", {
            "position": chips.position,
            "kind": kind_of(chips.kind),
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
                **card_of(ordinal, card),
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
            **split_of(hand),
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
            "kind": kind_of(line.kind),
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
