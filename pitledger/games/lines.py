"""What both games do alike with a circle: paying order, hands out of play, payout and its limit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from pitledger.games.game import Circle, Comparison, Line, Standing
from pitledger.games.rulings import HouseRulings, together
from pitledger.games.submission_shapes import choice_name
from pitledger.money import Ratio, limit_in_order, limit_pro_rata, payout
from pitledger.pb import decisions_pb2 as pb
from pitledger.pb import rules_pb2

if TYPE_CHECKING:
    from pitledger.pb.decisions_pb2 import LineReason
    from pitledger.pb.money_pb2 import Odds, WagerKind
    from pitledger.pb.rules_pb2 import AbandonmentReading, Outcome, RulesSubmission


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a circle, whatever its stake. A win against the house has odds."""

    outcome: "Outcome"
    reason: "LineReason"
    odds: Ratio | None = None
    comparisons: tuple[Comparison, ...] = ()
    citations: tuple[str, ...] = ()
    rulings: tuple[str, ...] = ()

    def with_rulings(self, rulings: tuple[str, ...]) -> "Verdict":
        """Return the same verdict with these rulings added."""
        return Verdict(self.outcome, self.reason, self.odds, self.comparisons, self.citations,
                       together(self.rulings, rulings))


def ratio(odds: "Odds") -> Ratio:
    """Odds of a submission."""
    return Ratio(odds.win, odds.stake)


def in_paying_order(circles: Iterable[Circle], kinds: Sequence["WagerKind"]) -> list[Circle]:
    """Sort circles from the player farthest to the dealer's right, each player's as in `kinds`."""
    place = {kind: index for index, kind in enumerate(kinds)}
    return sorted(circles, key=lambda circle: (-circle.position, place[circle.kind]))


class OutOfPlay:
    """Verdicts on hands that are void or whose player left."""

    def __init__(self, rulings: HouseRulings, citations: tuple[str, ...]) -> None:
        self._void = Verdict(rules_pb2.OUTCOME_RETURN, pb.LINE_REASON_HAND_VOID)
        self._rulings: dict[AbandonmentReading, tuple[str, ...]] = {
            reading: rulings.choice("abandoned_wagers", rules_pb2.AbandonmentReading, reading)
            for reading in (rules_pb2.ABANDONMENT_READING_PLAYS,
                            rules_pb2.ABANDONMENT_READING_LOSING,
                            rules_pb2.ABANDONMENT_READING_RETURNED)
        }
        self._losing = Verdict(
            rules_pb2.OUTCOME_LOSE, pb.LINE_REASON_ABANDONED_LOSING, citations=citations,
            rulings=self._rulings[rules_pb2.ABANDONMENT_READING_LOSING],
        )
        self._returned = Verdict(
            rules_pb2.OUTCOME_RETURN, pb.LINE_REASON_ABANDONED_RETURNED, citations=citations,
            rulings=self._rulings[rules_pb2.ABANDONMENT_READING_RETURNED],
        )

    def verdict(self, standing: Standing) -> Verdict | None:
        """Return what becomes of each circle of the position; None: it plays."""
        if standing.void:
            return self._void
        if standing.abandoned == rules_pb2.ABANDONMENT_READING_LOSING:
            return self._losing
        if standing.abandoned == rules_pb2.ABANDONMENT_READING_RETURNED:
            return self._returned
        return None

    def rulings(self, standing: Standing) -> tuple[str, ...]:
        """Return the ruling under which the hand of a player who left plays."""
        return self._rulings.get(standing.abandoned, ()) if standing.abandoned else ()


class House:
    """Pays and takes against the house: odds, rounding, and the limit over all its payouts."""

    def __init__(self, submission: "RulesSubmission", rulings: HouseRulings) -> None:
        self._unit = submission.payout_unit_minor
        self._rounding = submission.payout_rounding
        limit = submission.payout_limit
        self._scope = limit.scope
        self._limit = limit.amount_minor
        self._cut = (
            limit_pro_rata if limit.allocation == rules_pb2.PAYOUT_LIMIT_ALLOCATION_PRO_RATA
            else limit_in_order
        )
        self._rounded = together(
            rulings.value("payout_unit_minor", self._unit),
            rulings.choice("payout_rounding", rules_pb2.PayoutRounding, self._rounding),
        )
        self._limited = self._limit_ruling(rulings)

    def lines(self, judged: Sequence[tuple[Circle, Verdict]]) -> list[Line]:
        """One line for each circle, in the order given, which is the paying order."""
        uncut = [
            payout(circle.stake, verdict.odds, self._unit, self._rounding) if verdict.odds else 0
            for circle, verdict in judged
        ]
        paid = self._within_limit(judged, uncut)
        return [
            self._line(circle, verdict, full, cut)
            for (circle, verdict), full, cut in zip(judged, uncut, paid, strict=True)
        ]

    def _within_limit(
        self, judged: Sequence[tuple[Circle, Verdict]], uncut: list[int]
    ) -> list[int]:
        """Profits on winning lines after the aggregate payout limit; it never cuts a stake."""
        if self._scope == rules_pb2.PAYOUT_LIMIT_SCOPE_NONE or sum(uncut) <= self._limit:
            return uncut
        if self._scope == rules_pb2.PAYOUT_LIMIT_SCOPE_ROUND:
            return self._cut(uncut, self._limit)
        paid: list[int] = []
        for _, hand in groupby(zip(judged, uncut, strict=True), key=lambda e: e[0][0].position):
            paid += self._cut([full for _, full in hand], self._limit)
        return paid

    def _line(self, circle: Circle, verdict: Verdict, uncut: int, paid: int) -> Line:
        stake, odds, rulings = circle.stake, verdict.odds, verdict.rulings
        if odds:
            if stake * odds.win % (odds.stake * self._unit):
                rulings = together(rulings, self._rounded)
            if paid < uncut:
                rulings = together(rulings, self._limited)
        elif verdict.outcome == rules_pb2.OUTCOME_LOSE:
            uncut = paid = -stake
        return Line(circle.position, circle.kind, pb.COUNTERPARTY_HOUSE, stake, verdict.outcome,
                    verdict.reason, odds, uncut, paid, verdict.comparisons, verdict.citations,
                    rulings)

    def _limit_ruling(self, rulings: HouseRulings) -> tuple[str, ...]:
        """`aggregate_payout_limit=5000000/round/pro_rata`."""
        if self._scope == rules_pb2.PAYOUT_LIMIT_SCOPE_NONE:
            return ()
        cut = "pro_rata" if self._cut is limit_pro_rata else "settlement_order"
        scope = choice_name(rules_pb2.PayoutLimitScope.DESCRIPTOR, self._scope)
        return rulings.value("aggregate_payout_limit", f"{self._limit}/{scope}/{cut}")
