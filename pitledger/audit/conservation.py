"""Money laws that hold of a recorded decision by itself, whatever the cards were."""

from collections.abc import Iterator, Sequence

from pitledger.audit.circles import POT, Circle
from pitledger.pb import decisions_pb2 as decisions
from pitledger.pb import rules_pb2 as rules
from pitledger.pb.journal_pb2 import JournalRecord


def unsound(record: JournalRecord, circles: Sequence[Circle]) -> Iterator[str]:
    """Each law that the lines of a payout, a settlement or a void break."""
    match record.WhichOneof("body"):
        case "payout_due":
            yield from _lines(record.payout_due.lines, record.payout_due.totals, circles)
        case "round_settled":
            yield from _lines(record.round_settled.lines, record.round_settled.totals, circles)
        case "round_voided":
            lines = record.round_voided.lines
            yield from _lines(lines, record.round_voided.totals, circles)
            if any(line.returned_minor != line.stake_minor for line in lines):
                yield "a void gives back another amount than was staked"


def _lines(
    lines: Sequence[decisions.SettlementLine],
    totals: decisions.Totals,
    circles: Sequence[Circle],
) -> Iterator[str]:
    named = sorted((line.position, line.kind, line.stake_minor) for line in lines)
    if named != sorted((circle.position, circle.kind, circle.stake) for circle in circles):
        yield "the lines are not one for each circle, with its stake"
    for line in lines:
        place = f"position {line.position}, kind {line.kind}"
        if line.returned_minor != line.stake_minor + line.profit_minor:
            yield f"{place}: returned is not stake plus profit"
        if line.returned_minor < 0:
            yield f"{place}: returned is below zero"
        if line.outcome == rules.OUTCOME_LOSE and line.returned_minor != 0:
            yield f"{place}: lost, and something is returned"
        if line.outcome == rules.OUTCOME_RETURN and line.profit_minor != 0:
            yield f"{place}: returned, and not the stake"
    in_pot = [line for line in lines if line.kind == POT]
    if sum(line.profit_minor for line in in_pot) != 0:
        yield "the Pot is not conserved"
    net = sum(line.profit_minor for line in lines)
    if totals.staked_minor != sum(line.stake_minor for line in lines):
        yield "the total staked is not the sum of the stakes"
    if totals.returned_minor != sum(line.returned_minor for line in lines):
        yield "the total returned is not the sum of what is returned"
    if totals.positions_net_minor != net:
        yield "what the positions won is not the sum of the profits"
    if totals.positions_net_minor + totals.house_net_minor + totals.pot_net_minor != 0:
        yield "the money does not sum to zero"
