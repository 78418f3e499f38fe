"""Submissions as messages: the defaults of both games, and a way to change one thing."""

from collections.abc import Callable

from pitledger.games import compile_rules
from pitledger.games.game import Rules
from pitledger.games.rulings import choice_name
from pitledger.pb import money_pb2 as m
from pitledger.pb import rules_pb2 as r

VENDOR = {"ante_odds", "ante_odds_five", "card_points", "joker_points"}

SAIGON_TABLE = {
    r.POKER_CATEGORY_FIVE_ACES: 2500, r.POKER_CATEGORY_ROYAL_FLUSH: 2500,
    r.POKER_CATEGORY_STRAIGHT_FLUSH: 1000, r.POKER_CATEGORY_FOUR_OF_A_KIND: 250,
    r.POKER_CATEGORY_FULL_HOUSE: 60, r.POKER_CATEGORY_FLUSH: 40, r.POKER_CATEGORY_STRAIGHT: 20,
    r.POKER_CATEGORY_THREE_OF_A_KIND: 8, r.POKER_CATEGORY_TWO_PAIR: 3,
}
TABLE_A = (1, 2, 4, 8, 12, 20, 50, 200, 500)
TABLE_B = (1, 2, 5, 10, 15, 25, 100, 250, 1000)

HIGH_SCORES = {8: 2, 11: 3, 13: 4, 14: 5, 16: 6, 17: 7, 18: 8, 19: 9, 20: 11, 21: 22}
LOW_SCORES = {6: 0, 8: 1, 10: 2, 11: 3, 12: 4, 13: 5, 14: 6, 15: 7, 16: 8, 18: 9, 19: 11, 20: 14,
              21: 30}

COMMON = ["positions", "wager_unit", "accepted_instruments", "adjacent_positions",
          "payout_unit_minor", "payout_rounding", "aggregate_payout_limit", "abandoned_wagers",
          "ante_limits"]
SAIGON = ["card_points", "joker_points", "player_split", "misset_hand", "dealer_split",
          "pot_eligibility", "pot_without_winner", "pot_remainder", "ante_odds", "ante_odds_five",
          "bonus_pay_table", "bonus_limits", "pot_limits"]
HI_LO = ["card_points", "high_hand_cards", "high_hand_cap", "low_hand_ace_cap", "low_hand_wins",
         "house_way", "high_scores", "low_scores", "foul_hand", "unset_hand", "ante_outcome",
         "ante_odds", "tie_pay_table", "tie_pairs", "busted_ties", "poker_bonus_table",
         "tie_limits", "poker_bonus_limits"]

Change = Callable[[r.RulesSubmission], None]


def saigon() -> r.RulesSubmission:
    """Saigon 5 Card, the default submission."""
    s = _common(r.GAME_SAIGON5, {m.WAGER_KIND_BONUS: (100, 10_000), m.WAGER_KIND_POT: (100, 100_000)})
    g = s.saigon5
    g.card_points.ace, g.card_points.face = 1, 10
    g.joker_points.extend([3, 6, 9])
    g.player_split = r.PLAYER_SPLIT_AS_SET
    g.misset_hand = r.MISSET_HAND_CARDS_SPEAK
    g.dealer_split = r.DEALER_SPLIT_BEST
    g.pot_eligibility = r.POT_ELIGIBILITY_ALL
    g.pot_without_winner = r.POT_WITHOUT_WINNER_RETURN
    g.pot_remainder = r.POT_REMAINDER_FIRST_IN_SETTLEMENT_ORDER
    g.ante_odds.win = g.ante_odds.stake = 1
    g.ante_odds_five.win, g.ante_odds_five.stake = 1, 2
    for category, win in SAIGON_TABLE.items():
        g.bonus_pay_table.add(category=category).odds.MergeFrom(m.Odds(win=win, stake=1))
    _authorities(s, COMMON + SAIGON, VENDOR)
    return s


def hi_lo() -> r.RulesSubmission:
    """Five Card Hi-Lo, the default submission."""
    s = _common(r.GAME_FIVE_CARD_HI_LO,
                {m.WAGER_KIND_TIE: (100, 10_000), m.WAGER_KIND_POKER_BONUS: (100, 10_000)})
    g = s.five_card_hi_lo
    g.card_points.ace, g.card_points.face, g.ace_high_points = 1, 10, 11
    g.high_hand_cards, g.high_hand_cap, g.low_hand_ace_cap = 3, 21, 21
    g.low_hand_wins = r.LOW_HAND_WINS_HIGHER
    g.house_way = r.HOUSE_WAY_SCORED
    for up_to, score in HIGH_SCORES.items():
        g.high_scores.add(up_to=up_to, score=score)
    for up_to, score in LOW_SCORES.items():
        g.low_scores.add(up_to=up_to, score=score)
    g.foul_hand = r.FOUL_HAND_LOSE
    g.unset_hand = r.UNSET_HAND_HOUSE_WAY
    ante_outcome(g, lost=("lose_lose", "tie_tie"))
    g.ante_odds.win = g.ante_odds.stake = 1
    g.tie_one_odds.win = g.tie_one_odds.stake = 1
    g.tie_both_odds.win, g.tie_both_odds.stake = 10, 1
    g.tie_pairs = r.TIE_PAIRS_SAME_HAND
    g.busted_ties = True
    poker_bonus(g, 6, TABLE_A)
    _authorities(s, COMMON + HI_LO, set())
    return s


def high_first() -> r.RulesSubmission:
    """Five Card Hi-Lo, the submission where a copy goes to the dealer."""
    s = hi_lo()
    g = s.five_card_hi_lo
    g.house_way = r.HOUSE_WAY_HIGH_FIRST
    g.tie_both_odds.win = 7
    ante_outcome(g, lost=("lose_lose", "tie_tie", "tie_lose", "lose_tie"))
    return s


def ante_outcome(g: r.FiveCardHiLoRules, lost: tuple[str, ...]) -> None:
    """Win-win wins, these lose, all else returns."""
    for field in g.ante_outcome.DESCRIPTOR.fields:
        outcome = r.OUTCOME_LOSE if field.name in lost else r.OUTCOME_RETURN
        setattr(g.ante_outcome, field.name, outcome)
    g.ante_outcome.win_win = r.OUTCOME_WIN


def poker_bonus(g: r.FiveCardHiLoRules, pair: int, pays: tuple[int, ...]) -> None:
    """The table from this pair on."""
    g.poker_bonus_pair = pair
    del g.poker_bonus_pay_table[:]
    for number, win in enumerate(pays):
        entry = g.poker_bonus_pay_table.add(category=r.POKER_CATEGORY_PAIR + number)
        entry.odds.win, entry.odds.stake = win, 1


def compiled(submission: r.RulesSubmission, *changes: Change) -> Rules:
    """Compile a submission after some changes."""
    for change in changes:
        change(submission)
    return compile_rules(submission.SerializeToString(deterministic=True))


def _common(game: int, offers: dict[int, tuple[int, int]]) -> r.RulesSubmission:
    s = r.RulesSubmission(game=game, name="default", title="Test", positions=6)
    for kind, (low, high) in {m.WAGER_KIND_ANTE: (500, 1_000_000), **offers}.items():
        s.wagers.add(kind=kind, offered=True, min_minor=low, max_minor=high)
    s.wager_unit_minor = s.payout_unit_minor = 1
    s.accepted_instruments.extend(["value_chip", "plaque"])
    s.payout_rounding = r.PAYOUT_ROUNDING_DOWN
    s.payout_limit.scope = r.PAYOUT_LIMIT_SCOPE_ROUND
    s.payout_limit.amount_minor = 5_000_000
    s.payout_limit.allocation = r.PAYOUT_LIMIT_ALLOCATION_PRO_RATA
    s.abandoned_wagers.extend([1, 2, 3])
    return s


def _authorities(s: r.RulesSubmission, settings: list[str], vendor: set[str]) -> None:
    for setting in settings:
        authority = r.AUTHORITY_VENDOR if setting in vendor else r.AUTHORITY_HOUSE
        s.authorities.add(setting=setting, authority=authority)


__all__ = ["choice_name", "compiled", "high_first", "hi_lo", "saigon"]
