"""Five Card Hi-Lo (58 Pa. Code 663a.7(d), (e)), all else as the submission rules."""

from pitledger.audit.circles import ANTE, Hand, Played
from pitledger.audit.hands import (
    any_valid_high,
    high_total,
    house_way,
    low_merit,
    low_total,
    poker,
)
from pitledger.pb import money_pb2
from pitledger.pb import rules_pb2 as rules

Verdict = tuple[int, money_pb2.Odds | None]

TIE: int = money_pb2.WAGER_KIND_TIE


def play(terms: rules.FiveCardHiLoRules, hand: Hand) -> Played:
    """How a hand counts: as set, or by the house way if nobody set it or it may not stay so."""
    category, pair = poker(tuple(sorted(hand.cards)))
    if hand.split is not None:
        high = high_total(hand.split[0], terms)
        low = low_total(hand.split[1], terms)
        foul = high < 0 and any_valid_high(hand.cards, terms)
        if not foul or terms.foul_hand == rules.FOUL_HAND_LOSE:
            return Played(category, pair, loses_ante=foul, high=high, low=low, as_set=True)
    high, low = house_way(hand.cards, terms)
    return Played(category, pair, high=high, low=low)


def judge(terms: rules.FiveCardHiLoRules, kind: int, player: Played, dealer: Played) -> Verdict:
    """The outcome of an Ante, a Tie or a Poker Bonus, and its odds if it wins."""
    if kind == ANTE:
        return _ante(terms, player, dealer)
    return _tie(terms, player, dealer) if kind == TIE else _poker_bonus(terms, player)


def _ante(terms: rules.FiveCardHiLoRules, player: Played, dealer: Played) -> Verdict:
    if player.loses_ante:
        return rules.OUTCOME_LOSE, None
    high = _word(player.high, dealer.high)
    low = _word(low_merit(player.low, terms), low_merit(dealer.low, terms))
    outcome: int = getattr(terms.ante_outcome, f"{high}_{low}")
    return outcome, terms.ante_odds if outcome == rules.OUTCOME_WIN else None


def _word(mine: int, other: int) -> str:
    if mine == other:
        return "tie"
    return "win" if mine > other else "lose"


def _tie(terms: rules.FiveCardHiLoRules, player: Played, dealer: Played) -> Verdict:
    if player.loses_ante:
        return rules.OUTCOME_LOSE, None
    high_ties = player.high == dealer.high and (player.high >= 0 or terms.busted_ties)
    low_ties = player.low == dealer.low
    if high_ties and low_ties:
        return rules.OUTCOME_WIN, terms.tie_both_odds
    crossed = terms.tie_pairs == rules.TIE_PAIRS_ANY and (
        player.high == dealer.low or player.low == dealer.high
    )
    if high_ties or low_ties or crossed:
        return rules.OUTCOME_WIN, terms.tie_one_odds
    return rules.OUTCOME_LOSE, None


def _poker_bonus(terms: rules.FiveCardHiLoRules, player: Played) -> Verdict:
    low_pair = player.category == rules.POKER_CATEGORY_PAIR
    if low_pair and player.pair_rank < terms.poker_bonus_pair:
        return rules.OUTCOME_LOSE, None
    for pay in terms.poker_bonus_pay_table:
        if pay.category == player.category:
            return rules.OUTCOME_WIN, pay.odds
    return rules.OUTCOME_LOSE, None
