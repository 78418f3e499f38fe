"""What a submission must be, so that judging a hand and settling a round can never fail.

Each check raises BadSubmission with one sentence that begins with the setting.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from pitledger.games.hands import HAND_SIZE
from pitledger.games.rulings import choice_name
from pitledger.money import Ratio
from pitledger.pb import money_pb2, rules_pb2

if TYPE_CHECKING:
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

    from pitledger.pb.money_pb2 import Odds, WagerKind
    from pitledger.pb.rules_pb2 import CardPoints, PokerCategory, PokerPay, RulesSubmission

# Bounds of sanity, not of any rule: the sum of a round's lines fits into an int64.
AMOUNT_MAX = 10**11
ODDS_MAX = 10**6
POINTS_MAX = 100


class BadSubmission(ValueError):
    """A rules submission that no round can be judged by."""


def check_common(
    submission: "RulesSubmission", kinds: Sequence["WagerKind"], deck_size: int
) -> None:
    """Check what both games' submissions have. `kinds`: the game's wagers, the Ante first."""
    check_range("positions", submission.positions, 1, deck_size // HAND_SIZE - 1)
    _check_offers(submission, kinds)
    check_range("wager_unit", submission.wager_unit_minor, 1, AMOUNT_MAX)
    check_range("payout_unit_minor", submission.payout_unit_minor, 1, AMOUNT_MAX)
    check_choice("payout_rounding", rules_pb2.PayoutRounding, submission.payout_rounding)
    limit = submission.payout_limit
    setting = "aggregate_payout_limit"
    check_choice(f"{setting}.scope", rules_pb2.PayoutLimitScope, limit.scope)
    if limit.scope != rules_pb2.PAYOUT_LIMIT_SCOPE_NONE:
        check_range(f"{setting}.amount", limit.amount_minor, 1, None)
        check_choice(
            f"{setting}.allocation", rules_pb2.PayoutLimitAllocation, limit.allocation
        )
    if not submission.accepted_instruments:
        raise BadSubmission("accepted_instruments: name at least one instrument.")
    if not submission.abandoned_wagers:
        raise BadSubmission("abandoned_wagers: name at least one reading.")
    for reading in submission.abandoned_wagers:
        check_choice("abandoned_wagers", rules_pb2.AbandonmentReading, reading)


def _check_offers(submission: "RulesSubmission", kinds: Sequence["WagerKind"]) -> None:
    seen = set()
    for offer in submission.wagers:
        if offer.kind not in kinds:
            names = ", ".join(choice_name(money_pb2.WagerKind, kind) for kind in kinds)
            raise BadSubmission(f"wagers: kind {offer.kind} is not one of this game: {names}.")
        name = f"{choice_name(money_pb2.WagerKind, offer.kind)}_limits"
        if offer.kind in seen:
            raise BadSubmission(f"{name}: given twice.")
        seen.add(offer.kind)
        if offer.offered:
            check_range(f"{name}.min", offer.min_minor, 1, AMOUNT_MAX)
            check_range(f"{name}.max", offer.max_minor, offer.min_minor, AMOUNT_MAX)
    ante = kinds[0]
    if not any(offer.kind == ante and offer.offered for offer in submission.wagers):
        raise BadSubmission("ante_limits: the Ante must be offered.")


def check_range(setting: str, value: int, low: int, high: int | None) -> int:
    """Return the value; both bounds are inclusive, None is no bound."""
    if high is None:
        if value < low:
            raise BadSubmission(f"{setting}: {value} must be at least {low}.")
    elif not low <= value <= high:
        raise BadSubmission(f"{setting}: {value} must be {low} to {high}.")
    return value


def check_choice(setting: str, enum: "EnumTypeWrapper", value: int) -> None:
    """Check that a choice is made, and known."""
    known = [number for number in enum.values() if number]
    if value not in known:
        names = ", ".join(choice_name(enum, number) for number in known)
        raise BadSubmission(f"{setting}: choose one of {names}.")


def odds_of(setting: str, odds: "Odds") -> Ratio:
    """Return odds whose two numbers are positive."""
    for number in (odds.win, odds.stake):
        if not 1 <= number <= ODDS_MAX:
            raise BadSubmission(
                f"{setting}: odds {odds.win}:{odds.stake} need two numbers from 1 to {ODDS_MAX}."
            )
    return Ratio(odds.win, odds.stake)


def pay_table(
    setting: str, pays: Collection["PokerPay"], categories: Sequence["PokerCategory"]
) -> dict["PokerCategory", Ratio]:
    """Return the odds by category; each of `categories` must be there once, and no other."""
    table: dict[PokerCategory, Ratio] = {}
    for pay in pays:
        if pay.category not in categories:
            raise BadSubmission(f"{setting}: category {pay.category} wins nothing here.")
        name = choice_name(rules_pb2.PokerCategory, pay.category)
        if pay.category in table:
            raise BadSubmission(f"{setting}: {name} is given twice.")
        table[pay.category] = odds_of(f"{setting}.{name}", pay.odds)
    missing = [category for category in categories if category not in table]
    if missing:
        names = ", ".join(choice_name(rules_pb2.PokerCategory, c) for c in missing)
        raise BadSubmission(f"{setting}: no odds for {names}.")
    return table


def check_points(points: "CardPoints") -> None:
    """Check the points of ace and face cards."""
    check_range("card_points.ace", points.ace, 1, POINTS_MAX)
    check_range("card_points.face", points.face, 1, POINTS_MAX)
