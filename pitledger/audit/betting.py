"""The betting window: which chips stand, and what goes back when it closes (663a.7(a)-(f))."""

from pitledger.audit.circles import ANTE, POT, Circle
from pitledger.audit.filing import Filed
from pitledger.pb import facts_pb2

Chips = tuple[int, int, int]
"""Position, kind, amount."""


MOST_ASKED = 16
"""More stakes or kinds than this in one request: it is refused whole."""
MOST_REQUESTS = 100
"""A circle is made up of at most so many requests."""


def asked_kinds(kinds: list[int]) -> list[int]:
    """The items of a request's answer: one of no kind if it asks for nothing, or too much."""
    return kinds if 0 < len(kinds) <= MOST_ASKED else [0]


class Betting:
    """Chips by position and kind, each stack with the requests that made it."""

    def __init__(self, filed: Filed) -> None:
        self._filed = filed
        self._stacks: dict[tuple[int, int], list[tuple[str, int]]] = {}
        self.open = True

    def wager(self, event_id: str, asked: facts_pb2.WagerRequested) -> list[int]:
        """For each stake, in order, what then stands in its circle; 0 where it is refused."""
        answers = []
        if len(asked.stakes) > MOST_ASKED:
            return [0]
        for stake in asked.stakes:
            accepted = self._acceptable(event_id, asked, stake.kind, stake.amount_minor)
            if accepted:
                stack = self._stacks.setdefault((asked.position, stake.kind), [])
                stack.append((event_id, stake.amount_minor))
            answers.append(self._sum(asked.position, stake.kind) if accepted else 0)
        return answers or [0]

    def withdraw(self, asked: facts_pb2.WagerWithdrawalRequested) -> tuple[list[bool], list[Chips]]:
        """Whether each kind is given back, and all chips that go back with it."""
        if len(asked.kinds) > MOST_ASKED:
            return [False], []
        place = asked.position
        allowed = self.open and self._seated(place, asked.patron_id)
        there: list[bool] = []
        leaving: set[int] = set()
        kind: int
        for kind in asked.kinds:
            there.append(allowed and (place, kind) in self._stacks and kind not in leaving)
            if there[-1]:
                leaving.add(kind)
            if ANTE in leaving:  # takes the side wagers with it
                leaving |= {other for position, other in self._stacks if position == place}
        chips = [(place, gone, self._sum(place, gone)) for gone in sorted(leaving)]
        for gone in leaving:
            del self._stacks[place, gone]
        return there or [False], chips

    def close(self) -> tuple[list[Circle], list[Chips]]:
        """The circles that stand, by position and kind, and the chips that go back."""
        self.open = False
        circles: list[Circle] = []
        returned: list[Chips] = []
        for place in sorted({position for position, _ in self._stacks}):
            kinds = sorted(kind for position, kind in self._stacks if position == place)
            plays = self._may_play(place)
            for kind in kinds:
                amount = self._sum(place, kind)
                if plays and self._large_enough(place, kind):
                    ids = tuple(dict.fromkeys(one for one, _ in self._stacks[place, kind]))
                    circles.append(Circle(place, kind, amount, ids))
                else:
                    returned.append((place, kind, amount))
        return circles, returned

    def _acceptable(
        self, event_id: str, asked: facts_pb2.WagerRequested, kind: int, amount: int
    ) -> bool:
        place, patron = asked.position, asked.patron_id
        if not self.open or not self._seated(place, patron):
            return False
        if asked.instrument not in self._filed.terms.accepted_instruments:
            return False
        if asked.instrument == "verbal_with_cash":
            return False
        if amount <= 0 or kind not in self._filed.limits:
            return False
        if not self._second_position_allowed(place, patron):
            return False
        if self._sum(place, kind) + amount > self._filed.limits[kind][1]:
            return False
        requests = {one for one, _ in self._stacks.get((place, kind), ())}
        return event_id in requests or len(requests) < MOST_REQUESTS

    def _seated(self, place: int, patron: str) -> bool:
        return place in self._filed.seats and self._filed.seats[place] == patron

    def _second_position_allowed(self, place: int, patron: str) -> bool:
        others = {
            position
            for position, _ in self._stacks
            if position != place and self._filed.seats[position] == patron
        }
        if not others:
            return True
        if not self._filed.terms.adjacent_positions or len(others) > 1:
            return False
        return abs(others.pop() - place) == 1

    def _may_play(self, place: int) -> bool:
        if (place, ANTE) not in self._stacks or not self._large_enough(place, ANTE):
            return False
        compulsory = POT in self._filed.limits
        return not compulsory or self._sum(place, POT) == self._filed.pot_amount

    def _large_enough(self, place: int, kind: int) -> bool:
        if kind == POT:
            return True
        amount = self._sum(place, kind)
        whole_units = amount % self._filed.terms.wager_unit_minor == 0
        return amount >= self._filed.limits[kind][0] and whole_units

    def _sum(self, place: int, kind: int) -> int:
        return sum(amount for _, amount in self._stacks.get((place, kind), ()))
