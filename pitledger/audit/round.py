"""One round, from its RoundOpened to what ends it: facts in, the decisions due for them out."""

from pitledger.audit.betting import Chips, asked_kinds
from pitledger.audit.circles import Circle, Line
from pitledger.audit.due import WRITTEN_BY, Docket, Due
from pitledger.audit.filing import read_filing
from pitledger.audit.in_play import InPlay
from pitledger.audit.judged import Judged, deal_says, hands_say, payout_says
from pitledger.audit.shapes import close_shape, line_shapes, totals_shape
from pitledger.journal.record import Stored
from pitledger.pb import decisions_pb2 as decisions
from pitledger.pb import facts_pb2
from pitledger.pb import rules_pb2 as rules
from pitledger.pb.journal_pb2 import JournalRecord

NUMBERED = ("no_more_bets", "card_drawn", "packet_drawn", "stub_counted", "dealer_exposed")
IDLE = (
    "wager_requested",
    "wager_withdrawal_requested",
    "hand_set",
    "player_left",
    "conduct_noted",
    "payment_recorded",
)
"""Facts that change neither the deal nor, as no hand is set after the exposure, what is due."""


class Round:
    """A round in progress. `ended` is "", "settled" or "voided"; `game` "" where what it files is
    invalid.
    """

    def __init__(self, stored: Stored, record: JournalRecord) -> None:
        self.table_id = record.table_id
        self.round_id = record.round_id
        self.partition = stored.partition
        self.offset = stored.offset
        self.currency = record.round_opened.currency_code
        self.version = record.round_opened.adjudication_version
        self.game = ""
        self.ended = ""
        self.circles: list[Circle] = []
        filed = read_filing(record.round_opened)
        if filed is not None:
            self.game = rules.Game.Name(filed.terms.game).removeprefix("GAME_").lower()
        self._in_play = InPlay(filed) if filed else None
        self._closed = False
        self._sequence = 0
        self._had_effect = {record.event_id}
        self._revision = 1
        self._now = Judged()
        self._docket = Docket(record.table_id, record.round_id)

    @property
    def payout_is_due(self) -> bool:
        return self._now.payout is not None

    def takes(self, record: JournalRecord) -> bool:
        """Whether a fact that names this round has effect in it."""
        if record.event_id in self._had_effect:
            return False
        body = record.WhichOneof("body")
        return body not in NUMBERED or record.table_seq == self._sequence + 1

    def fact(self, stored: Stored, record: JournalRecord) -> list[Due]:
        """Let a fact that has effect happen; return the decisions that it makes due."""
        self._had_effect.add(record.event_id)
        self._docket.begin(stored.offset, record)
        if record.table_seq:
            self._sequence = record.table_seq
        body = record.WhichOneof("body") or ""
        if body == "table_closed":
            self._end(ordered=False)
        elif body == "no_more_bets":
            self._close()
        elif body == "wager_requested":
            self._wager(record)
        elif body == "wager_withdrawal_requested":
            self._withdraw(record.wager_withdrawal_requested)
        elif body in WRITTEN_BY:
            self._request(record, body)
        elif self._in_play is not None:
            self._in_play.happens(record, body, payout_due=self._now.payout is not None)
        if self._closed and not self.ended and body not in IDLE:
            self._derive()
        return self._docket.taken()

    def overtaken(self, stored: Stored, record: JournalRecord) -> list[Due]:
        """The table's next round opens: this one ends."""
        self._docket.begin(stored.offset, record)
        self._end(ordered=False)
        return self._docket.taken()

    def _wager(self, record: JournalRecord) -> None:
        asked = record.wager_requested
        kinds = asked_kinds([stake.kind for stake in asked.stakes])
        sums = [0] * len(kinds)
        if self._in_play is not None:
            sums = self._in_play.betting.wager(record.event_id, asked)
        stands = zip(kinds, sums, strict=True)
        self._docket.answer([(kind, amount > 0, amount) for kind, amount in stands])

    def _withdraw(self, asked: facts_pb2.WagerWithdrawalRequested) -> None:
        kinds = asked_kinds([*asked.kinds])
        gone, chips = [False] * len(kinds), list[Chips]()
        if self._in_play is not None:
            gone, chips = self._in_play.betting.withdraw(asked)
        given_back = zip(kinds, gone, strict=True)
        self._docket.answer([(kind, accepted, 0) for kind, accepted in given_back], chips)

    def _request(self, record: JournalRecord, body: str) -> None:
        """A request by a player, a supervisor or the console; two of them end the round."""
        ends_void = body == "void_ordered" and record.void_ordered.position == 0
        if ends_void:
            accepted = True
        elif body == "round_closed":
            due = self._now.payout is not None
            accepted = due and record.round_closed.revision == self._revision
        else:
            accepted = self._in_play is not None and self._in_play.grants(record, body)
        self._docket.answer([(0, accepted, 0)])
        if accepted and (ends_void or body == "round_closed"):
            self._end(ordered=ends_void)

    def _close(self) -> None:
        if self._closed:
            return
        self._closed = True
        chips: list[Chips] = []
        if self._in_play is not None:
            self.circles, chips = self._in_play.close()
        self._docket.state("close", "betting_closed", close_shape(self.circles, chips))

    def _derive(self) -> None:
        """Derive deal, hands and payout anew; a change of one that was derived is a revision.

        Deal and hands are stated where they are new, the payout in every revision that has one.
        """
        if self._in_play is None:
            return
        before, now = self._now, self._in_play.judged(self.circles)
        changed = (
            before.deal not in (None, now.deal)
            or before.hands not in (None, now.hands)
            or before.payout not in (None, now.payout)
        )
        self._revision += changed
        self._now = now
        number, terms = self._revision, self._in_play.terms
        if now.deal is not None and now.deal != before.deal:
            self._docket.state("deal", *deal_says(now.deal, number), number)
        if now.hands is not None and now.hands != before.hands:
            self._docket.state("hands", *hands_say(terms, now.hands, number), number)
        if now.payout is not None and (changed or before.payout is None):
            self._docket.state("payout", *payout_says(now.payout, self.circles, number), number)

    def _end(self, *, ordered: bool) -> None:
        self._close()
        if self._now.payout is not None and not ordered:
            self.ended = "settled"
            _, shape = payout_says(self._now.payout, self.circles, self._revision)
            self._docket.state("outcome", "round_settled", shape)
            return
        self.ended = "voided"
        lines = [
            Line(circle.position, circle.kind, circle.stake, rules.OUTCOME_RETURN, 0)
            for circle in self.circles
        ]
        reason = decisions.VOID_REASON_ORDERED if ordered else decisions.VOID_REASON_NO_PAYOUT_DUE
        refunds = tuple(sorted(line_shapes(lines, self.circles)))  # type: ignore[type-var]
        self._docket.state("outcome", "round_voided", (refunds, reason, totals_shape(lines)))
