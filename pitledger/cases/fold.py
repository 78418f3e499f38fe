"""The fold of one table's case facts into answers and postings.

What is concluded is a function of the table's facts alone: of the case's own before it, and of
those of the round, from which `derive` has its settlement. A case names what it speaks of by the
bytes of that settlement; they are believed only if they are those that the round's facts derive.
"""

from collections import defaultdict
from collections.abc import Callable

from pitledger.cases import proposals, rulings
from pitledger.cases.case import ACCEPTED, Case, CaseFact, Concluded, Entry, Proposal, Stage, State
from pitledger.cases.round_money import Standing
from pitledger.cases.settlement import Rounds, Settlement
from pitledger.journal.ids import decision_id, is_fact_id
from pitledger.journal.record import JournalRecord, serialize
from pitledger.pb import cases_pb2 as pb
from pitledger.pb import facts_pb2

CASE_VERSION = 1
SOURCE = "cases"
FACTS = frozenset((
    "dispute_opened", "dispute_held", "dispute_resolved",
    "adjustment_proposed", "adjustment_approved", "adjustment_declined",
))  # fmt: skip


def is_case_fact(record: JournalRecord, body: str) -> bool:
    """Whether a fact belongs to a case; one that names a round belongs to that."""
    return body in FACTS and not record.round_id and is_fact_id(record.case_id)


class TableCases:
    """One table's cases; its facts come in the order of the journal. Total: nothing raises."""

    def __init__(self, table_id: str, rounds: Rounds) -> None:
        self.table_id = table_id
        self.cases: dict[str, Case] = {}
        self.standings: dict[str, Standing] = {}
        """Money by round: its cases share it."""
        self.strays: list[Entry] = []
        """Facts that name a case which was not opened before."""
        self._rounds = rounds
        self._taken: set[str] = set()
        self._waiting: defaultdict[str, list[tuple[Case, Entry]]] = defaultdict(list)
        """By round: facts that overtook its settlement."""
        self._out: list[Concluded] = []

    def fact(self, fact: CaseFact) -> list[Concluded]:
        """Take a fact for which `is_case_fact` holds. A repeated event id has no effect."""
        self._out = []
        self._answer_overtaken(fact.offset)
        record = fact.record
        if record.event_id in self._taken:
            return self._out
        self._taken.add(record.event_id)
        entry = Entry(fact)
        case = self.cases.get(record.case_id)
        if case is None and fact.body == "dispute_opened":
            self._open(entry)
        elif case is None:
            self.strays.append(entry)
            self._answer(entry, pb.CaseAnswered(refusal=pb.CASE_REFUSAL_CASE_UNKNOWN))
        else:
            self._take(case, entry)
        return self._out

    def has_taken(self, event_id: str) -> bool:
        return event_id in self._taken

    def settled(self, settlement: Settlement) -> list[Concluded]:
        """A round of this table has its settlement: what overtook it is answered here."""
        self._out = []
        self._settled(settlement)
        return self._out

    def known_before(self, offset: int) -> list[Concluded]:
        """Answer what waits for rounds of which `rounds` knows a settlement from before an offset:
        where rounds are not folded with the cases, but looked up.
        """
        self._out = []
        self._answer_overtaken(offset)
        return self._out

    def _settled(self, settlement: Settlement) -> None:
        for case, entry in self._waiting.pop(settlement.round_id, ()):
            self._judge(case, entry, settlement, settlement)

    def _answer_overtaken(self, offset: int) -> None:
        for round_id in list(self._waiting):
            known = self._rounds.of(self.table_id, round_id)
            if known is not None and known.settlement and known.settlement.offset < offset:
                self._settled(known.settlement)

    # ---- Which case, and when ----

    def _open(self, entry: Entry) -> None:
        record = entry.fact.record
        opened = record.dispute_opened
        case = Case(self.table_id, record.case_id, opened.settlement.round_id, entry, State.WAITS)
        self.cases[case.case_id] = case
        if opened.case_version != CASE_VERSION:
            case.state = State.UNJUDGED if opened.case_version else State.RECORDED
        self._take(case, entry)

    def _take(self, case: Case, entry: Entry) -> None:
        """Judge a fact now, or when its round has a settlement."""
        case.entries.append(entry)
        if entry.fact.body == "adjustment_proposed":
            case.proposals[entry.fact.record.event_id] = Proposal(entry)
        if case.state in (State.UNJUDGED, State.RECORDED):
            return
        if case.state is not State.WAITS:
            self._judge(case, entry, case.settlement, None)
            return
        known = self._rounds.of(self.table_id, case.round_id)
        if known is None or known.offset > entry.fact.offset:
            self._judge(case, entry, None, None)
        elif known.settlement is None or known.settlement.offset > entry.fact.offset:
            self._waiting[case.round_id].append((case, entry))
        else:
            self._judge(case, entry, known.settlement, None)

    def _judge(
        self,
        case: Case,
        entry: Entry,
        settlement: Settlement | None,
        ended_by: Settlement | None,
    ) -> None:
        """`ended_by`: the settlement that came after the fact, at which it is answered."""
        answer = pb.CaseAnswered()
        problem = rulings.envelope(entry.fact) or _JUDGES[entry.fact.body](
            self, case, entry, settlement, answer
        )
        answer.refusal = problem
        if settlement is not None:
            answer.settlement_event_id = settlement.event_id
            answer.settlement_sha256 = rulings.digest(settlement.value)
        self._note(case, entry, problem, settlement)
        self._answer(entry, answer, ended_by)

    def _note(
        self, case: Case, entry: Entry, problem: pb.CaseRefusal, settlement: Settlement | None
    ) -> None:
        """The states that follow from a refusal, or from none."""
        if entry is case.opened:
            case.state = State.REFUSED if problem else State.OPEN
            case.settlement = None if problem else settlement
        proposal = case.proposals.get(entry.fact.record.event_id)
        if proposal is not None and problem:
            proposal.stage = Stage.REFUSED

    # ---- What is judged ----

    def _opened(
        self, case: Case, entry: Entry, settlement: Settlement | None, answer: pb.CaseAnswered
    ) -> pb.CaseRefusal:
        if entry is not case.opened:
            return pb.CASE_REFUSAL_CASE_EXISTS
        if settlement is None:
            return pb.CASE_REFUSAL_ROUND_UNKNOWN
        return rulings.opening(entry.fact, settlement, answer)

    def _held(
        self, case: Case, entry: Entry, _: Settlement | None, _answer: pb.CaseAnswered
    ) -> pb.CaseRefusal:
        problem = _of_open(case) or rulings.hold(entry.fact.record.dispute_held)
        if not problem:
            case.held.append(entry)
        return problem

    def _resolved(
        self, case: Case, entry: Entry, _: Settlement | None, _answer: pb.CaseAnswered
    ) -> pb.CaseRefusal:
        if case.resolved is not None:
            return pb.CASE_REFUSAL_ALREADY_RESOLVED
        problem = _of_open(case) or rulings.finding(entry.fact.record.dispute_resolved)
        if not problem:
            case.resolved, case.state = entry, State.RESOLVED
        return problem

    def _proposed(
        self, case: Case, entry: Entry, settlement: Settlement | None, answer: pb.CaseAnswered
    ) -> pb.CaseRefusal:
        problem = _of_open(case)
        if problem or settlement is None:
            return problem or pb.CASE_REFUSAL_CASE_REFUSED
        fact, standing = entry.fact, self._standing(settlement)
        asked = fact.record.adjustment_proposed
        problem = rulings.reference(asked.settlement, settlement, fact.offset) or (
            proposals.problem(asked, settlement, standing)
        )
        if problem:
            return problem
        proposal = case.proposals[fact.record.event_id]
        proposal.stage, proposal.stands_on = Stage.PROPOSED, standing.settled_by
        answer.posting_id = proposals.done_before(asked, standing)
        if answer.posting_id:
            proposal.stage, proposal.posting_id = Stage.DONE_BEFORE, answer.posting_id
        elif asked.form == facts_pb2.ADJUSTMENT_FORM_UNSPECIFIED:
            answer.settled_minor, answer.adjusted_minor = standing.at(asked.position, asked.kind)
        return ACCEPTED

    def _approved(
        self, case: Case, entry: Entry, settlement: Settlement | None, answer: pb.CaseAnswered
    ) -> pb.CaseRefusal:
        record = entry.fact.record
        proposal, problem = _proposal(case, record.adjustment_approved.proposal_event_id)
        if proposal is None or settlement is None:
            return problem or pb.CASE_REFUSAL_CASE_REFUSED
        asked, standing = proposal.asked, self._standing(settlement)
        done = proposals.done_before(asked, standing)
        if done and proposal.stage is not Stage.DECLINED:
            if proposal.stage is not Stage.POSTED:
                proposal.stage, proposal.posting_id = Stage.DONE_BEFORE, done
            answer.posting_id = done
            return ACCEPTED
        problem = (
            rulings.approval(entry.fact, proposal, settlement)
            or proposals.problem(asked, settlement, standing)
            or proposals.outlived(asked, proposal.stands_on, standing)
        )
        if not problem:
            proposal.decided = entry
            answer.posting_id = self._post(case, proposal, entry, settlement, standing)
        return problem

    def _declined(
        self, case: Case, entry: Entry, _: Settlement | None, _answer: pb.CaseAnswered
    ) -> pb.CaseRefusal:
        declined = entry.fact.record.adjustment_declined
        proposal, problem = _proposal(case, declined.proposal_event_id)
        if proposal is None:
            return problem
        problem = rulings.decline(declined, proposal)
        if not problem:
            proposal.stage, proposal.decided = Stage.DECLINED, entry
        return problem

    # ---- Money ----

    def _standing(self, settlement: Settlement) -> Standing:
        standing = self.standings.get(settlement.round_id)
        if standing is None:
            standing = self.standings[settlement.round_id] = Standing.of(settlement)
        return standing

    def _post(
        self,
        case: Case,
        proposal: Proposal,
        approval: Entry,
        settlement: Settlement,
        standing: Standing,
    ) -> str:
        """Book an approved proposal; the posting's id."""
        proposal_id = proposal.proposal_id
        posting_id = decision_id(self.table_id, case.case_id, "posting", proposal_id)
        posting = proposals.posting(proposal.asked, settlement, standing)
        posting.proposal_event_id = proposal_id
        posting.approval_event_id = approval.fact.record.event_id
        posting.gaming_day = approval.fact.record.adjustment_approved.gaming_day
        posting.proposed_by = proposal.proposer
        posting.approved_by = approval.fact.record.actor
        for number, line in enumerate(posting.lines, 1):
            line.line_id = decision_id(self.table_id, case.case_id, f"line-{number}", proposal_id)
        proposals.book(proposal.asked, standing, posting_id)
        proposal.stage, proposal.posting_id = Stage.POSTED, posting_id
        approval.posting = posting
        return posting_id

    # ---- What is concluded ----

    def _answer(
        self, entry: Entry, answer: pb.CaseAnswered, ended_by: Settlement | None = None
    ) -> None:
        fact = entry.fact
        event_id = answer.fact_event_id = fact.record.event_id
        entry.answer = answer
        entry.answered_at_ms = ended_by.at_ms if ended_by else fact.at_ms
        self._conclude(fact, ended_by, "answer", event_id, case_answered=answer)
        if entry.posting is not None:
            proposal_id = entry.posting.proposal_event_id
            self._conclude(fact, ended_by, "posting", proposal_id, adjustment_posted=entry.posting)

    def _conclude(
        self,
        fact: CaseFact,
        ended_by: Settlement | None,
        question: str,
        subject: str,
        **body: "pb.CaseAnswered | pb.AdjustmentPosted",
    ) -> None:
        """Its id, cause and time are those of the fact at which it is derived."""
        case_id, [name] = fact.record.case_id, body
        record = JournalRecord(
            event_id=decision_id(self.table_id, case_id, question, subject),
            table_id=self.table_id,
            case_id=case_id,
            causation_id=ended_by.caused_by if ended_by else fact.record.event_id,
            occurred_at=ended_by.caused_at if ended_by else fact.record.occurred_at,
            source=SOURCE,
            **body,  # type: ignore[arg-type]
        )
        self._out.append(
            Concluded(
                event_id=record.event_id,
                body=name,
                table_id=self.table_id,
                case_id=case_id,
                partition=fact.partition,
                offset=ended_by.offset if ended_by else fact.offset,
                at_ms=ended_by.at_ms if ended_by else fact.at_ms,
                value=serialize(record),
            )
        )


_Judge = Callable[[TableCases, Case, Entry, Settlement | None, pb.CaseAnswered], pb.CaseRefusal]
_JUDGES: dict[str, _Judge] = {
    "dispute_opened": TableCases._opened,
    "dispute_held": TableCases._held,
    "dispute_resolved": TableCases._resolved,
    "adjustment_proposed": TableCases._proposed,
    "adjustment_approved": TableCases._approved,
    "adjustment_declined": TableCases._declined,
}


def _of_open(case: Case) -> pb.CaseRefusal:
    return ACCEPTED if case.settlement is not None else pb.CASE_REFUSAL_CASE_REFUSED


def _proposal(case: Case, proposal_id: str) -> tuple[Proposal | None, pb.CaseRefusal]:
    """The proposal that is named, if one can be decided; else why not."""
    proposal = case.proposals.get(proposal_id)
    if proposal is None:
        return None, _of_open(case) or pb.CASE_REFUSAL_PROPOSAL_UNKNOWN
    if proposal.stage is Stage.REFUSED:
        return None, pb.CASE_REFUSAL_PROPOSAL_REFUSED
    return proposal, ACCEPTED
