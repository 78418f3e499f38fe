"""Whether a fact of a case is in order: ACCEPTED, or the refusal that says why it is not."""

from datetime import date
from hashlib import sha256
from unicodedata import normalize

from pitledger.cases.case import ACCEPTED, DAY_MS, CaseFact, Proposal, Stage
from pitledger.cases.settlement import Settlement
from pitledger.pb import cases_pb2 as pb
from pitledger.pb import facts_pb2

ACTOR_MAX = 256
"""Characters of a person's id: it stands in postings again."""


def digest(value: bytes) -> bytes:
    return sha256(value).digest()


def envelope(fact: CaseFact) -> pb.CaseRefusal:
    """Of any fact: known throughout, and a person's."""
    if fact.outside:
        return pb.CASE_REFUSAL_OUTSIDE_VOCABULARY
    actor = fact.record.actor
    if not _seen(actor) or len(actor.strip()) > ACTOR_MAX:
        return pb.CASE_REFUSAL_NO_ACTOR
    return ACCEPTED


def reference(said: facts_pb2.SettlementReference, true: Settlement, offset: int) -> pb.CaseRefusal:
    """Whether it is the settlement on record, byte for byte.

    A fact that overtook its settlement could not know it, and may leave the bytes out.
    """
    if said.round_id != true.round_id:
        return pb.CASE_REFUSAL_OTHER_SETTLEMENT
    overtook = offset < true.offset
    if not said.record and not overtook:
        return pb.CASE_REFUSAL_SETTLEMENT_MISSING
    if said.record and said.record != true.value:
        return pb.CASE_REFUSAL_SETTLEMENT_DIFFERS
    if said.settlement_event_id != true.event_id:
        return pb.CASE_REFUSAL_SETTLEMENT_DIFFERS
    return ACCEPTED


def opening(fact: CaseFact, settlement: Settlement, answer: pb.CaseAnswered) -> pb.CaseRefusal:
    """A claim of a definite amount, within the window. The window goes into the answer."""
    opened = fact.record.dispute_opened
    answer.window_days = opened.window_days
    answer.window_ends_ms = settlement.at_ms + opened.window_days * DAY_MS
    if problem := reference(opened.settlement, settlement, fact.offset):
        return problem
    if opened.position not in settlement.positions:
        return pb.CASE_REFUSAL_NO_SUCH_POSITION
    if not opened.claimant_id.strip() or not opened.claim.strip():
        return pb.CASE_REFUSAL_TEXT_MISSING
    if opened.amount_minor <= 0:
        return pb.CASE_REFUSAL_AMOUNT_NOT_DEFINITE
    if opened.currency_code != settlement.currency:
        return pb.CASE_REFUSAL_OTHER_CURRENCY
    if fact.at_ms > answer.window_ends_ms:
        return pb.CASE_REFUSAL_WINDOW_OVER
    return ACCEPTED


def hold(held: facts_pb2.DisputeHeld) -> pb.CaseRefusal:
    """A reason, and a span of time for surveillance to preserve."""
    if not held.reason.strip():
        return pb.CASE_REFUSAL_TEXT_MISSING
    if not 0 < held.preserve_from_us < held.preserve_until_us:
        return pb.CASE_REFUSAL_NO_SPAN
    return ACCEPTED


def finding(resolved: facts_pb2.DisputeResolved) -> pb.CaseRefusal:
    if not resolved.finding:
        return pb.CASE_REFUSAL_NO_FINDING
    if not resolved.resolution.strip():
        return pb.CASE_REFUSAL_TEXT_MISSING
    return ACCEPTED


def approval(fact: CaseFact, proposal: Proposal) -> pb.CaseRefusal:
    """By another person than the one who proposed it, once, for a gaming day."""
    if problem := _undecided(proposal):
        return problem
    if _same_person(fact.record.actor, proposal.proposer):
        return pb.CASE_REFUSAL_SAME_PERSON
    if not _is_day(fact.record.adjustment_approved.gaming_day):
        return pb.CASE_REFUSAL_NO_GAMING_DAY
    return ACCEPTED


def decline(declined: facts_pb2.AdjustmentDeclined, proposal: Proposal) -> pb.CaseRefusal:
    """By anybody, the proposer too: it moves no money."""
    problem = _undecided(proposal)
    if not problem and not declined.reason.strip():
        return pb.CASE_REFUSAL_TEXT_MISSING
    return problem


def _undecided(proposal: Proposal) -> pb.CaseRefusal:
    match proposal.stage:
        case Stage.POSTED | Stage.DONE_BEFORE:
            return pb.CASE_REFUSAL_ALREADY_APPROVED
        case Stage.DECLINED:
            return pb.CASE_REFUSAL_DECLINED
        case _:
            return ACCEPTED


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _same_person(one: str, other: str) -> bool:
    """An id that differs only in what nobody sees, or would read as other, is no other person's."""
    return _seen(one) == _seen(other)


def _seen(actor: str) -> str:
    """An id without case, blanks, signs that are not printed, and Unicode's other ways to write."""
    plain = normalize("NFKC", normalize("NFKC", actor).casefold())
    return "".join(sign for sign in plain if sign.isprintable() and sign != " ")
