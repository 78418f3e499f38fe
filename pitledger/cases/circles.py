"""What the cases of a round moved on one circle, or would move: all of them, not one alone."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pitledger.cases.case import Proposal, Stage
from pitledger.cases.fold import TableCases
from pitledger.cases.proposals import PLAIN
from pitledger.pb.facts_pb2 import AdjustmentProposed

Key = tuple[str, int, int]
"""Round, position, kind of wager."""


@dataclass(slots=True)
class OnCircle:
    """Plain adjustments beside the settlement that stands. Minor units, positive to the position.

    What was rolled back is none of them any more.
    """

    settled_minor: int
    posted: list[Proposal] = field(default_factory=list)
    undecided: list[Proposal] = field(default_factory=list)

    @property
    def posted_minor(self) -> int:
        return _sum(self.posted)

    @property
    def undecided_minor(self) -> int:
        return _sum(self.undecided)


def circles_of(tables: Iterable[TableCases]) -> dict[Key, OnCircle]:
    """Each circle that somebody proposed a plain adjustment of."""
    found: dict[Key, OnCircle] = {}
    for table in tables:
        for case in table.cases.values():
            standing = table.standings.get(case.round_id)
            if standing is None:  # nothing was ever proposed
                continue
            for proposal in case.proposals.values():
                asked = proposal.asked
                if asked.form != PLAIN:
                    continue
                settled, _ = standing.at(asked.position, asked.kind)
                circle = found.setdefault(key_of(case.round_id, asked), OnCircle(settled))
                if proposal.stands_on != standing.settled_by:
                    continue
                if proposal.stage is Stage.POSTED:
                    circle.posted.append(proposal)
                elif proposal.stage is Stage.PROPOSED:
                    circle.undecided.append(proposal)
    return found


def key_of(round_id: str, asked: AdjustmentProposed) -> Key:
    """Of a plain one."""
    return round_id, asked.position, asked.kind


def _sum(proposals: Iterable[Proposal]) -> int:
    return sum(one.asked.amount_minor for one in proposals)
