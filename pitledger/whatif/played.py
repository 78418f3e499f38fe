"""A round as it was played: the facts that had effect in it, and what any such facts derive."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from pitledger.derive import TableFold
from pitledger.journal.record import DECISION_TYPES, JournalRecord, Stored, serialize
from pitledger.journal.vocabulary import Fact, as_fact, read_stored
from pitledger.pb import decisions_pb2 as pb
from pitledger.processors.chain import Decision

Booked = pb.PayoutDue | pb.RoundSettled | pb.RoundVoided

SETTLED, VOIDED, DUE, IRREGULAR, OPEN = "settled", "voided", "due", "irregular", "open"
"""How far a round came: `due` is a payout that no end has booked, `irregular` a deal that stands
broken, so that nothing is paid."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A fact that has effect in a round, and where it lies.

    `invented`: it lies on no journal; its offset is that of the fact before which it is put.
    """

    offset: int
    broker_time: int  # milliseconds since 1970
    fact: Fact
    invented: bool = False

    @property
    def event_id(self) -> str:
        return self.fact.record.event_id

    def saying(self, record: JournalRecord) -> "Placed":
        """The same fact with another content: id, time and place are kept."""
        fact = Fact(record, self.fact.body, serialize(record), self.fact.unknown)
        return Placed(self.offset, self.broker_time, fact, self.invented)


Facts = tuple[Placed, ...]
"""From a round's RoundOpened to the fact that ended it, in the order of the journal."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A decision, and the offset of the fact at which it is derived."""

    decision: Decision
    offset: int

    @property
    def record(self) -> JournalRecord:
        return JournalRecord.FromString(self.decision.value)


@dataclass(slots=True)
class Outcome:
    """What a round's facts come to; not to be changed."""

    decisions: list[Reached] = field(default_factory=list)
    ended: bool = False
    unjudged: str = ""  # why this build does not judge it
    payable: bool = False  # a payout is due
    _last: dict[str, Reached] = field(default_factory=dict)  # by body

    @property
    def state(self) -> str:
        if "round_settled" in self._last:
            return SETTLED
        if "round_voided" in self._last:
            return VOIDED
        if self.payable:
            return DUE
        return IRREGULAR if "deal_irregular" in self._last else OPEN

    @property
    def booked(self) -> Booked | None:
        """The lines that stand: of the outcome, else of the payout that is due."""
        match self.state:
            case "settled":
                return self._last["round_settled"].record.round_settled
            case "voided":
                return self._last["round_voided"].record.round_voided
            case "due":
                return self._last["payout_due"].record.payout_due
        return None

    @property
    def close(self) -> pb.BettingClosed:
        """Which circles stood and which chips went back; empty before the close."""
        reached = self._last.get("betting_closed")
        return reached.record.betting_closed if reached else pb.BettingClosed()

    @property
    def dealt(self) -> pb.HandsDealt | None:
        """The last deal that was regular, or ruled to stand."""
        reached = self._last.get("hands_dealt")
        return reached.record.hands_dealt if reached else None

    @property
    def irregular(self) -> pb.DealIrregular | None:
        """What is wrong with the deal, where nothing is paid for it."""
        reached = self._last.get("deal_irregular")
        return reached.record.deal_irregular if reached else None

    @property
    def revision_due(self) -> int:
        """Of the payout that is due; 0: none is."""
        return self._last["payout_due"].record.payout_due.revision if self.payable else 0

    def answers(self) -> dict[str, pb.RequestAnswered]:
        """By the id of the request."""
        return {
            record.causation_id: record.request_answered
            for record in (reached.record for reached in self.of("request_answered"))
        }

    def of(self, body: str) -> list[Reached]:
        return [reached for reached in self.decisions if reached.decision.body == body]

    def add(self, reached: Reached) -> None:
        self.decisions.append(reached)
        body = reached.decision.body
        if body == "hands_dealt":
            self._last.pop("deal_irregular", None)
        self._last[body] = reached


def fold(facts: Sequence[Placed], follow: Collection[str] = ()) -> Outcome:
    """Derive what a round's facts decide, by the one fold there is.

    `follow`: ids of RoundClosed facts that name whatever revision is due, since a console closes
    what it has paid.
    """
    table, outcome, round_id = TableFold(), Outcome(), ""
    for placed in facts:
        fact = placed.fact
        if fact.record.event_id in follow:
            fact = _closing(fact, outcome.revision_due)
        derived = table.fact(placed.offset, fact, placed.broker_time)
        round_id = round_id or derived.opened
        for stuck, stack in derived.stuck:
            if stuck == round_id:
                outcome.unjudged = stack.strip().rpartition("\n")[2] or unknown_version(facts)
        for decision in derived.decisions:
            if decision.round_id == round_id:
                outcome.add(Reached(decision, placed.offset))
        if derived.ended == round_id:
            outcome.ended = True
            break
        chain = table.chain
        outcome.payable = chain is not None and chain.round.payout is not None
    return outcome


def closings(facts: Sequence[Placed], outcome: Outcome) -> frozenset[str]:
    """The id of the RoundClosed that was accepted, which ends a round; else nothing."""
    last = facts[-1]
    return frozenset({last.event_id} if outcome.ended and last.fact.body == "round_closed" else ())


def facts_of(records: Iterable[Stored], partitions: int) -> Facts:
    """The facts of a round's sealed transcript, which holds none without effect.

    Raises NotAFact where it holds what is none.
    """
    placed = []
    for stored in records:
        if dict(stored.headers).get("ce_type") not in DECISION_TYPES:
            fact = read_stored(stored, partitions)
            placed.append(Placed(stored.offset, stored.broker_time, fact))
    return tuple(placed)


def _closing(fact: Fact, revision: int) -> Fact:
    if not revision or fact.record.round_closed.revision == revision:
        return fact
    record = JournalRecord()
    record.CopyFrom(fact.record)
    record.round_closed.revision = revision
    return as_fact(record, serialize(record))


def unknown_version(facts: Sequence[Placed]) -> str:
    opened = facts[0].fact.record.round_opened
    return f"this build does not know adjudication version {opened.adjudication_version}"
