"""Money: int64 minor units, odds as ratios, rounding, shares. No float comes near.

All amounts are integers in minor units of the round's currency.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitledger.pb import rules_pb2

if TYPE_CHECKING:
    from pitledger.pb.rules_pb2 import PayoutRounding

INT64_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Ratio:
    """Odds: `win` is paid for each `stake` staked. Both are positive."""

    win: int
    stake: int

    def __str__(self) -> str:
        return f"{self.win}:{self.stake}"


def payout(stake: int, odds: Ratio, unit: int, rounding: "PayoutRounding") -> int:
    """Return stake * odds as a multiple of `unit`, rounded as the submission says."""
    numerator = stake * odds.win
    denominator = odds.stake * unit
    whole, rest = divmod(numerator, denominator)
    if rest and rounding == rules_pb2.PAYOUT_ROUNDING_UP:
        whole += 1
    elif rounding == rules_pb2.PAYOUT_ROUNDING_NEAREST and 2 * rest >= denominator:
        whole += 1
    return whole * unit


def share_evenly(amount: int, shares: int, unit: int) -> list[int]:
    """Split `amount` into `shares` (1 or more) parts, as even as `unit` allows.

    The remainder goes out one unit at a time from the first part on; what is less than a unit goes
    with the next. The parts sum to `amount`.
    """
    even = amount // (shares * unit) * unit
    parts = [even] * shares
    left = amount - even * shares
    for index in range(shares):
        extra = min(unit, left)
        parts[index] += extra
        left -= extra
    return parts


def limit_pro_rata(profits: Sequence[int], limit: int) -> list[int]:
    """Cut profits to a sum of `limit`: floor(limit * p / sum) each, then one unit each in order.

    Profits whose sum is within the limit come back as they are. No part exceeds its profit.
    """
    total = sum(profits)
    if total <= limit:
        return list(profits)
    cut = [limit * profit // total for profit in profits]
    left = limit - sum(cut)
    for index, profit in enumerate(profits):
        if left and cut[index] < profit:
            cut[index] += 1
            left -= 1
    return cut


def limit_in_order(profits: Sequence[int], limit: int) -> list[int]:
    """Cut profits to a sum of at most `limit`, paying in order until it is used up."""
    cut = []
    for profit in profits:
        paid = min(profit, limit)
        cut.append(paid)
        limit -= paid
    return cut
