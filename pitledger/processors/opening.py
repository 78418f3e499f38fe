"""What a RoundOpened lays down, and whether its content can be adjudicated at all.

A RoundOpened whose content is invalid opens all the same: every request is refused and its end
voids it. So nothing here raises.
"""

import re
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from pitledger.games import CACHED_BYTES_MAX, BadSubmission, compile_rules
from pitledger.games.submission import problems_of_posted
from pitledger.journal.upcast import upcast
from pitledger.journal.vocabulary import Fact, outside, outside_submission
from pitledger.pb import cards_pb2, money_pb2, rules_pb2
from pitledger.processors.round import Limits, Terms

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitledger.games.game import Rules
    from pitledger.pb.facts_pb2 import RoundOpened
    from pitledger.pb.money_pb2 import WagerKind

_CURRENCY = re.compile("[A-Z]{3}")
_METHODS = (
    cards_pb2.DEALING_METHOD_MANUAL_SHOE,
    cards_pb2.DEALING_METHOD_HAND,
    cards_pb2.DEALING_METHOD_AUTOMATED_SHOE,
)


def terms_of(fact: Fact) -> Terms:
    """Read the terms of a round from its RoundOpened; `rules` is None if they are invalid."""
    record = upcast(fact.record, fact.body)
    opened = record.round_opened
    version = opened.adjudication_version
    read_rules: Callable[[bytes, bytes, int], Rules | None] = _rules
    read_limits: Callable[[bytes, bytes], dict[WagerKind, Limits] | None] = _limits
    if len(fact.value) > CACHED_BYTES_MAX:
        read_rules, read_limits = _rules.__wrapped__, _limits.__wrapped__
    rules = read_rules(opened.submission, opened.submission_digest, version)
    posted = opened.posted_limits.SerializeToString(deterministic=True)
    limits = read_limits(posted, opened.submission) if rules else None
    valid = (
        rules
        and limits
        and not outside(fact, version)
        and _plain_content_is_valid(opened, rules, limits)
    )
    seats = {seat.position: seat.patron_id for seat in opened.seats}
    return Terms(
        table_id=record.table_id,
        round_id=record.event_id,
        rules=rules if valid else None,
        limits=limits or {},
        pot_amount=opened.posted_limits.pot_amount_minor,
        seats=seats,
        by_packets=opened.dealing_method == cards_pb2.DEALING_METHOD_AUTOMATED_SHOE,
    )


@lru_cache(maxsize=256)
def _rules(submission: bytes, digest: bytes, version: int) -> "Rules | None":
    if sha256(submission).digest() != digest:
        return None
    try:
        rules = compile_rules(submission)
    except BadSubmission:
        return None
    return None if outside_submission(rules.submission, version) else rules


@lru_cache(maxsize=1024)
def _limits(posted: bytes, submission: bytes) -> "dict[WagerKind, Limits] | None":
    """Limits by kind, of what this table offers; None if they leave what was filed.

    A wager that is not posted has its filed range. The Pot is offered where its amount is posted.
    """
    limits = rules_pb2.PostedLimits.FromString(posted)
    filed = compile_rules(submission).submission
    if problems_of_posted(limits, filed):
        return None
    offers = {offer.kind: offer for offer in filed.wagers}
    offers |= {offer.kind: offer for offer in limits.wagers}
    if not limits.pot_amount_minor:
        offers.pop(money_pb2.WAGER_KIND_POT, None)
    return {
        offer.kind: Limits(offer.min_minor, offer.max_minor)
        for offer in offers.values()
        if offer.offered
    }


def _plain_content_is_valid(
    opened: "RoundOpened", rules: "Rules", limits: "dict[WagerKind, Limits]"
) -> bool:
    positions = [seat.position for seat in opened.seats]
    return (
        _CURRENCY.fullmatch(opened.currency_code) is not None
        and opened.dealing_method in _METHODS
        and len(set(positions)) == len(positions)
        and all(1 <= position <= rules.submission.positions for position in positions)
        and all(seat.patron_id for seat in opened.seats)
        and money_pb2.WAGER_KIND_ANTE in limits
    )
