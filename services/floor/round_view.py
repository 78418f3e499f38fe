"""One round as its table's devices know it: what they sent and what they read of the decisions."""

from dataclasses import dataclass, field
from enum import Enum, auto

from pitledger.journal.record import JournalRecord
from pitledger.pb.decisions_pb2 import BettingClosed, PayoutDue, RequestAnswered
from pitledger.pb.money_pb2 import WAGER_KIND_ANTE
from services.floor.faults import Fault
from services.floor.pen import OutgoingFact
from services.floor.shoe import Reading


class Moment(Enum):
    """When a supervisor steps in."""

    DEALT = auto()
    SET = auto()
    PAID = auto()


@dataclass(slots=True)
class RoundView:
    """The devices' knowledge of one round. Mutable; the table's script and `read` change it."""

    round_id: str
    number: int
    seats: dict[int, str]
    faults: frozenset[Fault]
    deck: list[int]
    agenda: dict[Fault, Moment] = field(default_factory=dict)
    table_seq: int = 0
    sent: list[OutgoingFact] = field(default_factory=list)
    """The round's own facts, without what comes in between."""
    reading: Reading = field(default_factory=lambda: Reading([], {}, {}))
    order: list[int] = field(default_factory=list)
    """Positions that get cards, ascending; the dealer's hand comes after them."""
    antes: dict[int, int] = field(default_factory=dict)
    is_set: set[int] = field(default_factory=set)
    left: set[int] = field(default_factory=set)

    closed: BettingClosed | None = None
    answers: dict[str, RequestAnswered] = field(default_factory=dict)
    """By the event id of the request."""
    deal_revision: int = 0
    deal_regular: bool = False
    payout: PayoutDue | None = None
    """The one of the highest revision."""
    outcome: JournalRecord | None = None

    def read(self, record: JournalRecord) -> None:
        """Take in a decision of this round."""
        match record.WhichOneof("body"):
            case "request_answered":
                self.answers[record.causation_id] = record.request_answered
            case "betting_closed":
                self.closed = record.betting_closed
                standing = {circle.position for circle in self.closed.circles}
                self.order = sorted(standing & self.seats.keys())
                self.antes = {circle.position: circle.stake_minor
                              for circle in self.closed.circles if circle.kind == WAGER_KIND_ANTE}
            case "hands_dealt" if record.hands_dealt.revision >= self.deal_revision:
                self.deal_revision = record.hands_dealt.revision
                self.deal_regular = True
            case "deal_irregular" if record.deal_irregular.revision >= self.deal_revision:
                self.deal_revision = record.deal_irregular.revision
                self.deal_regular = False
            case "payout_due":
                due = record.payout_due
                if self.payout is None or due.revision > self.payout.revision:
                    self.payout = due
            case "round_settled" | "round_voided":
                self.outcome = record
            case _:
                pass

    @property
    def paid_revision(self) -> int:
        """The highest revision whose payout is due; 0: none."""
        return self.payout.revision if self.payout else 0

    def answered(self, facts: list[OutgoingFact]) -> bool:
        """Whether all these requests have their answer."""
        return all(fact.event_id in self.answers for fact in facts)

    def refusal(self, fact: OutgoingFact) -> int:
        """The refusal of a request of one item; 0: accepted; -1: not answered."""
        answer = self.answers.get(fact.event_id)
        return answer.answers[0].refusal if answer and answer.answers else -1
