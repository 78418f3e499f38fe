"""A case as it was folded: its facts with their answers, its proposals and postings."""

from dataclasses import dataclass, field
from enum import StrEnum

from pitledger.cases.settlement import Settlement
from pitledger.journal.record import JournalRecord
from pitledger.pb.cases_pb2 import CASE_REFUSAL_UNSPECIFIED, AdjustmentPosted, CaseAnswered
from pitledger.pb.facts_pb2 import AdjustmentProposed

ACCEPTED = CASE_REFUSAL_UNSPECIFIED
DAY_MS = 24 * 60 * 60 * 1000


class State(StrEnum):
    """What became of a case."""

    WAITS = "waits"  # it overtook its settlement
    OPEN = "open"
    REFUSED = "refused"
    RESOLVED = "resolved"
    RECORDED = "recorded"  # a case of version 0: on record, never answered
    UNJUDGED = "unjudged"  # a version that this build does not know


class Stage(StrEnum):
    """What became of a proposal."""

    WAITS = "waits"  # its case overtook the settlement
    PROPOSED = "proposed"
    REFUSED = "refused"
    DECLINED = "declined"
    POSTED = "posted"
    DONE_BEFORE = "done before"  # a roll-back of what was rolled back already


@dataclass(frozen=True, slots=True)
class CaseFact:
    """A fact of a case where it lies on the journal; `at_ms`: the broker's time."""

    record: JournalRecord
    body: str
    value: bytes
    partition: int
    offset: int
    at_ms: int
    outside: bool = False
    """It holds what this contract does not know."""


@dataclass(frozen=True, slots=True)
class Concluded:
    """An answer or a posting as the facts derive it, byte for byte.

    `offset`, `at_ms`: of the fact at which it was derived.
    """

    event_id: str
    body: str
    table_id: str
    case_id: str
    partition: int
    offset: int
    at_ms: int
    value: bytes


@dataclass(slots=True)
class Entry:
    """One fact of a case, and its answer once there is one."""

    fact: CaseFact
    answer: CaseAnswered | None = None
    answered_at_ms: int = 0
    """Broker time of the fact at which it was answered."""
    posting: AdjustmentPosted | None = None
    """Of an approval: the money that it moved."""


@dataclass(slots=True)
class Proposal:
    """An adjustment that was proposed."""

    entry: Entry
    stage: Stage = Stage.WAITS
    stands_on: str = ""
    """What stood when it was proposed: the settlement, or the posting that settled anew."""
    decided: Entry | None = None
    """The fact that approved or declined it."""
    posting_id: str = ""
    """Its posting, or the one that did the same before."""

    @property
    def proposal_id(self) -> str:
        return self.entry.fact.record.event_id

    @property
    def asked(self) -> AdjustmentProposed:
        return self.entry.fact.record.adjustment_proposed

    @property
    def proposer(self) -> str:
        return self.entry.fact.record.actor

    @property
    def posting(self) -> AdjustmentPosted | None:
        return self.decided.posting if self.decided else None


@dataclass(slots=True)
class Case:
    """Mutable while it is folded."""

    table_id: str
    case_id: str
    round_id: str
    opened: Entry
    state: State
    settlement: Settlement | None = None
    entries: list[Entry] = field(default_factory=list)
    """All its facts in their order, the opening first."""
    held: list[Entry] = field(default_factory=list)
    resolved: Entry | None = None
    proposals: dict[str, Proposal] = field(default_factory=dict)

    @property
    def moved_minor(self) -> int:
        """What its postings moved to the positions, minor units."""
        posted = (p.posting for p in self.proposals.values() if p.posting is not None)
        return sum(posting.positions_net_minor for posting in posted)
