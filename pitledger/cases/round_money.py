"""The money of one round as it stands: what was settled, adjusted, rolled back, settled anew."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pitledger.cases.settlement import Circle, Settlement
from pitledger.pb import decisions_pb2 as d

HOUSE, POT = d.COUNTERPARTY_HOUSE, d.COUNTERPARTY_POT
Line = tuple[Circle, int]

AMOUNTS_MAX = 1 << 60
"""Minor units, of all lines of a posting and what stands under them together: far from int64's
end, so that no sum ever leaves it."""


@dataclass(slots=True)
class Standing:
    """Of one round; all its cases share it. Amounts are minor units, positive to the position."""

    settled_by: str
    """The settlement's event id, or the id of the posting that settled anew; "" once that was
    rolled back."""
    settled: dict[Circle, int]
    adjusted: dict[Circle, int] = field(default_factory=dict)
    """Beside the settlement that stands."""
    rolled_back: dict[str, str] = field(default_factory=dict)
    """What was rolled back, by which posting."""

    @classmethod
    def of(cls, settlement: Settlement) -> "Standing":
        return cls(settlement.event_id, dict(settlement.profits))

    def before(self, circle: Circle) -> int:
        return self.settled.get(circle, 0) + self.adjusted.get(circle, 0)

    def at(self, position: int, kind: int) -> tuple[int, int]:
        """What a circle won or lost by the settlement that stands, and by adjustments beside it."""
        circles = [(position, kind, counterparty) for counterparty in (HOUSE, POT)]
        return (
            sum(self.settled.get(circle, 0) for circle in circles),
            sum(self.adjusted.get(circle, 0) for circle in circles),
        )

    def reversal(self) -> list[Line]:
        """The lines after which nothing is left of what stands."""
        stands = {circle: self.before(circle) for circle in {**self.settled, **self.adjusted}}
        return [(circle, -amount) for circle, amount in sorted(stands.items()) if amount]

    def fits(self, lines: Iterable[Line]) -> bool:
        """Whether lines can be booked without leaving what amounts can be."""
        return sum(abs(amount) + abs(self.before(c)) for c, amount in lines) <= AMOUNTS_MAX

    def adjust(self, lines: Iterable[Line]) -> None:
        for circle, amount in lines:
            self.adjusted[circle] = self.adjusted.get(circle, 0) + amount

    def roll_back(self, posting_id: str) -> None:
        self.rolled_back[self.settled_by] = posting_id
        self.settled_by, self.settled, self.adjusted = "", {}, {}

    def settle_anew(self, posting_id: str, lines: Iterable[Line]) -> None:
        self.settled_by, self.settled = posting_id, dict(lines)
