"""Whether a rules submission can be played by: every value there, in its range, in its order."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pitledger.audit.circles import ANTE, POT
from pitledger.pb import money_pb2
from pitledger.pb import rules_pb2 as rules

AMOUNT_MAX = 10**11
ODDS_MAX = 10**6
KINDS = {
    rules.GAME_SAIGON5: [ANTE, money_pb2.WAGER_KIND_BONUS, POT],
    rules.GAME_FIVE_CARD_HI_LO: [
        ANTE,
        money_pb2.WAGER_KIND_TIE,
        money_pb2.WAGER_KIND_POKER_BONUS,
    ],
}
SETTINGS = {
    rules.GAME_SAIGON5: """
        positions adjacent_positions accepted_instruments wager_unit abandoned_wagers
        ante_limits bonus_limits pot_limits ante_odds ante_odds_five payout_unit_minor
        payout_rounding aggregate_payout_limit card_points joker_points player_split misset_hand
        dealer_split pot_eligibility pot_without_winner pot_remainder bonus_pay_table
    """,
    rules.GAME_FIVE_CARD_HI_LO: """
        positions adjacent_positions accepted_instruments wager_unit abandoned_wagers
        ante_limits tie_limits poker_bonus_limits ante_odds tie_pay_table payout_unit_minor
        payout_rounding aggregate_payout_limit card_points low_hand_ace_cap high_hand_cards
        high_hand_cap low_hand_wins foul_hand unset_hand house_way high_scores low_scores
        ante_outcome tie_pairs busted_ties poker_bonus_table
    """,
}
"""Every setting whose authority a submission states, in its order."""

SECTION = re.compile(r"[0-9]+a?[.][0-9]+")


def playable(terms: rules.RulesSubmission) -> bool:
    """Whether nothing is wrong with a submission (unknown fields and enum values aside)."""
    saigon = terms.game == rules.GAME_SAIGON5
    if terms.game not in KINDS:
        return False
    if terms.WhichOneof("rules") != ("saigon5" if saigon else "five_card_hi_lo"):
        return False
    own = _saigon(terms.saigon5) if saigon else _hilo(terms.five_card_hi_lo)
    return all((*own, *_any_game(terms)))


def _any_game(terms: rules.RulesSubmission) -> Iterable[bool]:
    limit = terms.payout_limit
    names = terms.accepted_instruments
    yield re.fullmatch("[a-z0-9][a-z0-9-]{0,39}", terms.name) is not None
    yield _line(terms.title, 80) and terms.title != ""
    yield 1 <= terms.positions <= 9
    yield [offer.kind for offer in terms.wagers] == KINDS[terms.game]
    yield all(_offer(offer, terms.wager_unit_minor) for offer in terms.wagers)
    yield bool(terms.wagers) and terms.wagers[0].offered
    yield _amount(terms.wager_unit_minor) and _amount(terms.payout_unit_minor)
    yield bool(names) and _each_once(names) and "verbal_with_cash" not in names
    yield all(re.fullmatch("[a-z][a-z0-9_]{0,39}", name) for name in names)
    yield bool(terms.abandoned_wagers) and _each_once(terms.abandoned_wagers)
    yield 0 not in (*terms.abandoned_wagers, terms.payout_rounding, limit.scope, limit.allocation)
    yield limit.amount_minor > 0
    yield all(_said_by(authority) for authority in terms.authorities)
    said = " ".join(authority.setting for authority in terms.authorities)
    yield said == " ".join(SETTINGS[terms.game].split())


def _saigon(terms: rules.Saigon5Rules) -> Iterable[bool]:
    jokers = list(terms.joker_points)
    yield 1 <= terms.card_points.ace <= 10 and 1 <= terms.card_points.face <= 10
    yield bool(jokers) and jokers == sorted(set(jokers)) and 1 <= jokers[0] <= jokers[-1] <= 10
    yield 0 not in (terms.player_split, terms.misset_hand, terms.dealer_split)
    yield 0 not in (terms.pot_eligibility, terms.pot_without_winner, terms.pot_remainder)
    yield _odds(terms.ante_odds) and _odds(terms.ante_odds_five)
    lowest, highest = rules.POKER_CATEGORY_TWO_PAIR, rules.POKER_CATEGORY_FIVE_ACES
    yield _pays(terms.bonus_pay_table, lowest, highest)


def _hilo(terms: rules.FiveCardHiLoRules) -> Iterable[bool]:
    ace, face, high_ace = terms.card_points.ace, terms.card_points.face, terms.ace_high_points
    cards, cap = terms.high_hand_cards, terms.high_hand_cap
    yield 1 <= ace <= high_ace <= 11 and 1 <= face <= 11
    yield 1 <= cards <= 4
    yield 0 <= cap <= 55 and 1 <= terms.low_hand_ace_cap <= 55
    yield cap == 0 or cap >= cards * min(2, ace, face)
    yield 0 not in (terms.low_hand_wins, terms.house_way, terms.foul_hand, terms.unset_hand)
    outcomes = terms.ante_outcome
    yield len(outcomes.ListFields()) == len(outcomes.DESCRIPTOR.fields)
    yield all(map(_odds, (terms.ante_odds, terms.tie_one_odds, terms.tie_both_odds)))
    yield terms.tie_pairs != 0
    yield terms.poker_bonus_pair in (6, 7)
    lowest, highest = rules.POKER_CATEGORY_PAIR, rules.POKER_CATEGORY_ROYAL_FLUSH
    yield _pays(terms.poker_bonus_pay_table, lowest, highest)
    yield _rising(terms.high_scores) and _rising(terms.low_scores)
    yield _scores_reach(terms)


def _scores_reach(terms: rules.FiveCardHiLoRules) -> bool:
    """Whether the score tables know every total that a hand can have, where they are used."""
    if terms.house_way != rules.HOUSE_WAY_SCORED or not terms.high_scores or not terms.low_scores:
        return True
    card = max(10, terms.card_points.face, terms.card_points.ace)
    ace = max(card, terms.ace_high_points)
    high_cards, low_cards = terms.high_hand_cards, 5 - terms.high_hand_cards
    high = (high_cards - 1) * card + ace
    if terms.high_hand_cap:
        high = min(high, terms.high_hand_cap)
    low = low_cards * card
    if terms.low_hand_wins != rules.LOW_HAND_WINS_LOWER:
        low = max(low, min((low_cards - 1) * card + ace, terms.low_hand_ace_cap))
    return terms.high_scores[-1].up_to >= high and terms.low_scores[-1].up_to >= low


def _offer(offer: rules.WagerOffer, unit: int) -> bool:
    """Limits in order, with a multiple of the wager unit between them."""
    low, high = offer.min_minor, offer.max_minor
    in_order = _amount(low) and _amount(high) and low <= high
    return in_order and unit > 0 and high - high % unit >= low


def _rising(steps: Sequence[rules.ScoreStep]) -> bool:
    totals = [step.up_to for step in steps]
    in_range = all(1 <= step.up_to <= 100 and step.score <= 1_000_000 for step in steps)
    return bool(totals) and totals == sorted(set(totals)) and in_range


def _pays(table: Sequence[rules.PokerPay], lowest: int, highest: int) -> bool:
    """Whether each category from lowest to highest has its odds, none less than the one below."""
    if [pay.category for pay in table] != list(range(lowest, highest + 1)):
        return False
    if not all(_odds(pay.odds) for pay in table):
        return False
    ladder = [pay.odds for pay in table]
    return all(
        better.win * worse.stake >= worse.win * better.stake
        for worse, better in pairwise(ladder)
    )


def _odds(odds: money_pb2.Odds) -> bool:
    return 1 <= odds.win <= ODDS_MAX and 1 <= odds.stake <= ODDS_MAX


def _amount(minor: int) -> bool:
    return 1 <= minor <= AMOUNT_MAX


def _each_once(items: Iterable[object]) -> bool:
    listed = list(items)
    return len(listed) == len(set(listed))


def _said_by(authority: rules.SettingAuthority) -> bool:
    """Whether a setting's authority is named, and its section where that is the Code."""
    if authority.authority == rules.AUTHORITY_UNSPECIFIED or not _line(authority.source, 120):
        return False
    by_code = authority.authority == rules.AUTHORITY_CODE
    return not by_code or SECTION.search(authority.source) is not None


def _line(text: str, longest: int) -> bool:
    return len(text) <= longest and (text == "" or text.isprintable()) and text.strip() == text
