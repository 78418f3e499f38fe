"""What an adjustment asks for, whether it can be had, and the lines that it moves."""

from collections.abc import Sequence

from pitledger.cases.case import ACCEPTED
from pitledger.cases.round_money import HOUSE, POT, Line, Standing
from pitledger.cases.settlement import Settlement
from pitledger.pb import cases_pb2 as pb
from pitledger.pb import facts_pb2

PLAIN = facts_pb2.ADJUSTMENT_FORM_UNSPECIFIED
ROLL_BACK = facts_pb2.ADJUSTMENT_FORM_ROLL_BACK
RESETTLEMENT = facts_pb2.ADJUSTMENT_FORM_RESETTLEMENT


def problem(
    asked: facts_pb2.AdjustmentProposed, settlement: Settlement, standing: Standing
) -> pb.CaseRefusal:
    """ACCEPTED, or why it cannot be booked as money stands now."""
    if not asked.reason.strip():
        return pb.CASE_REFUSAL_TEXT_MISSING
    if asked.currency_code != settlement.currency:
        return pb.CASE_REFUSAL_OTHER_CURRENCY
    if asked.form == ROLL_BACK:
        refusal = _roll_back(asked.rolls_back_id, standing)
    elif asked.form == RESETTLEMENT:
        refusal = _resettlement(asked.circles, settlement, standing)
    else:
        refusal = _plain(asked, settlement, standing)
    if not refusal and not standing.fits(lines_of(asked, standing)):
        return pb.CASE_REFUSAL_AMOUNT_TOO_LARGE
    return refusal


def outlived(
    asked: facts_pb2.AdjustmentProposed, stands_on: str, standing: Standing
) -> pb.CaseRefusal:
    """A plain amount corrects the settlement that stood when it was proposed, and no later one:
    that may have set right the same already. The other forms say themselves what they are about.
    """
    if asked.form == PLAIN and standing.settled_by != stands_on:
        return pb.CASE_REFUSAL_ROLLED_BACK
    return ACCEPTED


def done_before(asked: facts_pb2.AdjustmentProposed, standing: Standing) -> str:
    """Of a roll-back: the posting that rolled the same back; "" if none did."""
    if asked.form != ROLL_BACK:
        return ""
    return standing.rolled_back.get(asked.rolls_back_id, "")


def lines_of(asked: facts_pb2.AdjustmentProposed, standing: Standing) -> list[Line]:
    """What it moves, in the order of positions and kinds."""
    if asked.form == ROLL_BACK:
        return standing.reversal()
    if asked.form == RESETTLEMENT:
        return sorted(
            ((one.position, one.kind, POT if one.from_pot else HOUSE), one.profit_minor)
            for one in asked.circles
        )
    return [((asked.position, asked.kind, HOUSE), asked.amount_minor)]


def posting(
    asked: facts_pb2.AdjustmentProposed, settlement: Settlement, standing: Standing
) -> pb.AdjustmentPosted:
    """Its money; each line is a transfer, and all of them sum to zero."""
    lines = lines_of(asked, standing)
    from_house = sum(amount for (_, _, counterparty), amount in lines if counterparty == HOUSE)
    to_positions = sum(amount for _, amount in lines)
    return pb.AdjustmentPosted(
        settlement_event_id=settlement.event_id,
        round_id=settlement.round_id,
        form=asked.form,
        rolls_back_id=asked.rolls_back_id,
        currency_code=settlement.currency,
        round_gaming_day=settlement.gaming_day,
        lines=[_line(line, standing) for line in lines],
        positions_net_minor=to_positions,
        house_net_minor=-from_house,
        pot_net_minor=from_house - to_positions,
    )


def book(
    asked: facts_pb2.AdjustmentProposed,
    standing: Standing,
    posting_id: str,
) -> None:
    """From here on the money of the round stands as the posting leaves it."""
    lines = lines_of(asked, standing)
    if asked.form == ROLL_BACK:
        standing.roll_back(posting_id)
    elif asked.form == RESETTLEMENT:
        standing.settle_anew(posting_id, lines)
    else:
        standing.adjust(lines)


def _line(line: Line, standing: Standing) -> pb.PostedLine:
    circle, amount = line
    position, kind, counterparty = circle
    return pb.PostedLine(
        position=position,
        kind=kind,  # type: ignore[arg-type]
        counterparty=counterparty,  # type: ignore[arg-type]
        amount_minor=amount,
        before_minor=standing.before(circle),
    )


def _plain(
    asked: facts_pb2.AdjustmentProposed, settlement: Settlement, standing: Standing
) -> pb.CaseRefusal:
    if asked.rolls_back_id or asked.circles:
        return pb.CASE_REFUSAL_OUTSIDE_VOCABULARY
    if asked.position not in settlement.positions:
        return pb.CASE_REFUSAL_NO_SUCH_POSITION
    if not asked.kind:
        return pb.CASE_REFUSAL_NO_SUCH_WAGER
    if not asked.amount_minor:
        return pb.CASE_REFUSAL_AMOUNT_NOT_DEFINITE
    return ACCEPTED if standing.settled_by else pb.CASE_REFUSAL_ROLLED_BACK


def _roll_back(target: str, standing: Standing) -> pb.CaseRefusal:
    if target and target in (standing.settled_by, *standing.rolled_back):
        return ACCEPTED
    return pb.CASE_REFUSAL_SETTLEMENT_UNKNOWN


def _resettlement(
    circles: "Sequence[facts_pb2.ResettledCircle]", settlement: Settlement, standing: Standing
) -> pb.CaseRefusal:
    if standing.settled_by:
        return pb.CASE_REFUSAL_NOT_ROLLED_BACK
    if not circles:
        return pb.CASE_REFUSAL_AMOUNT_NOT_DEFINITE
    if any(one.position not in settlement.positions for one in circles):
        return pb.CASE_REFUSAL_NO_SUCH_POSITION
    if not all(one.kind for one in circles):
        return pb.CASE_REFUSAL_NO_SUCH_WAGER
    if len({(one.position, one.kind) for one in circles}) < len(circles):
        return pb.CASE_REFUSAL_CIRCLE_REPEATED
    if sum(one.profit_minor for one in circles if one.from_pot):
        return pb.CASE_REFUSAL_POT_UNBALANCED
    return ACCEPTED
