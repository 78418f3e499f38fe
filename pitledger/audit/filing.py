"""What a RoundOpened files: rules, limits, seats. None where any of it is invalid."""

from dataclasses import dataclass
from hashlib import sha256

from google.protobuf.message import DecodeError

from pitledger.audit.circles import ANTE, POT
from pitledger.audit.vocabulary import known_throughout
from pitledger.pb import cards_pb2, facts_pb2, money_pb2
from pitledger.pb import rules_pb2 as rules

CATEGORIES = range(rules.POKER_CATEGORY_HIGH_CARD, rules.POKER_CATEGORY_FIVE_ACES + 1)
KINDS = {
    rules.GAME_SAIGON5: (ANTE, money_pb2.WAGER_KIND_BONUS, POT),
    rules.GAME_FIVE_CARD_HI_LO: (
        ANTE,
        money_pb2.WAGER_KIND_TIE,
        money_pb2.WAGER_KIND_POKER_BONUS,
    ),
}


@dataclass(frozen=True, slots=True)
class Filed:
    """A valid filing. Limits are (minimum, maximum) of a circle's sum, for what is offered here."""

    terms: rules.RulesSubmission
    limits: dict[int, tuple[int, int]]
    pot_amount: int
    seats: dict[int, str]
    deck_size: int
    automated: bool

    def in_deck(self, card: int) -> bool:
        return 1 <= card <= self.deck_size


def read_filing(opened: facts_pb2.RoundOpened) -> Filed | None:
    """The round's filing, or None if anything in it is invalid."""
    if sha256(opened.submission).digest() != opened.submission_digest:
        return None
    try:
        terms = rules.RulesSubmission.FromString(opened.submission)
    except DecodeError:
        return None
    if not known_throughout(terms) or not _valid_terms(terms) or not _valid_opening(opened, terms):
        return None
    limits = _limits(terms, opened.posted_limits)
    if limits is None or ANTE not in limits:
        return None
    return Filed(
        terms=terms,
        limits=limits,
        pot_amount=opened.posted_limits.pot_amount_minor,
        seats={seat.position: seat.patron_id for seat in opened.seats},
        deck_size=53 if terms.game == rules.GAME_SAIGON5 else 52,
        automated=opened.dealing_method == cards_pb2.DEALING_METHOD_AUTOMATED_SHOE,
    )


def _valid_opening(opened: facts_pb2.RoundOpened, terms: rules.RulesSubmission) -> bool:
    places = [seat.position for seat in opened.seats]
    currency = opened.currency_code
    return (
        len(places) == len(set(places))
        and all(1 <= place <= terms.positions for place in places)
        and all(seat.patron_id for seat in opened.seats)
        and known_throughout(opened)
        and opened.dealing_method in cards_pb2.DealingMethod.values()
        and opened.dealing_method != cards_pb2.DEALING_METHOD_UNSPECIFIED
        and len(currency) == 3
        and currency.isascii()
        and currency.isalpha()
        and currency.isupper()
    )


def _limits(
    terms: rules.RulesSubmission, posted: rules.PostedLimits
) -> dict[int, tuple[int, int]] | None:
    """The posted range of what is posted, the filed one of what is not; None if they overstep."""
    known = {int(offer.kind) for offer in terms.wagers}
    filed: dict[int, rules.WagerOffer] = {}
    filed.update((offer.kind, offer) for offer in terms.wagers if offer.offered)
    listed = [int(offer.kind) for offer in posted.wagers]
    if len(listed) != len(set(listed)) or not known.issuperset(listed):
        return None
    limits: dict[int, tuple[int, int]] = {}
    limits.update((kind, (wide.min_minor, wide.max_minor)) for kind, wide in filed.items())
    for offer in posted.wagers:
        if not offer.offered:
            limits.pop(offer.kind, None)
            continue
        if offer.kind not in filed:
            return None
        wide = filed[offer.kind]
        low, high = offer.min_minor, offer.max_minor
        if not wide.min_minor <= low <= high <= wide.max_minor:
            return None
        limits[offer.kind] = (low, high)
    pot = posted.pot_amount_minor
    if pot:
        if POT not in filed or not filed[POT].min_minor <= pot <= filed[POT].max_minor:
            return None
        return limits
    limits.pop(POT, None)
    return limits


def _valid_terms(terms: rules.RulesSubmission) -> bool:
    if terms.game not in KINDS:
        return False
    kinds = [offer.kind for offer in terms.wagers]
    offered = {offer.kind for offer in terms.wagers if offer.offered}
    limit = terms.payout_limit
    saigon = terms.game == rules.GAME_SAIGON5
    return (
        terms.WhichOneof("rules") == ("saigon5" if saigon else "five_card_hi_lo")
        and 1 <= terms.positions <= 9
        and len(kinds) == len(set(kinds))
        and set(kinds) <= set(KINDS[terms.game])
        and ANTE in offered
        and all(0 < o.min_minor <= o.max_minor for o in terms.wagers if o.offered)
        and terms.wager_unit_minor > 0
        and terms.payout_unit_minor > 0
        and _named(rules.PayoutRounding, terms.payout_rounding)
        and _named(rules.PayoutLimitScope, limit.scope)
        and (
            limit.scope == rules.PAYOUT_LIMIT_SCOPE_NONE
            or (limit.amount_minor > 0 and _named(rules.PayoutLimitAllocation, limit.allocation))
        )
        and all(_named(rules.AbandonmentReading, one) for one in terms.abandoned_wagers)
        and (_valid_saigon(terms.saigon5) if saigon else _valid_hilo(terms.five_card_hi_lo))
    )


def _named(enum: object, value: int) -> bool:
    """Whether an enum's value is known and not the unspecified one."""
    return value != 0 and value in enum.values()  # type: ignore[attr-defined]


def _valid_odds(odds: money_pb2.Odds) -> bool:
    return odds.win > 0 and odds.stake > 0


def _valid_pays(table: object, first: int, last: int) -> bool:
    pays = list(table)  # type: ignore[call-overload]
    categories = [pay.category for pay in pays]
    return sorted(categories) == list(range(first, last + 1)) and all(
        _valid_odds(pay.odds) for pay in pays
    )


def _valid_saigon(terms: rules.Saigon5Rules) -> bool:
    return (
        terms.card_points.ace > 0
        and terms.card_points.face > 0
        and len(terms.joker_points) > 0
        and all(value > 0 for value in terms.joker_points)
        and _named(rules.PlayerSplit, terms.player_split)
        and _named(rules.MissetHand, terms.misset_hand)
        and _named(rules.DealerSplit, terms.dealer_split)
        and _named(rules.PotEligibility, terms.pot_eligibility)
        and _named(rules.PotWithoutWinner, terms.pot_without_winner)
        and _named(rules.PotRemainder, terms.pot_remainder)
        and _valid_odds(terms.ante_odds)
        and _valid_odds(terms.ante_odds_five)
        and _valid_pays(
            terms.bonus_pay_table,
            rules.POKER_CATEGORY_TWO_PAIR,
            rules.POKER_CATEGORY_FIVE_ACES,
        )
    )


def _valid_hilo(terms: rules.FiveCardHiLoRules) -> bool:
    outcomes = [value for _, value in terms.ante_outcome.ListFields()]
    return (
        terms.card_points.ace > 0
        and terms.card_points.face > 0
        and 1 <= terms.high_hand_cards <= 4
        and _named(rules.LowHandWins, terms.low_hand_wins)
        and _named(rules.HouseWay, terms.house_way)
        and _named(rules.FoulHand, terms.foul_hand)
        and _named(rules.UnsetHand, terms.unset_hand)
        and len(outcomes) == 9
        and all(_named(rules.Outcome, outcome) for outcome in outcomes)
        and all(map(_valid_odds, (terms.ante_odds, terms.tie_one_odds, terms.tie_both_odds)))
        and _named(rules.TiePairs, terms.tie_pairs)
        and terms.poker_bonus_pair in (6, 7)
        and _valid_pays(
            terms.poker_bonus_pay_table,
            rules.POKER_CATEGORY_PAIR,
            rules.POKER_CATEGORY_ROYAL_FLUSH,
        )
    )
