"""Odds, rounding and the payout limit, in whole minor units."""

from collections.abc import Sequence

from pitledger.pb import money_pb2, rules_pb2


def priced(stake: int, odds: money_pb2.Odds, unit: int, rounding: int) -> int:
    """What `stake` earns at `odds`: a multiple of `unit`, found by looking at both neighbours.

    Compared is the exact amount `stake * win`, in parts of one over `odds.stake`.
    """
    exact = stake * odds.win
    below = exact // (odds.stake * unit) * unit
    if below * odds.stake == exact or rounding == rules_pb2.PAYOUT_ROUNDING_DOWN:
        return below
    above = below + unit
    if rounding == rules_pb2.PAYOUT_ROUNDING_UP:
        return above
    nearer_below = exact - below * odds.stake < above * odds.stake - exact
    return below if nearer_below else above


def limited(
    profits: Sequence[int], positions: Sequence[int], limit: rules_pb2.PayoutLimit
) -> list[int]:
    """Profits in paying order, cut to the aggregate limit of the round or of each hand."""
    if limit.scope == rules_pb2.PAYOUT_LIMIT_SCOPE_NONE:
        return list(profits)
    paid = list(profits)
    whole_round = limit.scope == rules_pb2.PAYOUT_LIMIT_SCOPE_ROUND
    groups = [set(positions)] if whole_round else [{place} for place in set(positions)]
    for group in groups:
        places = [index for index, position in enumerate(positions) if position in group]
        cut = _cut([profits[index] for index in places], limit)
        for index, amount in zip(places, cut, strict=True):
            paid[index] = amount
    return paid


def _cut(profits: list[int], limit: rules_pb2.PayoutLimit) -> list[int]:
    total = sum(profits)
    if total <= limit.amount_minor:
        return profits
    if limit.allocation == rules_pb2.PAYOUT_LIMIT_ALLOCATION_SETTLEMENT_ORDER:
        paid: list[int] = []
        for profit in profits:
            paid.append(min(profit, limit.amount_minor - sum(paid)))
        return paid
    paid = [limit.amount_minor * profit // total for profit in profits]
    for index, profit in enumerate(profits):
        if sum(paid) < limit.amount_minor and paid[index] < profit:
            paid[index] += 1
    return paid
