"""Whether a fact of a case is in order: ACCEPTED, or the refusal that says why it is not."""

import re
from hashlib import sha256

from pitledger.cases.case import ACCEPTED, DAY_MS, CaseFact, Proposal, Stage
from pitledger.cases.claim_window import WINDOW_DAYS_MAX
from pitledger.cases.settlement import Settlement
from pitledger.pb import cases_pb2 as pb
from pitledger.pb import facts_pb2

ACTOR_MAX = 256
"""Characters of a person's id: it stands in postings again."""
_LAST_MS = (1 << 63) - 1
"""The last time that an int64 can say; a record may bear it where producers set times."""

_DAY = re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})")
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_1970 = 719_528
"""Days of the years 0 to 1969."""


def digest(value: bytes) -> bytes:
    return sha256(value).digest()


def envelope(fact: CaseFact) -> pb.CaseRefusal:
    """Of any fact: known throughout, and a person's."""
    if fact.outside:
        return pb.CASE_REFUSAL_OUTSIDE_VOCABULARY
    if not _is_person(fact.record.actor):
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
    if not 0 < opened.window_days <= WINDOW_DAYS_MAX:  # anybody may have written it
        return pb.CASE_REFUSAL_WINDOW_OVER
    answer.window_days = opened.window_days
    answer.window_ends_ms = min(_LAST_MS, settlement.at_ms + opened.window_days * DAY_MS)
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


def approval(fact: CaseFact, proposal: Proposal, settlement: Settlement) -> pb.CaseRefusal:
    """By another person than the one who proposed it, once, for a gaming day on which it can be
    booked: a day of long ago, or far ahead, would hide it from that month's list.
    """
    if problem := _undecided(proposal):
        return problem
    if _same_person(fact.record.actor, proposal.proposer):
        return pb.CASE_REFUSAL_SAME_PERSON
    day = _day_number(fact.record.adjustment_approved.gaming_day)
    if day is None or day not in _bookable(settlement, fact.at_ms):
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


def _bookable(settlement: Settlement, at_ms: int) -> range:
    """Days from the round's own on, to the one after UTC's as the broker has the approval.

    (East of Greenwich it is tomorrow already.) The round's own is never too late.
    """
    latest = at_ms // DAY_MS + 1
    of_round = _day_number(settlement.gaming_day)
    if of_round is None:  # it names none
        return range(latest + 1)
    return range(of_round, max(of_round, latest) + 1)


def _day_number(text: str) -> int | None:
    """Days since 1970 of a YYYY-MM-DD, negative before; None if it is not in the calendar."""
    found = _DAY.fullmatch(text)
    if found is None:
        return None
    year, month, day = map(int, found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not (1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] + (leap and month == 2)):
        return None
    leap_days = (year + 3) // 4 - (year + 99) // 100 + (year + 399) // 400 + (leap and month > 2)
    return 365 * year + leap_days + sum(_DAYS[: month - 1]) + day - 1 - _1970


def _is_person(actor: str) -> bool:
    """An opaque id: of printable ASCII alone, so that what reads alike is alike, and for ever.

    (Which signs of Unicode look the same, or are not seen, differs from one build to the next.)
    """
    plain = actor.isascii() and actor.isprintable() and len(actor) <= ACTOR_MAX
    return plain and bool(_seen(actor))


def _same_person(one: str, other: str) -> bool:
    """An id that differs in case or blanks alone is no other person's."""
    return _seen(one) == _seen(other)


def _seen(actor: str) -> str:
    return actor.replace(" ", "").lower()
