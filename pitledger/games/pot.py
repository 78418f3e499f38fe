"""The Pot of Saigon 5 Card: the players' own money, to the best two-card hand (680a.11(f))."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitledger.games.game import Circle, Comparison, EvaluatedHand, Line, Pot, Standing
from pitledger.games.lines import OutOfPlay, Verdict
from pitledger.games.rulings import HouseRulings, together
from pitledger.money import share_evenly
from pitledger.pb import decisions_pb2 as pb
from pitledger.pb import rules_pb2

if TYPE_CHECKING:
    from pitledger.pb.rules_pb2 import RulesSubmission

_CITES = ("680a.11(f)",)


@dataclass(frozen=True, slots=True)
class _Result:
    """Who won: `winners` and `shares` in settlement order."""

    best: int
    winners: tuple[int, ...]
    shares: dict[int, int]
    rulings: tuple[str, ...]


class PotRules:
    """Settles the Pot. Neither dealer nor house is a party, so its lines sum to zero."""

    def __init__(
        self, submission: "RulesSubmission", rulings: HouseRulings, out_of_play: OutOfPlay
    ) -> None:
        rules = submission.saigon5
        self._qualifiers_only = rules.pot_eligibility == rules_pb2.POT_ELIGIBILITY_QUALIFIERS
        self._misset_is_out = rules.misset_hand == rules_pb2.MISSET_HAND_LOSE
        self._last_first = (
            rules.pot_remainder == rules_pb2.POT_REMAINDER_LAST_IN_SETTLEMENT_ORDER
        )
        self._unit = submission.payout_unit_minor
        self._out_of_play = out_of_play
        self._eligibility = rulings.choice(
            "pot_eligibility", rules_pb2.PotEligibility, rules.pot_eligibility)
        self._without_winner = rulings.choice(
            "pot_without_winner", rules_pb2.PotWithoutWinner, rules.pot_without_winner)
        self._remainder = together(
            rulings.choice("pot_remainder", rules_pb2.PotRemainder, rules.pot_remainder),
            rulings.value("payout_unit_minor", self._unit),
        )

    def settle(
        self, circles: Sequence[Circle], hands: Mapping[int, EvaluatedHand],
        standing: Mapping[int, Standing],
    ) -> tuple[list[Line], Pot]:
        """Settle the Pot's circles, given in settlement order; there is at least one.

        A stake that goes back (void, or abandoned and returned) is no part of the Pot. One that is
        abandoned and losing stays in it, and its hand cannot win.
        """
        out = {
            circle.position: verdict for circle in circles
            if circle.position in standing
            and (verdict := self._out_of_play.verdict(standing[circle.position]))
        }
        inside = [
            circle for circle in circles
            if circle.position not in out
            or out[circle.position].outcome == rules_pb2.OUTCOME_LOSE
        ]
        candidates = [
            hands[circle.position] for circle in inside if circle.position not in out
        ]
        eligible = [hand for hand in candidates if self._may_win(hand)]
        result = self._share_out(inside, candidates, eligible)
        lines = [
            self._line(circle, out.get(circle.position), hands, standing, result)
            for circle in circles
        ]
        pot = Pot(
            amount=sum(circle.stake for circle in inside),
            best_point_count=result.best,
            eligible=tuple(hand.position for hand in eligible),
            shares=tuple(result.shares.items()),
            rulings=result.rulings,
        )
        return lines, pot

    def _may_win(self, hand: EvaluatedHand) -> bool:
        if hand.misset and self._misset_is_out:
            return False
        return hand.qualifies or not self._qualifiers_only

    def _share_out(
        self, inside: Sequence[Circle], candidates: Sequence[EvaluatedHand],
        eligible: Sequence[EvaluatedHand],
    ) -> _Result:
        # Who may win is a matter of the ruling only if some hand does not qualify.
        rulings = () if all(hand.qualifies for hand in candidates) else self._eligibility
        if not eligible:
            if inside:
                rulings = together(rulings, self._without_winner)
            return _Result(0, (), {circle.position: circle.stake for circle in inside}, rulings)
        amount = sum(circle.stake for circle in inside)
        best = max(hand.point_count for hand in eligible)
        winners = tuple(hand.position for hand in eligible if hand.point_count == best)
        parts = share_evenly(amount, len(winners), self._unit)
        if min(parts) < max(circle.stake for circle in inside):
            # So coarse a unit would take from one who shares the Pot: minor units do not.
            parts = share_evenly(amount, len(winners), 1)
        if parts[0] != parts[-1]:
            rulings = together(rulings, self._remainder)
        if self._last_first:
            parts.reverse()
        return _Result(best, winners, dict(zip(winners, parts, strict=True)), rulings)

    def _line(
        self, circle: Circle, out: Verdict | None, hands: Mapping[int, EvaluatedHand],
        standing: Mapping[int, Standing], result: _Result,
    ) -> Line:
        position, stake = circle.position, circle.stake
        in_pot = out is None or out.outcome == rules_pb2.OUTCOME_LOSE
        if in_pot and not result.winners:
            verdict = Verdict(rules_pb2.OUTCOME_RETURN, pb.LINE_REASON_POT_WITHOUT_WINNER,
                              citations=_CITES, rulings=result.rulings)
        elif out is None:
            verdict = self._judge(hands[position], result)
        else:
            verdict = out
        if out is not None:
            verdict = verdict.with_rulings(out.rulings)
        elif position in standing:
            verdict = verdict.with_rulings(self._out_of_play.rulings(standing[position]))
        profit = 0
        if verdict.outcome != rules_pb2.OUTCOME_RETURN:
            profit = result.shares.get(position, 0) - stake
        return Line(position, circle.kind, pb.COUNTERPARTY_POT, stake, verdict.outcome,
                    verdict.reason, None, profit, profit, verdict.comparisons, verdict.citations,
                    verdict.rulings)

    def _judge(self, hand: EvaluatedHand, result: _Result) -> Verdict:
        outcome = rules_pb2.OUTCOME_LOSE
        if hand.position in result.winners:
            outcome = rules_pb2.OUTCOME_WIN
            alone = len(result.winners) == 1
            reason = pb.LINE_REASON_POT_WON if alone else pb.LINE_REASON_POT_SHARED
        elif self._may_win(hand):
            reason = pb.LINE_REASON_POT_LOST
        else:
            reason = pb.LINE_REASON_POT_NOT_ELIGIBLE
        compared = Comparison(pb.MEASURE_TWO_CARD_COUNT, hand.point_count, result.best)
        return Verdict(outcome, reason, None, (compared,), _CITES,
                       together(hand.rulings, result.rulings))
