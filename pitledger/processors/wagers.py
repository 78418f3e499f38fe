"""The wagers processor: answers wagers and withdrawals, closes the betting.

58 Pa. Code 663a.7(a)-(f); 680a.1. Limits apply to a circle's sum: the maximum when a wager is asked
for, the minimum at the close. No request is refused for being under a minimum.
"""

from typing import TYPE_CHECKING

from pitledger.games.game import DEALER, Circle
from pitledger.money import INT64_MAX
from pitledger.pb import decisions_pb2 as pb
from pitledger.pb import money_pb2
from pitledger.processors.answers import refused
from pitledger.processors.round import Chips, Close, Returned, Round

if TYPE_CHECKING:
    from pitledger.games.game import Rules
    from pitledger.pb.facts_pb2 import WagerRequested, WagerWithdrawalRequested
    from pitledger.pb.money_pb2 import Stake, WagerKind

ANTE = money_pb2.WAGER_KIND_ANTE
POT = money_pb2.WAGER_KIND_POT
VERBAL_WITH_CASH = "verbal_with_cash"

ASKED_MAX = 16
"""Stakes or kinds in one request; a decision must not outgrow what a broker takes."""
REQUESTS_MAX = 100
"""Requests that one circle is made up of; for the same reason."""


def answer_wager(round_: Round, wager: "WagerRequested", event_id: str) -> pb.RequestAnswered:
    """Accept or refuse each stake in turn; what is accepted lies on its circle afterwards."""
    if len(wager.stakes) > ASKED_MAX:
        return _too_much()
    general = _refusal_of_request(round_, wager)
    if general is None:
        answers = [_answer_stake(round_, wager.position, stake, event_id) for stake in wager.stakes]
        return pb.RequestAnswered(answers=answers or [refused(pb.REFUSAL_NOTHING_ASKED)])
    if not wager.stakes:
        return pb.RequestAnswered(answers=[general])
    answer = pb.RequestAnswered()
    for stake in wager.stakes:
        item = answer.answers.add()
        item.CopyFrom(general)
        item.kind = stake.kind
        item.asked_minor = stake.amount_minor
    return answer


def answer_withdrawal(
    round_: Round, withdrawal: "WagerWithdrawalRequested"
) -> pb.RequestAnswered:
    """Give back whole circles; an Ante takes the position's side wagers with it."""
    if len(withdrawal.kinds) > ASKED_MAX:
        return _too_much()
    general = _refusal_of_person(round_, withdrawal.position, withdrawal.patron_id)
    if general is None and not withdrawal.kinds:
        general = refused(pb.REFUSAL_NOTHING_ASKED)
    answer = pb.RequestAnswered()
    if general is not None:
        for kind in withdrawal.kinds:
            item = answer.answers.add()
            item.CopyFrom(general)
            item.kind = kind
        return answer if withdrawal.kinds else pb.RequestAnswered(answers=[general])
    for kind in withdrawal.kinds:
        item = answer.answers.add(kind=kind)
        if (withdrawal.position, kind) not in round_.chips:
            item.refusal = pb.REFUSAL_NO_WAGER_THERE
            continue
        _give_back(round_, withdrawal.position, kind, pb.RETURN_REASON_WITHDRAWN, answer)
        if kind == ANTE:
            for other in sorted(k for p, k in round_.chips if p == withdrawal.position):
                reason = pb.RETURN_REASON_ANTE_WITHDRAWN
                _give_back(round_, withdrawal.position, other, reason, answer)
    return answer


def close_betting(round_: Round) -> Close:
    """Judge what lies on the layout: which circles stand, which chips go back and why."""
    if round_.terms.rules is None:
        return Close((), {}, (), (DEALER,))
    circles: list[Circle] = []
    returned: list[Returned] = []
    for position in sorted({position for position, _ in round_.chips}):
        _close_position(round_, round_.terms.rules, position, circles, returned)
    order = tuple(dict.fromkeys(circle.position for circle in circles))
    wager_ids = {(c.position, c.kind): round_.chips[c.position, c.kind].wager_ids for c in circles}
    return Close(tuple(circles), wager_ids, tuple(returned), (*order, DEALER))


def betting_closed(close: Close) -> pb.BettingClosed:
    """The decision's body."""
    body = pb.BettingClosed(
        pot_minor=sum(circle.stake for circle in close.circles if circle.kind == POT)
    )
    for circle in close.circles:
        body.circles.add(
            position=circle.position,
            kind=circle.kind,
            stake_minor=circle.stake,
            wager_ids=close.wager_ids[circle.position, circle.kind],
        )
    for chips in close.returned:
        body.returned.add(
            position=chips.position,
            kind=chips.kind,
            amount_minor=chips.amount,
            reason=chips.reason,
            limit_minor=chips.limit,
            citations=chips.citations,
        )
    return body


def _refusal_of_person(round_: Round, position: int, patron_id: str) -> pb.Answer | None:
    rules = round_.terms.rules
    if rules is None:
        return refused(pb.REFUSAL_RULES_INVALID)
    if not 1 <= position <= rules.submission.positions:
        return refused(pb.REFUSAL_NO_SUCH_POSITION)
    if round_.terms.seats.get(position) != patron_id:
        return refused(pb.REFUSAL_NOT_SEATED, rules.citations["seat"])
    if round_.close is not None:
        return refused(pb.REFUSAL_BETTING_CLOSED, rules.citations["closed"])
    return None


def _refusal_of_request(round_: Round, wager: "WagerRequested") -> pb.Answer | None:
    refusal = _refusal_of_person(round_, wager.position, wager.patron_id)
    rules = round_.terms.rules
    if refusal is not None or rules is None:
        return refusal
    if wager.instrument == VERBAL_WITH_CASH:
        return refused(pb.REFUSAL_VERBAL_WITH_CASH, rules.citations["verbal"])
    if wager.instrument not in rules.submission.accepted_instruments:
        return refused(pb.REFUSAL_INSTRUMENT_NOT_ACCEPTED, rules.citations["instrument"])
    return _refusal_of_second_position(round_, rules, wager)


def _refusal_of_second_position(
    round_: Round, rules: "Rules", wager: "WagerRequested"
) -> pb.Answer | None:
    """One patron plays one position, or two adjacent ones where that is filed (663a.7(f))."""
    seats = round_.terms.seats
    others = {
        position
        for position, _ in round_.chips
        if position != wager.position and seats[position] == wager.patron_id
    }
    if not others:
        return None
    if not rules.submission.adjacent_positions:
        return refused(pb.REFUSAL_SECOND_POSITION, rules.citations["adjacent"])
    if len(others) > 1 or abs(others.pop() - wager.position) != 1:
        return refused(pb.REFUSAL_POSITIONS_NOT_ADJACENT, rules.citations["adjacent"])
    return None


def _answer_stake(round_: Round, position: int, stake: "Stake", event_id: str) -> pb.Answer:
    rules = round_.terms.rules
    assert rules is not None
    limits = round_.offered(stake.kind)
    if limits is None:
        answer = refused(pb.REFUSAL_WAGER_NOT_OFFERED, rules.citations["side_wager"])
        answer.kind, answer.asked_minor = stake.kind, stake.amount_minor
        return answer
    if stake.amount_minor <= 0:
        return pb.Answer(
            kind=stake.kind,
            refusal=pb.REFUSAL_AMOUNT_NOT_POSITIVE,
            asked_minor=stake.amount_minor,
        )
    chips = round_.chips.get((position, stake.kind))
    total = stake.amount_minor + (chips.amount if chips else 0)
    if total > limits.maximum:
        return pb.Answer(
            kind=stake.kind,
            refusal=pb.REFUSAL_ABOVE_MAXIMUM,
            asked_minor=min(total, INT64_MAX),
            limit_minor=limits.maximum,
        )
    ids = chips.wager_ids if chips else ()
    if event_id not in ids:
        if len(ids) == REQUESTS_MAX:
            refusal = pb.REFUSAL_TOO_MANY_WAGERS
            asked = min(total, INT64_MAX)
            return pb.Answer(
                kind=stake.kind, refusal=refusal, asked_minor=asked, limit_minor=REQUESTS_MAX
            )
        ids = (*ids, event_id)
    round_.chips[position, stake.kind] = Chips(total, ids)
    return pb.Answer(kind=stake.kind, asked_minor=total)


def _too_much() -> pb.RequestAnswered:
    return pb.RequestAnswered(answers=[refused(pb.REFUSAL_TOO_MUCH_ASKED, limit=ASKED_MAX)])


def _give_back(
    round_: Round,
    position: int,
    kind: "WagerKind",
    reason: pb.ReturnReason,
    answer: pb.RequestAnswered,
) -> None:
    chips = round_.chips.pop((position, kind))
    answer.returned.add(position=position, kind=kind, amount_minor=chips.amount, reason=reason)


def _close_position(
    round_: Round,
    rules: "Rules",
    position: int,
    circles: list[Circle],
    returned: list[Returned],
) -> None:
    """A position plays with an Ante that stands and, where there is a Pot, its amount in it."""
    kinds = sorted(kind for p, kind in round_.chips if p == position)
    out = _left_out(round_, rules, position)
    for kind in kinds:
        amount = round_.chips[position, kind].amount
        reason, limit, citations = out or _fault(round_, rules, kind, amount) or _STANDS
        if reason == pb.RETURN_REASON_UNSPECIFIED:
            circles.append(Circle(position, kind, amount))
        else:
            returned.append(Returned(position, kind, amount, reason, limit, citations))


_Fault = tuple[pb.ReturnReason, int, tuple[str, ...]]
_STANDS: _Fault = (pb.RETURN_REASON_UNSPECIFIED, 0, ())


def _left_out(round_: Round, rules: "Rules", position: int) -> _Fault | None:
    """Why a whole position does not play."""
    ante = round_.chips.get((position, ANTE))
    if ante is None:
        return pb.RETURN_REASON_NO_ANTE, 0, rules.citations["ante"]
    fault = _fault(round_, rules, ANTE, ante.amount)
    if fault is not None:
        reason, limit, citations = fault
        if reason == pb.RETURN_REASON_BELOW_MINIMUM:
            return pb.RETURN_REASON_ANTE_BELOW_MINIMUM, limit, citations
        return pb.RETURN_REASON_ANTE_NOT_A_MULTIPLE, limit, citations
    if round_.offered(POT) is None:
        return None
    pot = round_.chips.get((position, POT))
    if pot is None:
        return pb.RETURN_REASON_POT_MISSING, round_.terms.pot_amount, rules.citations["pot"]
    if pot.amount != round_.terms.pot_amount:
        return pb.RETURN_REASON_POT_AMOUNT, round_.terms.pot_amount, rules.citations["pot"]
    return None


def _fault(round_: Round, rules: "Rules", kind: "WagerKind", amount: int) -> _Fault | None:
    limits = round_.terms.limits[kind]
    unit = rules.submission.wager_unit_minor
    if amount < limits.minimum:
        return pb.RETURN_REASON_BELOW_MINIMUM, limits.minimum, ()
    if amount % unit:
        return pb.RETURN_REASON_NOT_A_MULTIPLE, unit, ()
    return None
