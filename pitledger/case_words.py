"""Cases in sentences: disputes, adjustments, what was answered and what was posted.

Total, as `pitledger.story`, which takes its tellers of cases from here.
"""

from collections.abc import Callable, Iterator
from typing import Any

from pitledger import words
from pitledger.pb import cases_pb2 as pb
from pitledger.pb import facts_pb2

_REFUSALS: dict[int, str] = {
    pb.CASE_REFUSAL_OUTSIDE_VOCABULARY: "it says what the case's contract does not know",
    pb.CASE_REFUSAL_NO_ACTOR: "it names no person: an id is 1 to 256 printable characters of ASCII",
    pb.CASE_REFUSAL_TEXT_MISSING: "a text that it must have is empty",
    pb.CASE_REFUSAL_CASE_UNKNOWN: "no such case was opened at this table",
    pb.CASE_REFUSAL_CASE_EXISTS: "a case with this id is there already",
    pb.CASE_REFUSAL_CASE_REFUSED: "the case itself was refused",
    pb.CASE_REFUSAL_ROUND_UNKNOWN: "no such round ever opened at this table",
    pb.CASE_REFUSAL_SETTLEMENT_MISSING: "it does not embed the settlement's record",
    pb.CASE_REFUSAL_SETTLEMENT_DIFFERS: "what it embeds is not the settlement on record",
    pb.CASE_REFUSAL_OTHER_SETTLEMENT: "it speaks of another settlement than its case",
    pb.CASE_REFUSAL_NO_SUCH_POSITION: "the round had no such position",
    pb.CASE_REFUSAL_AMOUNT_NOT_DEFINITE: "it names no definite amount",
    pb.CASE_REFUSAL_OTHER_CURRENCY: "its currency is not the round's",
    pb.CASE_REFUSAL_WINDOW_OVER: "the window for claims is over, or is not of 1 to 3650 days",
    pb.CASE_REFUSAL_NO_SPAN: "it names no span of time to preserve",
    pb.CASE_REFUSAL_NO_FINDING: "it has no finding",
    pb.CASE_REFUSAL_ALREADY_RESOLVED: "the case is resolved already",
    pb.CASE_REFUSAL_NO_SUCH_WAGER: "it names no wager",
    pb.CASE_REFUSAL_AMOUNT_TOO_LARGE: "the amount is larger than any that can be booked",
    pb.CASE_REFUSAL_SETTLEMENT_UNKNOWN: "no such settlement is there to be rolled back",
    pb.CASE_REFUSAL_ROLLED_BACK: "what it adjusts is rolled back; settle anew, then propose",
    pb.CASE_REFUSAL_NOT_ROLLED_BACK: "the settlement stands; roll it back first",
    pb.CASE_REFUSAL_CIRCLE_REPEATED: "it names a circle twice",
    pb.CASE_REFUSAL_POT_UNBALANCED: "what it takes from the Pot and puts there is not the same",
    pb.CASE_REFUSAL_PROPOSAL_UNKNOWN: "the case has no such proposal",
    pb.CASE_REFUSAL_PROPOSAL_REFUSED: "the proposal was refused",
    pb.CASE_REFUSAL_SAME_PERSON: "who proposed it cannot approve it",
    pb.CASE_REFUSAL_ALREADY_APPROVED: "it is approved already",
    pb.CASE_REFUSAL_DECLINED: "it was declined",
    pb.CASE_REFUSAL_NO_GAMING_DAY: "it names no gaming day on which it can be booked: from the"
    " round's to the day after the approval",
}

_FORMS: dict[int, str] = {
    facts_pb2.ADJUSTMENT_FORM_UNSPECIFIED: "adjustment",
    facts_pb2.ADJUSTMENT_FORM_ROLL_BACK: "roll-back",
    facts_pb2.ADJUSTMENT_FORM_RESETTLEMENT: "new settlement",
}

_FINDINGS: dict[int, str] = {
    facts_pb2.DISPUTE_FINDING_NO_ERROR: "no error",
    facts_pb2.DISPUTE_FINDING_PATRON_ERROR: "patron error",
    facts_pb2.DISPUTE_FINDING_DEALER_ERROR: "dealer error",
}


def refusal(number: int) -> str:
    """Why a fact of a case was refused."""
    return _REFUSALS.get(number, f"refusal {number}")


def form(number: int) -> str:
    """adjustment, roll-back or new settlement."""
    return _FORMS.get(number, f"form {number}")


def finding(number: int) -> str:
    return _FINDINGS.get(number, f"finding {number}" if number else "none")


def posted_line(line: pb.PostedLine, currency: str) -> str:
    """A transfer, and what it leaves there."""
    counterparty = "the Pot" if line.counterparty == 2 else "the house"
    circle = f"position {line.position} {words.kind(line.kind)}"
    before, after = line.before_minor, line.before_minor + line.amount_minor
    return (
        f"{circle}: {_moved(line.amount_minor, counterparty, currency)}"
        f" (net before {words.money(before, currency)}, after {words.money(after, currency)})"
    )


def paid(amount_minor: int, currency: str) -> str:
    """`50.00 USD to the patron`; an amount below zero goes to the house."""
    whom = "to the patron" if amount_minor >= 0 else "to the house"
    return f"{words.money(abs(amount_minor), currency)} {whom}"


def _dispute_opened(fact: facts_pb2.DisputeOpened, currency: str) -> Iterator[str]:
    amount = words.money(fact.amount_minor, fact.currency_code or currency)
    at = f" at position {fact.position}" if fact.position else ""
    yield f"{fact.claimant_id or 'nobody named'} claims {amount}{at}{_because(fact.claim)}"
    yield f"it is about {_settlement(fact.settlement)}"
    if fact.window_days:
        yield f"claims are heard for {fact.window_days} days"


def _dispute_held(fact: facts_pb2.DisputeHeld, _: str) -> Iterator[str]:
    yield f"the dispute is held{_because(fact.reason)}"
    if fact.preserve_from_us or fact.preserve_until_us:
        since, until = map(words.moment, (fact.preserve_from_us, fact.preserve_until_us))
        yield f"video to preserve: {since} to {until}"
    if fact.do_not_rack:
        yield "do not rack: cards and chips stay as they lie"
    if fact.held_id:
        yield f"the table is frozen by hold {fact.held_id}"
    yield from _media(fact.media_link)


def _dispute_resolved(fact: facts_pb2.DisputeResolved, currency: str) -> Iterator[str]:
    yield (f"the dispute is resolved, finding: {finding(fact.finding)}{_because(fact.resolution)}")
    if fact.dealer_id or fact.supervisor_id:
        yield (
            f"dealer {fact.dealer_id or 'not given'},"
            f" supervisor {fact.supervisor_id or 'not given'}"
        )
    if fact.saved_minor:
        what = "saved" if fact.saved_minor > 0 else "lost"
        yield f"the house {what} {words.money(abs(fact.saved_minor), currency)}"
    yield from _media(fact.media_link)


def _adjustment_proposed(fact: facts_pb2.AdjustmentProposed, currency: str) -> Iterator[str]:
    currency = fact.currency_code or currency
    why = _because(fact.reason)
    if fact.form == facts_pb2.ADJUSTMENT_FORM_UNSPECIFIED:
        circle = f"position {fact.position} {words.kind(fact.kind)}"
        yield f"proposed: {paid(fact.amount_minor, currency)}, {circle}{why}"
    else:
        of = f" of {fact.rolls_back_id}" if fact.rolls_back_id else ""
        yield f"proposed: {form(fact.form)}{of}{why}"
    for one in fact.circles:
        counterparty = "the Pot" if one.from_pot else "the house"
        circle = f"position {one.position} {words.kind(one.kind)}"
        yield f"{circle}: {_moved(one.profit_minor, counterparty, currency)}"
    yield f"it is about {_settlement(fact.settlement)}"


def _adjustment_approved(fact: facts_pb2.AdjustmentApproved, _: str) -> Iterator[str]:
    day = f", booked on gaming day {fact.gaming_day}" if fact.gaming_day else ""
    yield f"the adjustment {fact.proposal_event_id or '(none named)'} is approved{day}"


def _adjustment_declined(fact: facts_pb2.AdjustmentDeclined, _: str) -> Iterator[str]:
    yield (
        f"the adjustment {fact.proposal_event_id or '(none named)'} is declined"
        f"{_because(fact.reason)}"
    )


def _case_answered(answer: pb.CaseAnswered, currency: str) -> Iterator[str]:
    said = f"refused: {refusal(answer.refusal)}" if answer.refusal else "accepted"
    yield f"{answer.fact_event_id or 'a fact'} is {said}"
    if answer.window_days:
        end = words.moment(1000 * answer.window_ends_ms)
        yield f"claims are heard until {end}"
    if answer.settled_minor or answer.adjusted_minor:
        settled, before = answer.settled_minor, answer.adjusted_minor
        yield (
            f"the circle's settlement was {words.money(settled, currency)},"
            f" adjusted before by {words.money(before, currency)}"
        )
    if answer.posting_id:
        yield f"posting {answer.posting_id}"


def _adjustment_posted(posting: pb.AdjustmentPosted, currency: str) -> Iterator[str]:
    currency = posting.currency_code or currency
    yield (
        f"booked: {form(posting.form)}, gaming day {posting.gaming_day or 'not given'}, proposed"
        f" by {posting.proposed_by or 'nobody'}, approved by {posting.approved_by or 'nobody'}"
    )
    for line in posting.lines:
        yield posted_line(line, currency)
    yield f"the house's net {words.money(posting.house_net_minor, currency)}"


def _moved(amount_minor: int, counterparty: str, currency: str) -> str:
    way = "from" if amount_minor >= 0 else "to"
    return f"{words.money(abs(amount_minor), currency)} {way} {counterparty}"


def _settlement(reference: facts_pb2.SettlementReference) -> str:
    record = reference.settlement_event_id or "no record named"
    return f"the settlement {record} of round {reference.round_id or 'not given'}"


def _media(link: str) -> Iterator[str]:
    if link:
        yield f"recording: {link}"


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""


TELLERS: dict[str, Callable[[Any, str], Iterator[str]]] = {
    "dispute_opened": _dispute_opened,
    "dispute_held": _dispute_held,
    "dispute_resolved": _dispute_resolved,
    "adjustment_proposed": _adjustment_proposed,
    "adjustment_approved": _adjustment_approved,
    "adjustment_declined": _adjustment_declined,
    "case_answered": _case_answered,
    "adjustment_posted": _adjustment_posted,
}
