"""What a RoundOpened lays down, and whether its content can be adjudicated at all.

A RoundOpened whose content is invalid opens all the same: every request is refused and its end
voids it. So nothing here raises.
"""

import re
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from pitledger.games import BadSubmission, compile_rules
from pitledger.journal.record import JournalRecord
from pitledger.journal.vocabulary import content_outside
from pitledger.pb import cards_pb2, money_pb2
from pitledger.processors.round import Limits, Terms

if TYPE_CHECKING:
    from pitledger.games.game import Rules
    from pitledger.pb.facts_pb2 import RoundOpened
    from pitledger.pb.money_pb2 import WagerKind

VERSION = 1
_CURRENCY = re.compile("[A-Z]{3}")
_METHODS = (
    cards_pb2.DEALING_METHOD_MANUAL_SHOE,
    cards_pb2.DEALING_METHOD_HAND,
    cards_pb2.DEALING_METHOD_AUTOMATED_SHOE,
)


def terms_of(record: JournalRecord) -> Terms:
    """Read the terms of a round from its RoundOpened; `rules` is None if they are invalid."""
    opened = record.round_opened
    rules = _rules(bytes(opened.submission), bytes(opened.submission_digest))
    limits = _limits(opened, rules) if rules else None
    valid = rules and limits is not None and _plain_content_is_valid(opened, rules)
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
def _rules(submission: bytes, digest: bytes) -> "Rules | None":
    if sha256(submission).digest() != digest:
        return None
    try:
        return compile_rules(submission)
    except BadSubmission:
        return None


def _limits(opened: "RoundOpened", rules: "Rules") -> "dict[WagerKind, Limits] | None":
    """Posted limits by kind, of what this table offers; None if they leave the filed range."""
    filed = {offer.kind: offer for offer in rules.submission.wagers if offer.offered}
    limits: dict[WagerKind, Limits] = {}
    for posted in opened.posted_limits.wagers:
        if not posted.offered:
            continue
        offer = filed.get(posted.kind)
        if offer is None or posted.kind in limits:
            return None
        minimum = posted.min_minor or offer.min_minor
        maximum = posted.max_minor or offer.max_minor
        if not offer.min_minor <= minimum <= maximum <= offer.max_minor:
            return None
        limits[posted.kind] = Limits(minimum, maximum)
    return _with_pot(opened.posted_limits.pot_amount_minor, limits)


def _with_pot(
    amount: int, limits: "dict[WagerKind, Limits]"
) -> "dict[WagerKind, Limits] | None":
    """The Pot is offered where an amount is posted, within its limits."""
    pot = limits.get(money_pb2.WAGER_KIND_POT)
    if amount == 0:
        limits.pop(money_pb2.WAGER_KIND_POT, None)
        return limits
    if pot is None or not pot.minimum <= amount <= pot.maximum:
        return None
    return limits


def _plain_content_is_valid(opened: "RoundOpened", rules: "Rules") -> bool:
    positions = [seat.position for seat in opened.seats]
    return (
        not content_outside(opened, VERSION)
        and _CURRENCY.fullmatch(opened.currency_code) is not None
        and opened.dealing_method in _METHODS
        and len(set(positions)) == len(positions)
        and all(1 <= position <= rules.submission.positions for position in positions)
        and all(seat.patron_id for seat in opened.seats)
        and money_pb2.WAGER_KIND_ANTE in {o.kind for o in opened.posted_limits.wagers if o.offered}
    )
