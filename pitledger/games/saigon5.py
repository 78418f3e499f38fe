"""Saigon 5 Card (58 Pa. Code chapter 680a).

Constants here are what was read in the Code: five cards set as three and two, the totals that
qualify, the Ante's table, two pair for the Bonus, the order of settlement. Points, odds, pay table
and what the Code leaves open come from the submission.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    Line,
    Pot,
    Settlement,
    Split,
    Standing,
)
from pitledger.games.lines import House, OutOfPlay, Verdict, in_paying_order, ratio
from pitledger.games.pot import PotRules
from pitledger.games.rulings import HouseRulings, together
from pitledger.pb import decisions_pb2 as pb
from pitledger.pb import money_pb2, rules_pb2

if TYPE_CHECKING:
    from pitledger.cards import Card
    from pitledger.pb.decisions_pb2 import LineReason, SetBy
    from pitledger.pb.rules_pb2 import Outcome, PokerCategory, RulesSubmission, Saigon5Rules

KINDS = (money_pb2.WAGER_KIND_ANTE, money_pb2.WAGER_KIND_BONUS, money_pb2.WAGER_KIND_POT)
SPLIT_SIZES = (3, 2)

QUALIFYING_TOTALS = (10, 20, 30)
"""680a.11(b), (c)."""

BEST_COUNT = 10
HALF_PAY_COUNT = 5
"""The Point Count that is paid by 680a.12(b)."""

LOWEST_BONUS = rules_pb2.POKER_CATEGORY_TWO_PAIR
"""680a.11(e)."""


def _sister(paragraph: str) -> tuple[str, ...]:
    return (f"680a.7 (not read; wording of 663a.7({paragraph}))",)


CITATIONS: Mapping[str, tuple[str, ...]] = {
    "instrument": _sister("a"),
    "verbal": _sister("a"),
    "seat": _sister("b"),
    "closed": _sister("c"),
    "ante": ("680a.1",),
    "side_wager": ("680a.1",),
    "adjacent": (),
    "set_order": (),
    "abandoned": _sister("b"),
    "set": ("680a.11(b)",),
    "dealer_exposes": ("680a.11(c)",),
    "deal": ("680a.9",),
    "stub": ("680a.9",),
    "pot": ("680a.1",),
}


def point_count(total: int) -> int:
    """Point Count of a two-card total: its last digit, 10 for a 0. 10 is best."""
    return total % BEST_COUNT or BEST_COUNT


@dataclass(frozen=True, slots=True)
class Part:
    """A three-card or a two-card hand with its jokers as they count.

    `joker_points`: what the joker counts; the sum of both if two jokers were let stand.
    `worth`: of a three-card hand 1 if it qualifies, else 0; of a two-card hand its Point Count.
    """

    total: int
    joker_points: int
    worth: int


@dataclass(frozen=True, slots=True)
class Way:
    """How cards of one tally are best set; the cards are taken from `hands.in_order`."""

    pick_first: Callable[[Sequence["Card"]], tuple["Card", ...]]
    pick_second: Callable[[Sequence["Card"]], tuple["Card", ...]]
    first: Part
    second: Part
    forced: bool  # it qualifies, and all its legal splits show this Point Count

    @property
    def worth(self) -> tuple[int, int]:
        """Whether it qualifies, then the Point Count: the greater the better."""
        return self.first.worth, self.second.worth


class Saigon5:
    """The game under one submission, which has no problem."""

    deck = decks.DECK_53
    kinds = KINDS
    split_sizes = SPLIT_SIZES
    larger_ante_sets_first = False
    citations = CITATIONS

    def __init__(self, submission: "RulesSubmission") -> None:
        self.submission = submission
        rules = submission.saigon5
        rulings = HouseRulings(submission)
        out_of_play = OutOfPlay(rulings, CITATIONS["abandoned"])
        self._evaluator = Evaluator(rules, rulings)
        self._ante = Ante(rules, rulings)
        self._bonus = Bonus(rules, rulings)
        self._out_of_play = out_of_play
        self._house = House(submission, rulings)
        self._pot = PotRules(submission, rulings, out_of_play)
        self.evaluate = self._evaluator.evaluate

    def settle(
        self, circles: Sequence[Circle], hands: Mapping[int, EvaluatedHand],
        dealer: EvaluatedHand, standing: Mapping[int, Standing],
    ) -> Settlement:
        """Settle Ante, then Bonus, of each player (680a.11(d), (e)), and last the Pot (f)."""
        ordered = in_paying_order(circles, KINDS)
        judged = [
            (circle, self._judge(circle, hands, dealer, standing))
            for circle in ordered if circle.kind != money_pb2.WAGER_KIND_POT
        ]
        lines = self._house.lines(judged)
        pot_circles = [circle for circle in ordered if circle.kind == money_pb2.WAGER_KIND_POT]
        pot: Pot | None = None
        if pot_circles:
            pot_lines: list[Line]
            pot_lines, pot = self._pot.settle(pot_circles, hands, standing)
            lines += pot_lines
        return Settlement(tuple(lines), pot)

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
        else:
            verdict = self._bonus.judge(hand.poker)
        if stands:
            verdict = verdict.with_rulings(self._out_of_play.rulings(stands))
        return verdict


class Evaluator:
    """Sets and judges hands. What a tally is worth is worked out once."""

    def __init__(self, rules: "Saigon5Rules", rulings: HouseRulings) -> None:
        points = rules.card_points
        splits = _splits(
            hands.points_by_slot(points.ace, points.face), tuple(rules.joker_points))
        self.way, self._three, self._two = splits.way, splits.three, splits.two
        self._as_set = rules.player_split == rules_pb2.PLAYER_SPLIT_AS_SET
        self._cards_speak = rules.misset_hand == rules_pb2.MISSET_HAND_CARDS_SPEAK
        points_ruling = rulings.table("card_points")
        self._base = points_ruling
        self._base_joker = together(points_ruling, rulings.table("joker_points"))
        self._player_split = rulings.choice(
            "player_split", rules_pb2.PlayerSplit, rules.player_split)
        self._misset = together(self._player_split, rulings.choice(
            "misset_hand", rules_pb2.MissetHand, rules.misset_hand))
        self._dealer_split = rulings.choice(
            "dealer_split", rules_pb2.DealerSplit, rules.dealer_split)

    def evaluate(
        self, position: int, cards: tuple["Card", ...], split: Split | None
    ) -> EvaluatedHand:
        """Judge five cards as the submission sets them."""
        way = self.way(hands.tally(cards))
        if split is None:
            rulings = self._split_rulings(position, way)
            return self._set_by_way(position, cards, way, pb.SET_BY_RULE, rulings)
        first = self._three(hands.tally(split.first))
        second = self._two(hands.tally(split.second))
        worth = first.worth, second.worth
        if worth == way.worth:
            return self._hand(position, cards, split, pb.SET_BY_PLAYER, first, second, (), False)
        if position == DEALER or not self._as_set:
            # A player's set that was put aside was so by the ruling, whatever choice there was.
            over_player = position != DEALER
            rulings = self._player_split if over_player else self._split_rulings(position, way)
            return self._set_by_way(position, cards, way, pb.SET_BY_CORRECTION, rulings)
        misset = way.first.worth > first.worth
        if misset and self._cards_speak:
            return self._set_by_way(position, cards, way, pb.SET_BY_CORRECTION, self._misset)
        rulings = self._misset if misset else self._player_split
        return self._hand(position, cards, split, pb.SET_BY_PLAYER, first, second, rulings, misset)

    def _split_rulings(self, position: int, way: Way) -> tuple[str, ...]:
        """Rulings of a hand set by rule; without a choice between splits the Code sets it."""
        if way.forced:
            return ()
        if position == DEALER:
            # A dealer's hand that does not qualify shows no Point Count (680a.11(c)(2)).
            return self._dealer_split if way.first.worth else ()
        return self._player_split

    def _set_by_way(
        self, position: int, cards: tuple["Card", ...], way: Way, set_by: "SetBy",
        rulings: tuple[str, ...],
    ) -> EvaluatedHand:
        ordered = hands.in_order(cards)
        split = Split(way.pick_first(ordered), way.pick_second(ordered))
        return self._hand(position, cards, split, set_by, way.first, way.second, rulings, False)

    def _hand(
        self, position: int, cards: tuple["Card", ...], split: Split, set_by: "SetBy",
        first: Part, second: Part, rulings: tuple[str, ...], misset: bool,
    ) -> EvaluatedHand:
        ranked = poker.rank_hand(cards)
        base = self._base_joker if ranked.joker else self._base
        return EvaluatedHand(
            position, split, set_by, first.total, second.total,
            first.joker_points + second.joker_points, first.worth == 1, second.worth, misset,
            False, False, ranked.category, ranked.rank, ranked.joker,
            base + rulings if base else rulings,
        )


class Splits:
    """What a hand's parts are worth and how it is set best, each tally worked out once."""

    def __init__(self, points: tuple[int, ...], joker_points: tuple[int, ...]) -> None:
        self._points = points
        self._joker_points = joker_points
        self.way: Callable[[int], Way] = cache(self._way)
        self.three: Callable[[int], Part] = cache(self._three_cards)
        self.two: Callable[[int], Part] = cache(self._two_cards)

    def _way(self, tally: int) -> Way:
        """Best set: qualifying, then the highest Point Count, then first by `hands.in_order`."""
        slots = hands.slots(tally)
        best: Way | None = None
        qualifying_counts = set()
        for second in combinations(range(hands.HAND_SIZE), 2):
            first = tuple(i for i in range(hands.HAND_SIZE) if i not in second)
            three = self.three(_tally_of_slots([slots[i] for i in first]))
            two = self.two(_tally_of_slots([slots[i] for i in second]))
            if three.worth:
                qualifying_counts.add(two.worth)
            if best is None or (three.worth, two.worth) > best.worth:
                best = Way(itemgetter(*first), itemgetter(*second), three, two, False)
        assert best is not None
        return Way(best.pick_first, best.pick_second, best.first, best.second,
                   len(qualifying_counts) == 1)

    def _three_cards(self, tally: int) -> Part:
        """A joker counts what makes the hand qualify, if anything; then the most."""
        natural, totals = self._totals(tally)
        return max(
            (Part(total, total - natural, int(total in QUALIFYING_TOTALS)) for total in totals),
            key=lambda part: (part.worth, part.total),
        )

    def _two_cards(self, tally: int) -> Part:
        """A joker counts what shows the highest Point Count; then the most."""
        natural, totals = self._totals(tally)
        return max(
            (Part(total, total - natural, point_count(total)) for total in totals),
            key=lambda part: (part.worth, part.total),
        )

    def _totals(self, tally: int) -> tuple[int, set[int]]:
        """Total without jokers, and every total that the jokers allow."""
        slots = hands.slots(tally)
        natural = sum(self._points[slot] for slot in slots)
        totals = {natural}
        for _ in range(slots.count(hands.JOKER_SLOT)):
            totals = {total + points for total in totals for points in self._joker_points}
        return natural, totals


@lru_cache(maxsize=64)
def _splits(points: tuple[int, ...], joker_points: tuple[int, ...]) -> Splits:
    """Shared by all submissions that count cards alike."""
    return Splits(points, joker_points)


class Ante:
    """680a.11(d), with the payouts of 680a.12(a) and (b)."""

    def __init__(self, rules: "Saigon5Rules", rulings: HouseRulings) -> None:
        self._odds = ratio(rules.ante_odds)
        self._odds_five = ratio(rules.ante_odds_five)
        self._odds_ruling = rulings.value("ante_odds", self._odds)
        self._odds_five_ruling = rulings.value("ante_odds_five", self._odds_five)
        self._misset_loses = rules.misset_hand == rules_pb2.MISSET_HAND_LOSE
        self._player_split = rulings.choice(
            "player_split", rules_pb2.PlayerSplit, rules.player_split)
        self._cached = lru_cache(maxsize=4096)(self._verdict)

    def judge(self, hand: EvaluatedHand, dealer: EvaluatedHand) -> Verdict:
        """Compare a player's hand with the dealer's."""
        return self._cached(
            hand.qualifies, hand.point_count, hand.misset, hand.rulings,
            dealer.qualifies, dealer.point_count, dealer.rulings,
        )

    def _verdict(
        self, qualifies: bool, count: int, misset: bool, rulings: tuple[str, ...],
        dealer_qualifies: bool, dealer_count: int, dealer_rulings: tuple[str, ...],
    ) -> Verdict:
        if misset and self._misset_loses:
            return _plain(rules_pb2.OUTCOME_LOSE, pb.LINE_REASON_MISSET, "(b)(1)", rulings)
        if not qualifies and not misset:
            # No split of it would qualify, so the Ante does not depend on how it was set.
            rulings = tuple(ruling for ruling in rulings if ruling not in self._player_split)
        both = together(rulings, dealer_rulings)
        match dealer_qualifies, qualifies:
            case False, False:
                reason = pb.LINE_REASON_NEITHER_QUALIFIES
                return _plain(rules_pb2.OUTCOME_RETURN, reason, "(d)(1)(i)", both)
            case False, True:
                paragraph = "(d)(1)(ii)(B)" if count == HALF_PAY_COUNT else "(d)(1)(ii)(A)"
                return self._win(
                    pb.LINE_REASON_ONLY_PLAYER_QUALIFIES, paragraph, count, (), both)
            case True, False:
                reason = pb.LINE_REASON_ONLY_DEALER_QUALIFIES
                return _plain(rules_pb2.OUTCOME_LOSE, reason, "(d)(2)(i)", both)
        shown = (Comparison(pb.MEASURE_POINT_COUNT, count, dealer_count),)
        if dealer_count > count:
            return _plain(rules_pb2.OUTCOME_LOSE, pb.LINE_REASON_DEALER_HIGHER,
                          "(d)(2)(ii)(A)", both, shown)
        if dealer_count < count:
            return self._win(pb.LINE_REASON_DEALER_LOWER, "(d)(2)(ii)(B)", count, shown, both)
        return _plain(rules_pb2.OUTCOME_RETURN, pb.LINE_REASON_EQUAL, "(d)(2)(ii)(C)", both, shown)

    def _win(
        self, reason: "LineReason", paragraph: str, count: int,
        shown: tuple[Comparison, ...], rulings: tuple[str, ...],
    ) -> Verdict:
        if count == HALF_PAY_COUNT:
            odds, ruling, pays = self._odds_five, self._odds_five_ruling, "680a.12(b)"
        else:
            odds, ruling, pays = self._odds, self._odds_ruling, "680a.12(a)"
        cites = ("680a.11" + paragraph, pays)
        return Verdict(
            rules_pb2.OUTCOME_WIN, reason, odds, shown, cites, together(rulings, ruling))


class Bonus:
    """680a.11(e): all five cards as a poker hand, however they were set."""

    def __init__(self, rules: "Saigon5Rules", rulings: HouseRulings) -> None:
        ruling = rulings.table("bonus_pay_table")
        self._verdicts: dict[PokerCategory, Verdict] = {
            category: Verdict(
                rules_pb2.OUTCOME_LOSE, pb.LINE_REASON_POKER_NOT_MADE, None,
                _bonus_shown(category), ("680a.11(e)(1)",),
            )
            for category in (rules_pb2.POKER_CATEGORY_HIGH_CARD, rules_pb2.POKER_CATEGORY_PAIR)
        }
        for pay in rules.bonus_pay_table:
            self._verdicts[pay.category] = Verdict(
                rules_pb2.OUTCOME_WIN, pb.LINE_REASON_POKER_MADE, ratio(pay.odds),
                _bonus_shown(pay.category), ("680a.11(e)(2)", "680a.6(c)", "680a.12(c)"), ruling,
            )

    def judge(self, category: "PokerCategory") -> Verdict:
        """Return the verdict on a poker hand of this category."""
        return self._verdicts[category]


def _bonus_shown(category: "PokerCategory") -> tuple[Comparison, ...]:
    return (Comparison(pb.MEASURE_POKER_CATEGORY, category, LOWEST_BONUS),)


def _plain(
    outcome: "Outcome", reason: "LineReason", paragraph: str, rulings: tuple[str, ...],
    shown: tuple[Comparison, ...] = (),
) -> Verdict:
    return Verdict(outcome, reason, None, shown, ("680a.11" + paragraph,), rulings)


def _tally_of_slots(slots: Sequence[int]) -> int:
    return sum(hands.SLOT_TALLY[slot] for slot in slots)

