"""One round under adjudication version 1: its facts in, the decisions of all four processors out.

The chain of questions is `close`, `deal`, `hands`, `payout`, `outcome`; beside it, `request` for
each request. A decision's gates are all decisions of the chain before it, in the revision that it
builds on. Nothing here looks at a decision record: facts are the only input.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitledger.journal.ids import decision_id
from pitledger.journal.record import JournalRecord, serialize
from pitledger.journal.vocabulary import Fact
from pitledger.pb import decisions_pb2 as pb
from pitledger.processors import answers, dealing, evaluation, settlement, wagers
from pitledger.processors.opening import terms_of
from pitledger.processors.round import Round

if TYPE_CHECKING:
    from google.protobuf.message import Message

WAGERS, DEALING, EVALUATION, SETTLEMENT = "wagers", "dealing", "evaluation", "settlement"
OWNERS = (WAGERS, DEALING, EVALUATION, SETTLEMENT)


@dataclass(slots=True)
class Decision:
    """A decision as the facts derive it, byte for byte. Not to be changed."""

    event_id: str
    body: str
    question: str
    owner: str
    round_id: str
    caused_at: int  # microseconds since 1970: the causing fact's occurred_at
    gates: tuple[str, ...]  # ids of the decisions that must be on the journal before it
    value: bytes


class Chain:
    """The fold of one round's facts; mutable."""

    def __init__(self, opened: Fact) -> None:
        self.round = Round(terms_of(opened))
        self.over = False
        self._gates: dict[str, str] = {}  # question of the chain -> id of its current decision
        self._payout_due: pb.PayoutDue | None = None
        self._out: list[Decision] = []

    def fact(self, fact: JournalRecord, body: str) -> list[Decision]:
        """Take a fact that has effect in this round; return what it derives."""
        self._out = []
        take = _TAKE.get(body)
        if take is not None:
            take(self, fact)
        return self._out

    def end(self, fact: JournalRecord) -> list[Decision]:
        """The table closed or its next round opened: settle what is due, else void."""
        self._out = []
        self._finish(fact, pb.VOID_REASON_NO_PAYOUT_DUE)
        return self._out

    def _wager_requested(self, fact: JournalRecord) -> None:
        answer = wagers.answer_wager(self.round, fact.wager_requested, fact.event_id)
        self._answer(fact, WAGERS, answer)

    def _wager_withdrawal_requested(self, fact: JournalRecord) -> None:
        answer = wagers.answer_withdrawal(self.round, fact.wager_withdrawal_requested)
        self._answer(fact, WAGERS, answer)

    def _no_more_bets(self, fact: JournalRecord) -> None:
        if self.round.close is None:
            self._close(fact)
            self._advance(fact)

    def _card_drawn(self, fact: JournalRecord) -> None:
        dealing.take_card(self.round, fact.card_drawn)
        if dealing.deal_may_be_judged(self.round):
            self._advance(fact)

    def _packet_drawn(self, fact: JournalRecord) -> None:
        dealing.take_packet(self.round, fact.packet_drawn)
        if dealing.deal_may_be_judged(self.round):
            self._advance(fact)

    def _stub_counted(self, fact: JournalRecord) -> None:
        dealing.take_stub(self.round, fact.stub_counted)
        self._advance(fact)

    def _dealer_exposed(self, fact: JournalRecord) -> None:
        if self.round.exposed is None:
            dealing.take_exposure(self.round, fact.dealer_exposed)
            self._advance(fact)

    def _irregularity_reported(self, fact: JournalRecord) -> None:
        dealing.take_report(self.round, fact.irregularity_reported, fact.event_id)
        self._advance(fact)

    def _card_corrected(self, fact: JournalRecord) -> None:
        refusal = dealing.answer_correction(self.round, fact.card_corrected)
        if self._granted(fact, DEALING, refusal):
            dealing.correct(self.round, fact.card_corrected)
            self._advance(fact)

    def _deal_ruled(self, fact: JournalRecord) -> None:
        refusal = dealing.answer_ruling(self.round)
        if self._granted(fact, DEALING, refusal):
            dealing.rule(self.round)
            self._advance(fact)

    def _hand_set(self, fact: JournalRecord) -> None:
        refusal = evaluation.answer_set(self.round, fact.hand_set)
        if self._granted(fact, EVALUATION, refusal):
            evaluation.set_hand(self.round, fact.hand_set)

    def _player_left(self, fact: JournalRecord) -> None:
        """From here a hand waits for a ruling; not one whose payout is due already."""
        position = fact.player_left.position
        self.round.left.add(position)
        if self.round.payout is None:
            self.round.unruled_left.add(position)

    def _abandonment_ruled(self, fact: JournalRecord) -> None:
        refusal = settlement.answer_abandonment(self.round, fact.abandonment_ruled)
        if self._granted(fact, SETTLEMENT, refusal):
            ruling = fact.abandonment_ruled
            self.round.abandoned[ruling.position] = ruling.reading
            self._advance(fact)

    def _void_ordered(self, fact: JournalRecord) -> None:
        refusal = settlement.answer_void(self.round, fact.void_ordered)
        if not self._granted(fact, SETTLEMENT, refusal):
            return
        if fact.void_ordered.position == 0:
            self._finish(fact, pb.VOID_REASON_ORDERED, void=True)
        else:
            self.round.void.add(fact.void_ordered.position)
            dealing.reconsider(self.round)
            self._advance(fact)

    def _round_closed(self, fact: JournalRecord) -> None:
        refusal = settlement.answer_round_closed(self.round, fact.round_closed)
        if self._granted(fact, SETTLEMENT, refusal):
            self._finish(fact, pb.VOID_REASON_UNSPECIFIED)

    def _advance(self, fact: JournalRecord) -> None:
        """Judge deal, hands and payout anew; where one was derived otherwise: a new revision.

        A payout is derived in every revision that has one, so that what is paid bears its number.
        """
        round_ = self.round
        deal = dealing.judge_deal(round_)
        hands = evaluation.judge_hands(round_, deal)
        payout = settlement.settle(round_, hands)
        old_deal, old_hands, old_payout = round_.deal, round_.hands, round_.payout
        changed = (
            (old_deal is not None and deal != old_deal)
            or (old_hands is not None and hands != old_hands)
            or (old_payout is not None and payout != old_payout)
        )
        round_.revision += changed
        round_.deal, round_.hands, round_.payout = deal, hands, payout
        revision = str(round_.revision)
        if deal is not None and deal != old_deal:
            if deal.breaches:
                body: Message = dealing.deal_irregular(deal, round_.revision)
                name = "deal_irregular"
            else:
                body, name = dealing.hands_dealt(deal, round_.revision), "hands_dealt"
            self._chain(fact, DEALING, "deal", revision, name, body, ("close",))
        if hands is not None and hands != old_hands:
            body = evaluation.hands_evaluated(hands, round_.revision)
            self._chain(
                fact, EVALUATION, "hands", revision, "hands_evaluated", body, ("close", "deal")
            )
        if payout is not None and (changed or old_payout is None):
            due = settlement.payout_due(round_, payout)
            gates = ("close", "deal", "hands")
            self._chain(fact, SETTLEMENT, "payout", revision, "payout_due", due, gates)
            self._payout_due = due

    def _close(self, fact: JournalRecord) -> None:
        close = wagers.close_betting(self.round)
        self.round.close = close
        body = wagers.betting_closed(close)
        self._chain(fact, WAGERS, "close", self.round.terms.round_id, "betting_closed", body, ())

    def _finish(self, fact: JournalRecord, reason: pb.VoidReason, *, void: bool = False) -> None:
        if self.round.close is None:
            self._close(fact)
        self.over = True
        subject = self.round.terms.round_id
        if self.round.payout is not None and not void:
            assert self._payout_due is not None
            body: Message = settlement.round_settled(self._payout_due)
            gates = ("close", "deal", "hands", "payout")
            self._chain(fact, SETTLEMENT, "outcome", subject, "round_settled", body, gates)
        else:
            body = settlement.round_voided(self.round, reason)
            self._chain(fact, SETTLEMENT, "outcome", subject, "round_voided", body, ("close",))

    def _granted(self, fact: JournalRecord, owner: str, refusal: pb.Answer | None) -> bool:
        """Answer a request that has one item; say whether it is accepted."""
        self._answer(fact, owner, answers.answered(refusal))
        return refusal is None

    def _answer(self, fact: JournalRecord, owner: str, answer: pb.RequestAnswered) -> None:
        self._decide(fact, owner, "request", fact.event_id, "request_answered", answer, ())

    def _chain(
        self,
        fact: JournalRecord,
        owner: str,
        question: str,
        subject: str,
        name: str,
        body: "Message",
        after: tuple[str, ...],
    ) -> None:
        gates = tuple(self._gates[before] for before in after)
        self._gates[question] = self._decide(fact, owner, question, subject, name, body, gates)

    def _decide(
        self,
        fact: JournalRecord,
        owner: str,
        question: str,
        subject: str,
        name: str,
        body: "Message",
        gates: tuple[str, ...],
    ) -> str:
        terms = self.round.terms
        event_id = decision_id(terms.table_id, terms.round_id, question, subject)
        record = JournalRecord(
            event_id=event_id,
            table_id=terms.table_id,
            round_id=terms.round_id,
            causation_id=fact.event_id,
            occurred_at=fact.occurred_at,
            source=owner,
        )
        getattr(record, name).CopyFrom(body)
        self._out.append(
            Decision(
                event_id,
                name,
                question,
                owner,
                terms.round_id,
                fact.occurred_at,
                gates,
                serialize(record),
            )
        )
        return event_id


_TAKE = {
    "wager_requested": Chain._wager_requested,
    "wager_withdrawal_requested": Chain._wager_withdrawal_requested,
    "no_more_bets": Chain._no_more_bets,
    "card_drawn": Chain._card_drawn,
    "packet_drawn": Chain._packet_drawn,
    "stub_counted": Chain._stub_counted,
    "dealer_exposed": Chain._dealer_exposed,
    "irregularity_reported": Chain._irregularity_reported,
    "card_corrected": Chain._card_corrected,
    "deal_ruled": Chain._deal_ruled,
    "hand_set": Chain._hand_set,
    "player_left": Chain._player_left,
    "abandonment_ruled": Chain._abandonment_ruled,
    "void_ordered": Chain._void_ordered,
    "round_closed": Chain._round_closed,
}
"""Facts that a round is made of; the others (conduct, payments) are only kept."""
