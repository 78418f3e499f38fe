"""What a RoundOpened files: rules, limits, seats. None where any of it is invalid."""

from dataclasses import dataclass
from hashlib import sha256

from google.protobuf.message import DecodeError

from pitledger.audit.circles import ANTE, POT
from pitledger.audit.terms import playable
from pitledger.audit.vocabulary import known_throughout, of_version
from pitledger.pb import cards_pb2, facts_pb2
from pitledger.pb import rules_pb2 as rules


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
    version = opened.adjudication_version
    if not of_version(opened, version) or not of_version(terms, version):
        return None
    if not known_throughout(terms) or not playable(terms) or not _valid_opening(opened, terms):
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
        if POT in limits and not limits[POT][0] <= pot <= limits[POT][1]:
            return None
        if pot % terms.wager_unit_minor:  # compulsory, and nobody could put it down
            return None
        return limits
    limits.pop(POT, None)
    return limits
