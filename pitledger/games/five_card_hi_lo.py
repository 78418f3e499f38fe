"""Five Card Hi-Lo (58 Pa. Code chapter 663a).

Of this chapter the wagers (663a.7) and the deal (663a.9) were read. Rankings, the round's
procedure and the pay tables are the house's rulings: all their numbers come from the submission,
and only 663a.7 is cited.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations
from operator import itemgetter
from typing import TYPE_CHECKING

from pitledger import cards as decks
from pitledger.games import hands, poker
from pitledger.games.game import (
    DEALER,
    Circle,
    Comparison,
    EvaluatedHand,
    Settlement,
    Split,
    Standing,
)
from pitledger.games.lines import House, OutOfPlay, Verdict, in_paying_order, ratio
from pitledger.games.rulings import HouseRulings, together
from pitledger.pb import decisions_pb2 as pb
from pitledger.pb import money_pb2, rules_pb2

if TYPE_CHECKING:
    from pitledger.cards import Card
    from pitledger.pb.decisions_pb2 import LineReason, SetBy
    from pitledger.pb.rules_pb2 import (
        FiveCardHiLoRules,
        Outcome,
        PokerCategory,
        RulesSubmission,
        ScoreStep,
    )

KINDS = (money_pb2.WAGER_KIND_ANTE, money_pb2.WAGER_KIND_TIE, money_pb2.WAGER_KIND_POKER_BONUS)

POKER_BONUS_CITES = ("663a.7(e)(2)",)
LOWEST_PAIR = 6
"""No table pays a lower pair (663a.7(e)(2)); whether it pays this one is the house's choice."""

BUSTED = 0
"""What a busted high hand is compared as: below every valid total, equal to another busted one."""

CITATIONS: Mapping[str, tuple[str, ...]] = {
    "instrument": ("663a.7(a)",),
    "verbal": ("663a.7(a)",),
    "seat": ("663a.7(b)",),
    "closed": ("663a.7(c)",),
    "ante": ("663a.7(d)",),
    "side_wager": ("663a.7(e)",),
    "adjacent": ("663a.7(f)",),
    "set_order": ("663a.7(f)",),
    "abandoned": ("663a.7(b)",),
    "set": ("663a.7(f)",),
    "dealer_exposes": (),
    "deal": ("663a.9",),
    "stub": ("663a.9",),
    "pot": (),
}


class FiveCardHiLo:
    """The game under one submission, which has no problem."""

    deck = decks.DECK_52
    kinds = KINDS
    larger_ante_sets_first = True
    citations = CITATIONS

    def __init__(self, submission: "RulesSubmission") -> None:
        self.submission = submission
        rules = submission.five_card_hi_lo
        rulings = HouseRulings(submission)
        self.split_sizes = (rules.high_hand_cards, hands.HAND_SIZE - rules.high_hand_cards)
        self._totals = totals = Totals(rules)
        self._evaluator = Evaluator(rules, totals, rulings)
        self._ante = Ante(rules, totals, rulings)
        self._tie = Tie(rules, totals, rulings)
        self._poker_bonus = PokerBonus(rules, rulings)
        self._out_of_play = OutOfPlay(rulings, CITATIONS["abandoned"])
        self._house = House(submission, rulings)
        self.evaluate = self._evaluator.evaluate

    def settle(
        self, circles: Sequence[Circle], hands: Mapping[int, EvaluatedHand],
        dealer: EvaluatedHand, standing: Mapping[int, Standing],
    ) -> Settlement:
        """Settle Ante, Tie and Poker Bonus of each player, the highest position first."""
        judged = [
            (circle, self._judge(circle, hands, dealer, standing))
            for circle in in_paying_order(circles, KINDS)
        ]
        return Settlement(tuple(self._house.lines(judged)), None)

    def _judge(
        self, circle: Circle, hands: Mapping[int, EvaluatedHand], dealer: EvaluatedHand,
        standing: Mapping[int, Standing],
    ) -> Verdict:
        stands = standing.get(circle.position)
        out = self._out_of_play.verdict(stands) if stands else None
        if out:
            return out
        hand = hands[circle.position]
        if circle.kind == money_pb2.WAGER_KIND_ANTE:
            verdict = self._ante.judge(hand, dealer)
        elif circle.kind == money_pb2.WAGER_KIND_TIE:
            verdict = self._tie.judge(hand, dealer)
        else:
            verdict = self._poker_bonus.judge(hand.poker, hand.poker_rank)
        if stands:
            verdict = verdict.with_rulings(self._out_of_play.rulings(stands))
        return verdict


class Totals:
    """Total point values of high and low hands, by tally."""

    def __init__(self, rules: "FiveCardHiLoRules") -> None:
        points = rules.card_points
        self._points = hands.points_by_slot(points.ace, points.face)
        self._ace_more = rules.ace_high_points - points.ace
        self._cap = rules.high_hand_cap
        self._low_ace_cap = rules.low_hand_ace_cap
        self._lower_wins = rules.low_hand_wins == rules_pb2.LOW_HAND_WINS_LOWER

    def high(self, tally: int) -> int:
        """One ace counts high while the total stays within the cap; without a cap, always."""
        total = self._plain(tally)
        raised = total + self._ace_more
        if _has_ace(tally) and (not self._cap or raised <= self._cap):
            return raised
        return total

    def low(self, tally: int) -> int:
        """One ace counts high within its cap; never where the lower hand wins."""
        total = self._plain(tally)
        raised = total + self._ace_more
        if _has_ace(tally) and not self._lower_wins and raised <= self._low_ace_cap:
            return raised
        return total

    def busted(self, high: int) -> bool:
        """Whether a high hand's total is over the cap."""
        return 0 < self._cap < high

    def compared(self, high: int) -> int:
        """A high total as it is compared: BUSTED over the cap."""
        return BUSTED if self.busted(high) else high

    def goodness(self, low: int) -> int:
        """A low total as a number of which the greater is better."""
        return -low if self._lower_wins else low

    def _plain(self, tally: int) -> int:
        return sum(self._points[slot] for slot in hands.slots(tally))


@dataclass(frozen=True, slots=True)
class Way:
    """How cards of one tally are set the house way; taken from `hands.in_order`."""

    pick_high: Callable[[Sequence["Card"]], tuple["Card", ...]]
    pick_low: Callable[[Sequence["Card"]], tuple["Card", ...]]
    high: int
    low: int


class Evaluator:
    """Sets and judges hands. What a tally is worth is worked out once."""

    def __init__(
        self, rules: "FiveCardHiLoRules", totals: Totals, rulings: HouseRulings
    ) -> None:
        self._totals = totals
        splits = _splits(rules)
        self.way, self._high, self._low = splits.way, splits.high, splits.low
        self._foul_loses = rules.foul_hand == rules_pb2.FOUL_HAND_LOSE
        base = together(
            rulings.table("card_points"),
            rulings.value("high_hand_cards", rules.high_hand_cards),
            rulings.value("high_hand_cap", rules.high_hand_cap),
        )
        way = rulings.choice("house_way", rules_pb2.HouseWay, rules.house_way)
        foul = rulings.choice("foul_hand", rules_pb2.FoulHand, rules.foul_hand)
        unset = rulings.choice("unset_hand", rules_pb2.UnsetHand, rules.unset_hand)
        self._as_set = base
        self._foul = together(base, foul)
        self._foul_way = together(base, foul, way)
        self._unset = together(base, unset, way)
        self._dealer = together(base, way)

    def evaluate(
        self, position: int, cards: tuple["Card", ...], split: Split | None
    ) -> EvaluatedHand:
        """Judge five cards as the submission sets them."""
        way = self.way(hands.tally(cards))
        if split is None:
            rulings = self._dealer if position == DEALER else self._unset
            return self._set_by_way(position, cards, way, pb.SET_BY_RULE, rulings)
        high = self._high(hands.tally(split.first))
        low = self._low(hands.tally(split.second))
        if position == DEALER:
            compared = self._totals.compared
            if (compared(high), low) != (compared(way.high), way.low):
                return self._set_by_way(position, cards, way, pb.SET_BY_CORRECTION, self._dealer)
            return self._hand(
                position, cards, split, pb.SET_BY_PLAYER, high, low, self._dealer, False)
        busted = self._totals.busted
        foul = busted(high) and not busted(way.high)
        if not foul:
            return self._hand(
                position, cards, split, pb.SET_BY_PLAYER, high, low, self._as_set, False)
        if self._foul_loses:
            return self._hand(
                position, cards, split, pb.SET_BY_PLAYER, high, low, self._foul, True)
        return self._set_by_way(position, cards, way, pb.SET_BY_CORRECTION, self._foul_way)

    def _set_by_way(
        self, position: int, cards: tuple["Card", ...], way: Way, set_by: "SetBy",
        rulings: tuple[str, ...],
    ) -> EvaluatedHand:
        ordered = hands.in_order(cards)
        split = Split(way.pick_high(ordered), way.pick_low(ordered))
        return self._hand(position, cards, split, set_by, way.high, way.low, rulings, False)

    def _hand(
        self, position: int, cards: tuple["Card", ...], split: Split, set_by: "SetBy",
        high: int, low: int, rulings: tuple[str, ...], foul: bool,
    ) -> EvaluatedHand:
        ranked = poker.rank_hand_without_joker(cards)
        return EvaluatedHand(
            position, split, set_by, high, low, 0, False, 0, False, self._totals.busted(high),
            foul, ranked.category, ranked.rank, False, rulings,
        )


class Splits:
    """Totals of a hand's parts and how it is set the house way, each tally worked out once."""

    def __init__(self, rules: "FiveCardHiLoRules") -> None:
        self.totals = Totals(rules)
        self._high_cards = rules.high_hand_cards
        self._key = _house_way_key(rules, self.totals)
        self.way: Callable[[int], Way] = cache(self._way)
        self.high: Callable[[int], int] = cache(self.totals.high)
        self.low: Callable[[int], int] = cache(self.totals.low)

    def _way(self, tally: int) -> Way:
        """The house way; of equally good splits the first by `hands.in_order`."""
        slots = hands.slots(tally)
        places = range(hands.HAND_SIZE)
        splits = []
        for high in combinations(places, self._high_cards):
            low = tuple(place for place in places if place not in high)
            high_total = self.high(sum(hands.SLOT_TALLY[slots[place]] for place in high))
            low_total = self.low(sum(hands.SLOT_TALLY[slots[place]] for place in low))
            splits.append((high, low, high_total, low_total))
        best = max(splits, key=lambda split: self._key(split[2], split[3]))
        high, low, high_total, low_total = best
        return Way(_picker(high), _picker(low), high_total, low_total)


def _splits(rules: "FiveCardHiLoRules") -> Splits:
    """Shared by all submissions that count cards and set hands alike."""
    bearing = rules_pb2.FiveCardHiLoRules(
        card_points=rules.card_points,
        ace_high_points=rules.ace_high_points,
        high_hand_cards=rules.high_hand_cards,
        high_hand_cap=rules.high_hand_cap,
        low_hand_ace_cap=rules.low_hand_ace_cap,
        low_hand_wins=rules.low_hand_wins,
        house_way=rules.house_way,
        high_scores=rules.high_scores,
        low_scores=rules.low_scores,
    )
    return _splits_of(bearing.SerializeToString(deterministic=True))


@lru_cache(maxsize=64)
def _splits_of(rules: bytes) -> Splits:
    return Splits(rules_pb2.FiveCardHiLoRules.FromString(rules))


class Ante:
    """Against the dealer's high and low hands (663a.7(d)); the submission says what wins."""

    def __init__(
        self, rules: "FiveCardHiLoRules", totals: Totals, rulings: HouseRulings
    ) -> None:
        self._totals = totals
        self._odds = ratio(rules.ante_odds)
        outcomes = rules.ante_outcome
        self._table: dict[tuple[int, int], tuple[Outcome, LineReason]] = {
            (1, 1): (outcomes.win_win, pb.LINE_REASON_WIN_WIN),
            (1, 0): (outcomes.win_tie, pb.LINE_REASON_WIN_TIE),
            (1, -1): (outcomes.win_lose, pb.LINE_REASON_WIN_LOSE),
            (0, 1): (outcomes.tie_win, pb.LINE_REASON_TIE_WIN),
            (0, 0): (outcomes.tie_tie, pb.LINE_REASON_TIE_TIE),
            (0, -1): (outcomes.tie_lose, pb.LINE_REASON_TIE_LOSE),
            (-1, 1): (outcomes.lose_win, pb.LINE_REASON_LOSE_WIN),
            (-1, 0): (outcomes.lose_tie, pb.LINE_REASON_LOSE_TIE),
            (-1, -1): (outcomes.lose_lose, pb.LINE_REASON_LOSE_LOSE),
        }
        self._rulings = together(
            rulings.choice("low_hand_wins", rules_pb2.LowHandWins, rules.low_hand_wins),
            rulings.table("ante_outcome"),
        )
        self._odds_ruling = rulings.value("ante_odds", self._odds)
        self._cached = lru_cache(maxsize=4096)(self._verdict)

    def judge(self, hand: EvaluatedHand, dealer: EvaluatedHand) -> Verdict:
        """Compare a player's two hands with the dealer's."""
        if hand.foul:
            return _foul("663a.7(d)", hand.rulings)
        return self._cached(
            self._totals.compared(hand.first_total), hand.second_total, hand.rulings,
            self._totals.compared(dealer.first_total), dealer.second_total, dealer.rulings,
        )

    def _verdict(
        self, high: int, low: int, rulings: tuple[str, ...],
        dealer_high: int, dealer_low: int, dealer_rulings: tuple[str, ...],
    ) -> Verdict:
        goodness = self._totals.goodness
        result = _sign(high - dealer_high), _sign(goodness(low) - goodness(dealer_low))
        outcome, reason = self._table[result]
        used = together(rulings, dealer_rulings, self._rulings)
        odds = None
        if outcome == rules_pb2.OUTCOME_WIN:
            odds, used = self._odds, together(used, self._odds_ruling)
        shown = _shown(high, low, dealer_high, dealer_low)
        return Verdict(outcome, reason, odds, shown, ("663a.7(d)",), used)


class Tie:
    """That the player's high or low total, or both, ties the dealer's (663a.7(e)(1))."""

    def __init__(
        self, rules: "FiveCardHiLoRules", totals: Totals, rulings: HouseRulings
    ) -> None:
        self._totals = totals
        self._odds = (ratio(rules.tie_one_odds), ratio(rules.tie_both_odds))
        self._any_pair = rules.tie_pairs == rules_pb2.TIE_PAIRS_ANY
        self._busted_ties = rules.busted_ties
        self._pairs_ruling = rulings.choice("tie_pairs", rules_pb2.TiePairs, rules.tie_pairs)
        self._busted_ruling = rulings.value("busted_ties", str(rules.busted_ties).lower())
        self._odds_ruling = rulings.table("tie_pay_table")
        self._cached = lru_cache(maxsize=4096)(self._verdict)

    def judge(self, hand: EvaluatedHand, dealer: EvaluatedHand) -> Verdict:
        """Compare a player's totals with the dealer's."""
        if hand.foul:
            return _foul("663a.7(e)(1)", hand.rulings)
        return self._cached(
            self._totals.compared(hand.first_total), hand.second_total, hand.rulings,
            self._totals.compared(dealer.first_total), dealer.second_total, dealer.rulings,
        )

    def _verdict(
        self, high: int, low: int, rulings: tuple[str, ...],
        dealer_high: int, dealer_low: int, dealer_rulings: tuple[str, ...],
    ) -> Verdict:
        used = together(rulings, dealer_rulings)
        highs_tie = high == dealer_high
        if highs_tie and high == BUSTED:
            highs_tie = self._busted_ties
            used = together(used, self._busted_ruling)
        ties = highs_tie + (low == dealer_low)
        # A busted high is no total that a low hand could tie.
        crossed = BUSTED != high == dealer_low or BUSTED != dealer_high == low
        if crossed and not ties:
            used = together(used, self._pairs_ruling)
            ties = int(self._any_pair)
        shown = _shown(high, low, dealer_high, dealer_low)
        cites = ("663a.7(e)(1)",)
        if not ties:
            return Verdict(
                rules_pb2.OUTCOME_LOSE, pb.LINE_REASON_NO_TIE, None, shown, cites, used)
        reason = pb.LINE_REASON_ONE_TIE if ties == 1 else pb.LINE_REASON_BOTH_TIE
        return Verdict(rules_pb2.OUTCOME_WIN, reason, self._odds[ties - 1], shown, cites,
                       together(used, self._odds_ruling))


class PokerBonus:
    """All five cards as a poker hand, from the pair that the pay table begins with."""

    def __init__(self, rules: "FiveCardHiLoRules", rulings: HouseRulings) -> None:
        self._lowest_pair = rules.poker_bonus_pair
        ruling = rulings.table("poker_bonus_table")
        self._won: dict[PokerCategory, Verdict] = {
            pay.category: Verdict(
                rules_pb2.OUTCOME_WIN, pb.LINE_REASON_POKER_MADE, ratio(pay.odds),
                _poker_shown(pay.category), POKER_BONUS_CITES, ruling,
            )
            for pay in rules.poker_bonus_pay_table
        }
        self._nothing = _poker_lost(rules_pb2.POKER_CATEGORY_HIGH_CARD, ())
        self._pairs = {rank: self._pair(rank, ruling) for rank in range(2, 15)}

    def judge(self, category: "PokerCategory", rank: int) -> Verdict:
        """Return the verdict on a poker hand; `rank` is that of a pair, 2 to 14 (ace)."""
        if category == rules_pb2.POKER_CATEGORY_HIGH_CARD:
            return self._nothing
        if category == rules_pb2.POKER_CATEGORY_PAIR:
            return self._pairs[rank]
        return self._won[category]

    def _pair(self, rank: int, ruling: tuple[str, ...]) -> Verdict:
        """A pair, with its rank; one that wins under no pay table loses by no ruling."""
        if rank >= self._lowest_pair:
            verdict = self._won[rules_pb2.POKER_CATEGORY_PAIR]
        else:
            used = ruling if rank >= LOWEST_PAIR else ()
            verdict = _poker_lost(rules_pb2.POKER_CATEGORY_PAIR, used)
        ranks = Comparison(pb.MEASURE_PAIR_RANK, rank, self._lowest_pair)
        return replace(verdict, comparisons=(*verdict.comparisons, ranks))


def _house_way_key(
    rules: "FiveCardHiLoRules", totals: Totals
) -> Callable[[int, int], tuple[int, ...]]:
    """How good a split is: of two totals, a tuple of which the greatest is set.

    A valid high hand goes before all; busted ones are equally high.
    """
    high_scores, low_scores = rules.high_scores, rules.low_scores

    def scored(high: int, low: int) -> tuple[int, ...]:
        compared, better_low = totals.compared(high), totals.goodness(low)
        score = 0 if totals.busted(high) else _score(high_scores, high)
        return not totals.busted(high), score + _score(low_scores, low), compared, better_low

    def high_first(high: int, low: int) -> tuple[int, ...]:
        return not totals.busted(high), totals.compared(high), totals.goodness(low)

    def low_first(high: int, low: int) -> tuple[int, ...]:
        return not totals.busted(high), totals.goodness(low), totals.compared(high)

    ways = {
        rules_pb2.HOUSE_WAY_SCORED: scored,
        rules_pb2.HOUSE_WAY_HIGH_FIRST: high_first,
        rules_pb2.HOUSE_WAY_LOW_FIRST: low_first,
    }
    return ways[rules.house_way]


def _score(steps: Sequence["ScoreStep"], total: int) -> int:
    """Score of the first step that the total does not exceed."""
    return next(step.score for step in steps if total <= step.up_to)


def _picker(places: tuple[int, ...]) -> Callable[[Sequence["Card"]], tuple["Card", ...]]:
    if len(places) == 1:
        return lambda cards: (cards[places[0]],)
    return itemgetter(*places)


def _has_ace(tally: int) -> bool:
    return hands.ACE_SLOT in hands.slots(tally)


def _sign(difference: int) -> int:
    return (difference > 0) - (difference < 0)


def _shown(high: int, low: int, dealer_high: int, dealer_low: int) -> tuple[Comparison, ...]:
    return (
        Comparison(pb.MEASURE_HIGH_TOTAL, high, dealer_high),
        Comparison(pb.MEASURE_LOW_TOTAL, low, dealer_low),
    )


def _poker_shown(category: "PokerCategory") -> tuple[Comparison, ...]:
    lowest = rules_pb2.POKER_CATEGORY_PAIR
    return (Comparison(pb.MEASURE_POKER_CATEGORY, category, lowest),)


def _poker_lost(category: "PokerCategory", rulings: tuple[str, ...]) -> Verdict:
    return Verdict(rules_pb2.OUTCOME_LOSE, pb.LINE_REASON_POKER_NOT_MADE, None,
                   _poker_shown(category), POKER_BONUS_CITES, rulings)


def _foul(paragraph: str, rulings: tuple[str, ...]) -> Verdict:
    return Verdict(
        rules_pb2.OUTCOME_LOSE, pb.LINE_REASON_FOUL, None, (), (paragraph,), rulings)

