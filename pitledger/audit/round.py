"""One round, from its RoundOpened to what ends it: facts in, the decisions due for them out."""

from dataclasses import dataclass, field
from typing import Any

from pitledger.audit.betting import Betting
from pitledger.audit.circles import ANTE, Circle, Hand, Line, Played
from pitledger.audit.deal import DEALER, Deal
from pitledger.audit.filing import Filed, read_filing
from pitledger.audit.hands import high_total, low_total, shown_count, three_qualify
from pitledger.audit.saigon import points_of
from pitledger.audit.settling import PotStory, first_size, play, settle
from pitledger.audit.shapes import (
    Item,
    Shape,
    Whatever,
    answer_shape,
    breach_shapes,
    close_shape,
    line_shapes,
    payout_shape,
    totals_shape,
)
from pitledger.journal.ids import decision_id
from pitledger.journal.record import Stored
from pitledger.pb import decisions_pb2 as decisions
from pitledger.pb import facts_pb2
from pitledger.pb import rules_pb2 as rules
from pitledger.pb.journal_pb2 import JournalRecord

CHAIN = ("close", "deal", "hands", "payout")
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


@dataclass(frozen=True, slots=True)
class Due:
    """A decision that the facts derive: its id, body and what it says, and the fact behind it."""

    event_id: str
    body: str
    source: str
    shape: Shape
    cause_id: str
    occurred_at: int
    offset: int
    after: tuple[str, ...]  # decisions that must be on the journal before it


@dataclass(frozen=True, slots=True)
class _Cause:
    event_id: str
    occurred_at: int
    offset: int


@dataclass(slots=True)
class _Now:
    """What can be derived at this moment, without revision."""

    deal: Shape | None = None
    hands: Shape | None = None
    payout: Shape | None = None
    bodies: dict[str, str] = field(default_factory=dict)


class Round:
    """A round in progress. `ended` is "", "settled" or "voided"."""

    def __init__(self, stored: Stored, record: JournalRecord) -> None:
        self.table_id = record.table_id
        self.round_id = record.round_id
        self.partition = stored.partition
        self.offset = stored.offset
        self.currency = record.round_opened.currency_code
        self.ended = ""
        self.circles: list[Circle] = []
        self._filed: Filed | None = read_filing(record.round_opened)
        self._betting = Betting(self._filed) if self._filed else None
        self._deal = Deal(self._filed) if self._filed else None
        self._closed = False
        self._sequence = 0
        self._had_effect: set[str] = set()
        self._sets: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self._left: set[int] = set()
        self._waiting: set[int] = set()  # left, and not to be settled without a ruling
        self._void: frozenset[int] = frozenset()
        self._readings: dict[int, int] = {}
        self._revision = 1
        self._now = _Now()
        self._lines: tuple[Line, ...] = ()
        self._pot: PotStory | None = None
        self._standing_ids: dict[str, str] = {}  # of each part of the chain, the last derived
        self._due: list[Due] = []
        self._cause = _Cause(record.event_id, record.occurred_at, stored.offset)

    def takes(self, record: JournalRecord) -> bool:
        """Whether a fact that names this round has effect in it."""
        if record.event_id in self._had_effect or record.event_id == self.round_id:
            return False
        body = record.WhichOneof("body")
        return body not in NUMBERED or record.table_seq == self._sequence + 1

    def fact(self, stored: Stored, record: JournalRecord) -> list[Due]:
        """Let a fact that has effect happen; return the decisions that it makes due."""
        self._had_effect.add(record.event_id)
        self._cause = _Cause(record.event_id, record.occurred_at, stored.offset)
        self._due = []
        if record.table_seq:
            self._sequence = record.table_seq
        body = record.WhichOneof("body")
        if body == "table_closed":
            self._end(ordered=False)
        elif self._filed is None:
            self._happen_without_rules(record, body or "")
        else:
            self._happen(record, body or "")
            if self._closed and not self.ended and body not in IDLE:
                self._derive()
        return self._due

    def overtaken(self, stored: Stored, record: JournalRecord) -> list[Due]:
        """The table's next round opens: this one ends."""
        self._cause = _Cause(record.event_id, record.occurred_at, stored.offset)
        self._due = []
        self._end(ordered=False)
        return self._due

    # ---- What happens ----

    def _happen_without_rules(self, record: JournalRecord, body: str) -> None:
        """Rules are invalid: every request is refused, but for a void of the round."""
        if body == "no_more_bets":
            self._close()
        elif body == "wager_requested":
            kinds = _kinds_of(record.wager_requested)
            self._answer("wagers", [(kind, False, 0) for kind in kinds])
        elif body == "wager_withdrawal_requested":
            kinds = _kinds_of(record.wager_withdrawal_requested)
            self._answer("wagers", [(kind, False, 0) for kind in kinds])
        elif body in _ANSWERED_BY:
            accepted = body == "void_ordered" and record.void_ordered.position == 0
            self._answer(_ANSWERED_BY[body], [(0, accepted, 0)])
            self._end_if_asked(record, body, accepted)

    def _happen(self, record: JournalRecord, body: str) -> None:
        assert self._betting is not None
        assert self._deal is not None
        match body:
            case "wager_requested":
                asked = record.wager_requested
                sums = self._betting.wager(record.event_id, asked)
                stands = zip(_kinds_of(asked), sums, strict=True)
                self._answer("wagers", [(kind, amount > 0, amount) for kind, amount in stands])
            case "wager_withdrawal_requested":
                back = record.wager_withdrawal_requested
                accepted, chips = self._betting.withdraw(back)
                given_back = zip(_kinds_of(back), accepted, strict=True)
                self._answer("wagers", [(kind, gone, 0) for kind, gone in given_back], chips)
            case "no_more_bets":
                self._close()
            case "card_drawn":
                self._deal.draw(record.event_id, record.card_drawn, not self._closed)
            case "packet_drawn":
                self._deal.draw_packet(record.event_id, record.packet_drawn, not self._closed)
            case "stub_counted":
                self._deal.count_stub(record.stub_counted.cards)
            case "irregularity_reported":
                self._deal.report(record.event_id, record.irregularity_reported.position)
            case "dealer_exposed":
                self._expose(record.event_id, record.dealer_exposed)
            case "player_left":
                self._player_left(record.player_left.position)
            case _ if body in _ANSWERED_BY:
                accept = getattr(self, f"_{body}")(getattr(record, body))
                self._answer(_ANSWERED_BY[body], [(0, accept, 0)])
                self._end_if_asked(record, body, accept)

    def _end_if_asked(self, record: JournalRecord, body: str, accepted: bool) -> None:
        if not accepted:
            return
        if body == "round_closed":
            self._end(ordered=False)
        elif body == "void_ordered" and record.void_ordered.position == 0:
            self._end(ordered=True)

    def _player_left(self, place: int) -> None:
        """His hand waits for a ruling, unless what it is worth is due already."""
        self._left.add(place)
        if self._now.payout is None:
            self._waiting.add(place)

    def _expose(self, event_id: str, exposed: facts_pb2.DealerExposed) -> None:
        assert self._deal is not None
        if self._deal.exposed:
            return
        waiting = [
            place
            for place in self._players()
            if place not in self._sets and place not in self._void and place not in self._left
        ]
        self._deal.expose(event_id, exposed, waiting, not self._closed)

    # ---- Requests: each says whether it is accepted, and lets it happen if so ----

    def _hand_set(self, asked: facts_pb2.HandSet) -> bool:
        assert self._deal is not None
        assert self._filed is not None
        place = asked.position
        if not self._closed or place not in self._players() or self._deal.exposed:
            return False
        if self._filed.seats.get(place) != asked.patron_id or place in self._void | self._left:
            return False
        if place in self._sets or not self._may_set_before_the_other(place):
            return False
        cards = self._deal.hands()[place].cards
        first, second = tuple(asked.first), tuple(asked.second)
        same_cards = sorted(first + second) == sorted(cards)
        if len(cards) != 5 or not same_cards or len(first) != first_size(self._filed.terms):
            return False
        self._sets[place] = (first, second)
        return True

    def _may_set_before_the_other(self, place: int) -> bool:
        """663a.7(f): of one patron's two hands the larger Ante first, else the higher position."""
        assert self._filed is not None
        if self._filed.terms.game != rules.GAME_FIVE_CARD_HI_LO:
            return True
        antes = {circle.position: circle.stake for circle in self.circles if circle.kind == ANTE}
        patron = self._filed.seats[place]
        for other in self._players():
            if other == place or self._filed.seats[other] != patron:
                continue
            done = other in self._sets or other in self._void or other in self._left
            if not done and (antes[other], other) > (antes[place], place):
                return False
        return True

    def _card_corrected(self, asked: facts_pb2.CardCorrected) -> bool:
        assert self._deal is not None
        if not self._deal.may_correct(asked.ordinal, asked.card):
            return False
        if not self._closed and self._deal.nothing_drawn:
            return False
        before = self._deal.hands()
        self._deal.correct(asked.ordinal, asked.card)
        for place, hand in self._deal.hands().items():
            if hand.cards != before[place].cards:
                self._sets.pop(place, None)
        return True

    def _deal_ruled(self, _: facts_pb2.DealRuled) -> bool:
        assert self._deal is not None
        if not self._closed or not self._deal.may_rule(self._void):
            return False
        self._deal.rule(self._void)
        return True

    def _abandonment_ruled(self, asked: facts_pb2.AbandonmentRuled) -> bool:
        assert self._filed is not None
        place = asked.position
        if not self._closed or place not in self._players() or place in self._void:
            return False
        filed = asked.reading in self._filed.terms.abandoned_wagers
        if place not in self._left or not filed:
            return False
        self._readings[place] = asked.reading
        return True

    def _void_ordered(self, asked: facts_pb2.VoidOrdered) -> bool:
        place = asked.position
        if place == 0:
            return True
        if not self._closed or place not in self._players() or place in self._void:
            return False
        self._void |= {place}
        return True

    def _round_closed(self, asked: facts_pb2.RoundClosed) -> bool:
        return self._now.payout is not None and asked.revision == self._revision

    # ---- What follows from it ----

    def _close(self) -> None:
        if self._closed:
            return
        self._closed = True
        chips: list[tuple[int, int, int]] = []
        if self._betting is not None:
            self.circles, chips = self._betting.close()
        players = self._players()
        if self._deal is not None and players:
            self._deal.places = (*players, DEALER)
        self._state("close", "betting_closed", self.round_id, close_shape(self.circles, chips))

    def _derive(self) -> None:
        """Derive deal, hands and payout anew; a change of one that was derived is a revision.

        Deal and hands are stated where they are new, the payout in every revision that has one.
        """
        if not self.circles:
            return
        before, now = self._now, self._derivable()
        changed = any(getattr(before, part) not in (None, getattr(now, part)) for part in CHAIN[1:])
        if changed:
            self._revision += 1
        self._now = now
        for part in CHAIN[1:]:
            content = getattr(now, part)
            restated = part == "payout" and changed
            if content is not None and (restated or content != getattr(before, part)):
                body = now.bodies[part]
                self._state(part, body, str(self._revision), self._with_revision(part, content))

    def _derivable(self) -> _Now:
        assert self._deal is not None
        now = _Now()
        open_breaches = self._deal.open_breaches(self._void)
        if open_breaches:
            now.deal = tuple(sorted(open_breaches))
            now.bodies["deal"] = "deal_irregular"
            return now
        if not self._deal.complete(self._void):
            return now
        dealt = self._deal.hands()
        shown = [(place, hand.cards, hand.ordinals) for place, hand in dealt.items()]
        now.deal = (tuple(shown),)
        now.bodies["deal"] = "hands_dealt"
        unruled = self._waiting.intersection(self._players()) - self._void - set(self._readings)
        if not self._deal.exposed or unruled:
            return now
        self._evaluate(now, {place: hand.cards for place, hand in dealt.items()})
        return now

    def _evaluate(self, now: _Now, dealt: dict[int, tuple[int, ...]]) -> None:
        assert self._filed is not None
        terms = self._filed.terms
        hands = {
            place: Hand(cards, self._sets.get(place))
            for place, cards in dealt.items()
            if place not in self._void
        }
        played = {place: play(terms, hand) for place, hand in hands.items()}
        now.hands = tuple((place, hands[place], played[place]) for place in hands)
        now.bodies["hands"] = "hands_evaluated"
        readings = {place: r for place, r in self._readings.items() if place not in self._void}
        self._lines, self._pot = settle(
            terms, self.circles, played, played[DEALER], self._void, readings
        )
        # A line names the ruling that it rests on, so a ruling alone makes another payout.
        now.payout = (self._lines, self._pot, tuple(sorted(readings.items())))
        now.bodies["payout"] = "payout_due"

    def _with_revision(self, part: str, content: Shape) -> Shape:
        if part == "payout":
            return payout_shape(self._revision, self._lines, self._pot, self.circles)
        if part == "hands":
            hands = tuple(self._hand_shape(*hand) for hand in content)  # type: ignore[misc]
            return self._revision, hands
        if self._now.bodies["deal"] == "hands_dealt":
            return self._revision, content[0]
        return self._revision, breach_shapes(content)  # type: ignore[arg-type]

    def _hand_shape(self, place: int, hand: Hand, played: Played) -> Shape:
        assert self._filed is not None
        terms = self._filed.terms
        split: object = Whatever(lambda said: _plays_so(terms, hand, said, played))
        if played.as_set and hand.split is not None:
            first, second = hand.split
            split = tuple(sorted(first)), tuple(sorted(second))
        hilo = terms.game == rules.GAME_FIVE_CARD_HI_LO
        any_total = Whatever(lambda said: isinstance(said, int))
        return (
            place,
            split,
            played.category,
            played.qualifies,
            played.count,
            played.high if hilo else any_total,
            played.low if hilo else any_total,
        )

    def _end(self, *, ordered: bool) -> None:
        self._close()
        if self._now.payout is not None and not ordered:
            self.ended = "settled"
            shape = payout_shape(self._revision, self._lines, self._pot, self.circles)
            self._state("outcome", "round_settled", self.round_id, shape)
            return
        self.ended = "voided"
        lines = [
            Line(circle.position, circle.kind, circle.stake, rules.OUTCOME_RETURN, 0)
            for circle in self.circles
        ]
        reason = decisions.VOID_REASON_ORDERED if ordered else decisions.VOID_REASON_NO_PAYOUT_DUE
        refunds = tuple(sorted(line_shapes(lines, self.circles)))  # type: ignore[type-var]
        shape = (refunds, reason, totals_shape(lines))
        for part in CHAIN[1:]:
            self._standing_ids.pop(part, None)
        self._state("outcome", "round_voided", self.round_id, shape)

    # ---- Writing down what is due ----

    def _answer(
        self,
        source: str,
        answers: list[Item],
        chips: list[tuple[int, int, int]] | None = None,
    ) -> None:
        shape = answer_shape(answers, chips or [])
        subject = self._cause.event_id
        self._note("request", "request_answered", source, subject, shape, ())

    def _state(self, question: str, body: str, subject: str, shape: Shape) -> None:
        before = CHAIN[: CHAIN.index(question)] if question in CHAIN else CHAIN
        after = tuple(self._standing_ids[part] for part in before if part in self._standing_ids)
        source = _SOURCES[question]
        self._note(question, body, source, subject, shape, after)
        self._standing_ids[question] = self._due[-1].event_id

    def _note(
        self,
        question: str,
        body: str,
        source: str,
        subject: str,
        shape: Shape,
        after: tuple[str, ...],
    ) -> None:
        event_id = decision_id(self.table_id, self.round_id, question, subject)
        cause = self._cause
        due = Due(
            event_id, body, source, shape, cause.event_id, cause.occurred_at, cause.offset, after
        )
        self._due.append(due)

    def _players(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(circle.position for circle in self.circles))


_SOURCES = {
    "close": "wagers",
    "deal": "dealing",
    "hands": "evaluation",
    "payout": "settlement",
    "outcome": "settlement",
}
_ANSWERED_BY = {
    "card_corrected": "dealing",
    "deal_ruled": "dealing",
    "hand_set": "evaluation",
    "void_ordered": "settlement",
    "abandonment_ruled": "settlement",
    "round_closed": "settlement",
}


def _kinds_of(
    asked: facts_pb2.WagerRequested | facts_pb2.WagerWithdrawalRequested,
) -> list[int]:
    """The kinds asked about; one item, of no kind, where nothing is asked."""
    if isinstance(asked, facts_pb2.WagerRequested):
        return [stake.kind for stake in asked.stakes] or [0]
    return [*asked.kinds] or [0]


def _plays_so(terms: rules.RulesSubmission, hand: Hand, said: Any, played: Played) -> bool:
    """Whether a split that a rule chose is made of the hand's cards and counts as it should."""
    first, second = said
    if sorted(first + second) != sorted(hand.cards) or len(first) != first_size(terms):
        return False
    if terms.game == rules.GAME_FIVE_CARD_HI_LO:
        hilo = terms.five_card_hi_lo
        return (high_total(first, hilo), low_total(second, hilo)) == (played.high, played.low)
    points = points_of(terms.saigon5)
    shown = three_qualify(first, points), shown_count(second, points)
    return shown == (played.qualifies, played.count)
