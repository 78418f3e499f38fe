"""What a hypothesis would have changed: line by line in money, and which decision changed first."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitledger.pb import decisions_pb2 as pb
from pitledger.pb import money_pb2
from pitledger.whatif.changes import Applied, Change
from pitledger.whatif.hypothesis import suppose
from pitledger.whatif.played import Facts, Outcome, Reached, closings, fold
from pitledger.whatif.rules import OtherRules

if TYPE_CHECKING:
    from pitledger.pb.money_pb2 import WagerKind


@dataclass(frozen=True, slots=True)
class Circle:
    """What became of a circle: its line, or the chips that went back before the deal."""

    line: pb.SettlementLine | None
    chips: pb.ReturnedStake | None

    @property
    def profit(self) -> int:
        """The player's, in minor units: returned - stake."""
        return self.line.profit_minor if self.line else 0


@dataclass(frozen=True, slots=True)
class LineDifference:
    """One circle, before and after. None: nothing lay there."""

    position: int
    patron_id: str
    kind: "WagerKind"
    was: Circle | None
    would_be: Circle | None

    @property
    def same(self) -> bool:
        return self.was == self.would_be

    @property
    def difference(self) -> int:
        """More for the player, in minor units."""
        return _profit(self.would_be) - _profit(self.was)


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first decision that is not derived, or not so. None: there is none."""

    was: Reached | None
    would_be: Reached | None

    @property
    def of(self) -> Reached:
        """The decision as it would be, else as it was."""
        reached = self.would_be or self.was
        assert reached is not None
        return reached


@dataclass(frozen=True, slots=True)
class Difference:
    """A round as it was and as it would be.

    `lines`: every circle, in paying order; () where either has no lines: then no money can be
    compared. `answers`: requests that are answered otherwise.
    """

    was: Outcome
    would_be: Outcome
    first: FirstDifference | None
    lines: tuple[LineDifference, ...]
    answers: tuple[FirstDifference, ...]

    @property
    def comparable(self) -> bool:
        """Whether both come to lines."""
        return self.was.booked is not None and self.would_be.booked is not None

    @property
    def same(self) -> bool:
        """Whether every line is the same, with what it rests on."""
        return self.first is None

    @property
    def moved(self) -> int:
        """Sum of the differences of all lines, whoever gains; minor units."""
        return sum(abs(line.difference) for line in self.lines)


def what_if(
    facts: Facts, rules: OtherRules, changes: Sequence[Change] = ()
) -> tuple[Difference, tuple[Applied, ...]]:
    """Replay a round as it was and as it would be, and say what was changed. Raises CannotBe."""
    was = fold(facts)
    hypothesis = suppose(facts, was, rules, changes)
    return compare(facts, was, hypothesis.facts, hypothesis.requests), hypothesis.applied


def compare(
    facts: Facts, was: Outcome, supposed: Facts, requests: Collection[str] = ()
) -> Difference:
    """Fold the supposed facts and compare. `requests`: those that only one of the two has."""
    would_be = fold(supposed, closings(facts, was))
    first = next(_differing(was, would_be, requests), None)
    answers = tuple(
        one
        for one in _differing(was, would_be, ())
        if one.of.decision.body == "request_answered"
    )
    return Difference(was, would_be, first, tuple(lines(facts, was, would_be)), answers)


def lines(facts: Facts, was: Outcome, would_be: Outcome) -> Iterator[LineDifference]:
    """Every circle of either, in paying order; nothing where one of them has no lines."""
    if was.booked is None or would_be.booked is None:
        return
    seats = {s.position: s.patron_id for s in facts[0].fact.record.round_opened.seats}
    before, after = _circles(was), _circles(would_be)
    for position, kind in sorted({*before, *after}, key=_paying_order):
        patron, circle = seats.get(position, ""), (position, kind)
        yield LineDifference(position, patron, kind, before.get(circle), after.get(circle))


def _differing(
    was: Outcome, would_be: Outcome, passed_over: Collection[str]
) -> Iterator[FirstDifference]:
    """Decisions that are not in both, in the order of the facts that derive them.

    Answers to requests that are passed over are left out.
    """
    before = {reached.decision.event_id: reached for reached in was.decisions}
    after = {reached.decision.event_id: reached for reached in would_be.decisions}
    found: list[tuple[int, int, FirstDifference]] = []
    for place, reached in enumerate(would_be.decisions):
        old = before.get(reached.decision.event_id)
        if old is None or old.decision.value != reached.decision.value:
            found.append((reached.offset, place, FirstDifference(old, reached)))
    for place, reached in enumerate(was.decisions):
        if reached.decision.event_id not in after:
            found.append((reached.offset, place, FirstDifference(reached, None)))
    for _, _, one in sorted(found, key=lambda entry: entry[:2]):
        reached = one.of
        if reached.decision.body != "request_answered":
            yield one
        elif reached.record.causation_id not in passed_over:
            yield one


def _paying_order(circle: "tuple[int, WagerKind]") -> tuple[bool, int, int]:
    """The highest position first, each one's kinds in turn; the Pot last of all."""
    position, kind = circle
    return kind == money_pb2.WAGER_KIND_POT, -position, kind


def _circles(outcome: Outcome) -> "dict[tuple[int, WagerKind], Circle]":
    assert outcome.booked is not None
    circles = {(line.position, line.kind): Circle(line, None) for line in outcome.booked.lines}
    for chips in outcome.close.returned:
        circles.setdefault((chips.position, chips.kind), Circle(None, chips))
    return circles


def _profit(circle: Circle | None) -> int:
    return circle.profit if circle else 0

