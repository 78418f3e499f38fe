"""The settlement processor: answers supervisors, says what is paid, books a round's end.

58 Pa. Code 680a.11(d)-(f), 663a.7. Each payout and each outcome sums to zero.
"""

from typing import TYPE_CHECKING

from pitledger.games.game import Circle, Line, Settlement, Standing
from pitledger.games.lines import in_paying_order
from pitledger.pb import decisions_pb2 as pb
from pitledger.pb import money_pb2, rules_pb2
from pitledger.processors.answers import refused
from pitledger.processors.round import Hands, Round

if TYPE_CHECKING:
    from pitledger.games.game import Pot
    from pitledger.pb.facts_pb2 import AbandonmentRuled, RoundClosed, VoidOrdered


def answer_void(round_: Round, order: "VoidOrdered") -> pb.Answer | None:
    """Refuse a void of one position (None: accepted); a round's is always accepted."""
    if order.position == 0:
        return None
    if round_.terms.rules is None:
        return refused(pb.REFUSAL_RULES_INVALID)
    if round_.close is None:
        return refused(pb.REFUSAL_BETTING_OPEN)
    if not round_.takes_part(order.position):
        return refused(pb.REFUSAL_NO_HAND_THERE)
    if order.position in round_.void:
        return refused(pb.REFUSAL_ALREADY_VOID)
    return None


def answer_abandonment(round_: Round, ruling: "AbandonmentRuled") -> pb.Answer | None:
    """Refuse a ruling on a player who left (None: accepted; a later one replaces it)."""
    rules = round_.terms.rules
    if rules is None:
        return refused(pb.REFUSAL_RULES_INVALID)
    if round_.close is None:
        return refused(pb.REFUSAL_BETTING_OPEN)
    if not round_.takes_part(ruling.position):
        return refused(pb.REFUSAL_NO_HAND_THERE)
    if ruling.position in round_.void:
        return refused(pb.REFUSAL_HAND_VOID)
    if ruling.position not in round_.left:
        return refused(pb.REFUSAL_PLAYER_HAS_NOT_LEFT, rules.citations["abandoned"])
    if ruling.reading not in rules.submission.abandoned_wagers:
        return refused(pb.REFUSAL_READING_NOT_FILED, rules.citations["abandoned"])
    return None


def answer_round_closed(round_: Round, closed: "RoundClosed") -> pb.Answer | None:
    """Refuse to end a round that has no payout due, or whose last payout is another revision's."""
    if round_.terms.rules is None:
        return refused(pb.REFUSAL_RULES_INVALID)
    if round_.payout is None:
        return refused(pb.REFUSAL_NO_PAYOUT_DUE)
    if closed.revision != round_.revision:
        return refused(pb.REFUSAL_WRONG_REVISION, asked=closed.revision, limit=round_.revision)
    return None


def settle(round_: Round, hands: Hands | None) -> Settlement | None:
    """What is paid; None while the hands are not judged."""
    rules, close = round_.terms.rules, round_.close
    if rules is None or close is None or hands is None:
        return None
    touched = {p for p in close.order if p in round_.void or p in round_.abandoned}
    standing = {
        p: Standing(void=p in round_.void, abandoned=round_.abandoned.get(p)) for p in touched
    }
    players = {hand.position: hand for hand in hands.players}
    return rules.settle(close.circles, players, hands.dealer, standing)


def payout_due(round_: Round, payout: Settlement) -> pb.PayoutDue:
    """The decision's body."""
    return pb.PayoutDue(
        revision=round_.revision,
        lines=[_line(round_, line) for line in payout.lines],
        pot=_pot(payout.pot),
        totals=_totals(payout.lines),
    )


def round_settled(payout: pb.PayoutDue) -> pb.RoundSettled:
    """The decision's body: the last payout's lines, as they are."""
    return pb.RoundSettled(
        revision=payout.revision,
        lines=payout.lines,
        pot=payout.pot if payout.HasField("pot") else None,
        totals=payout.totals,
    )


def round_voided(round_: Round, reason: pb.VoidReason) -> pb.RoundVoided:
    """The decision's body: every stake goes back."""
    assert round_.close is not None
    kinds = round_.terms.rules.kinds if round_.terms.rules else ()
    circles = in_paying_order(round_.close.circles, kinds)
    lines = [_refund(circle) for circle in sorted(circles, key=_is_of_pot)]  # the Pot's last
    return pb.RoundVoided(
        lines=[_line(round_, line) for line in lines], totals=_totals(lines), reason=reason
    )


def _is_of_pot(circle: Circle) -> bool:
    return circle.kind == money_pb2.WAGER_KIND_POT


def _refund(circle: Circle) -> Line:
    return Line(
        position=circle.position,
        kind=circle.kind,
        counterparty=pb.COUNTERPARTY_POT if _is_of_pot(circle) else pb.COUNTERPARTY_HOUSE,
        stake=circle.stake,
        outcome=rules_pb2.OUTCOME_RETURN,
        reason=pb.LINE_REASON_ROUND_VOID,
        odds=None,
        uncut_profit=0,
        profit=0,
        comparisons=(),
        citations=(),
        rulings=(),
    )


def _line(round_: Round, line: Line) -> pb.SettlementLine:
    assert round_.close is not None
    message = pb.SettlementLine(
        position=line.position,
        kind=line.kind,
        wager_ids=round_.close.wager_ids[line.position, line.kind],
        counterparty=line.counterparty,
        stake_minor=line.stake,
        outcome=line.outcome,
        reason=line.reason,
        uncut_profit_minor=line.uncut_profit,
        profit_minor=line.profit,
        returned_minor=line.stake + line.profit,
        citations=line.citations,
        rulings=line.rulings,
    )
    if line.odds is not None:
        message.odds.win = line.odds.win
        message.odds.stake = line.odds.stake
    for made in line.comparisons:
        message.comparisons.add(measure=made.measure, player=made.player, other=made.other)
    return message


def _pot(pot: "Pot | None") -> pb.PotResult | None:
    if pot is None:
        return None
    return pb.PotResult(
        amount_minor=pot.amount,
        best_point_count=pot.best_point_count,
        eligible=pot.eligible,
        shares=[pb.PotShare(position=p, amount_minor=amount) for p, amount in pot.shares],
        rulings=pot.rulings,
    )


def _totals(lines: tuple[Line, ...] | list[Line]) -> pb.Totals:
    pot_net = -sum(line.profit for line in lines if line.counterparty == pb.COUNTERPARTY_POT)
    net = sum(line.profit for line in lines)
    staked = sum(line.stake for line in lines)
    return pb.Totals(
        staked_minor=staked,
        returned_minor=staked + net,
        positions_net_minor=net,
        house_net_minor=-net - pot_net,
        pot_net_minor=pot_net,
    )
