"""Saigon 5 Card, paragraph by paragraph (58 Pa. Code 680a.11(b)-(f))."""

from pitledger.audit.circles import ANTE, Hand, Played
from pitledger.audit.hands import (
    Points,
    best_count,
    hand_qualifies,
    poker,
    shown_count,
    three_qualify,
)
from pitledger.pb import money_pb2
from pitledger.pb import rules_pb2 as rules

Verdict = tuple[int, money_pb2.Odds | None]


def points_of(terms: rules.Saigon5Rules) -> Points:
    """What ace, face and joker count under a submission."""
    return terms.card_points.ace, terms.card_points.face, tuple(terms.joker_points)


def play(terms: rules.Saigon5Rules, hand: Hand) -> Played:
    """How a hand counts (680a.11(b)), with the filed readings of what the text leaves open."""
    points = points_of(terms)
    category, pair = poker(tuple(sorted(hand.cards)))
    qualifies = hand_qualifies(hand.cards, points)
    best = Played(category, pair, qualifies, best_count(hand.cards, points))
    if hand.split is None or terms.player_split == rules.PLAYER_SPLIT_BEST:
        return best
    three, two = hand.split
    shown = shown_count(two, points)
    if not qualifies or three_qualify(three, points):
        return Played(category, pair, qualifies, shown, as_set=True)
    if terms.misset_hand == rules.MISSET_HAND_CARDS_SPEAK:
        return best
    loses = terms.misset_hand == rules.MISSET_HAND_LOSE
    return Played(category, pair, False, shown, loses_ante=loses, as_set=True)


def judge(terms: rules.Saigon5Rules, kind: int, player: Played, dealer: Played) -> Verdict:
    """The outcome of an Ante or a Bonus, and its odds if it wins."""
    return _ante(terms, player, dealer) if kind == ANTE else _bonus(terms, player)


def pot_count(terms: rules.Saigon5Rules, player: Played) -> int:
    """The Point Count with which a hand competes for the Pot (680a.11(f)); 0: it may not."""
    only_qualifiers = terms.pot_eligibility == rules.POT_ELIGIBILITY_QUALIFIERS
    if player.loses_ante or (only_qualifiers and not player.qualifies):
        return 0
    return player.count


def _ante(terms: rules.Saigon5Rules, player: Played, dealer: Played) -> Verdict:
    if player.loses_ante:
        return rules.OUTCOME_LOSE, None
    odds = terms.ante_odds_five if player.count == 5 else terms.ante_odds
    if not dealer.qualifies:
        if not player.qualifies:  # (d)(1)(i)
            return rules.OUTCOME_RETURN, None
        return rules.OUTCOME_WIN, odds  # (d)(1)(ii)
    if not player.qualifies:  # (d)(2)(i)
        return rules.OUTCOME_LOSE, None
    if dealer.count > player.count:  # (d)(2)(ii)(A)
        return rules.OUTCOME_LOSE, None
    if dealer.count < player.count:  # (d)(2)(ii)(B)
        return rules.OUTCOME_WIN, odds
    return rules.OUTCOME_RETURN, None  # (d)(2)(ii)(C)


def _bonus(terms: rules.Saigon5Rules, player: Played) -> Verdict:
    if player.category < rules.POKER_CATEGORY_TWO_PAIR:  # (e)(1)
        return rules.OUTCOME_LOSE, None
    for pay in terms.bonus_pay_table:  # (e)(2)
        if pay.category == player.category:
            return rules.OUTCOME_WIN, pay.odds
    return rules.OUTCOME_LOSE, None
