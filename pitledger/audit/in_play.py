"""A round's chips, cards and people, while its rules are valid."""

from pitledger.audit.betting import Betting, Chips
from pitledger.audit.circles import ANTE, Circle
from pitledger.audit.deal import DEALER, Deal
from pitledger.audit.filing import Filed
from pitledger.audit.judged import Judged, Split, Table, judge
from pitledger.audit.settling import first_size
from pitledger.pb import facts_pb2
from pitledger.pb import rules_pb2 as rules
from pitledger.pb.journal_pb2 import JournalRecord


class InPlay:
    """What happens at a table whose rules are valid; each request is granted or changes nothing."""

    def __init__(self, filed: Filed) -> None:
        self.terms = filed.terms
        self.betting = Betting(filed)
        self._filed = filed
        self._deal = Deal(filed)
        self._antes: dict[int, int] = {}  # of the positions with a circle at the close
        self._sets: dict[int, Split] = {}
        self._left: set[int] = set()
        self._waiting: set[int] = set()
        self._void: frozenset[int] = frozenset()
        self._readings: dict[int, int] = {}

    def close(self) -> tuple[list[Circle], list[Chips]]:
        """No more bets: the circles that stand, and the chips that go back."""
        circles, chips = self.betting.close()
        self._antes = {one.position: one.stake for one in circles if one.kind == ANTE}
        if self._antes:
            self._deal.places = (*sorted(self._antes), DEALER)
        return circles, chips

    def judged(self, circles: list[Circle]) -> Judged:
        """What can be derived now."""
        table = Table(self._sets, self._void, frozenset(self._waiting), self._readings)
        return judge(self.terms, circles, self._deal, table)

    def happens(self, record: JournalRecord, body: str, *, payout_due: bool) -> None:
        """A fact that asks for nothing."""
        betting_open = self.betting.open
        match body:
            case "card_drawn":
                self._deal.draw(record.event_id, record.card_drawn, betting_open)
            case "packet_drawn":
                self._deal.draw_packet(record.event_id, record.packet_drawn, betting_open)
            case "stub_counted":
                self._deal.count_stub(record.stub_counted.cards)
            case "irregularity_reported":
                self._deal.report(record.event_id, record.irregularity_reported.position)
            case "dealer_exposed" if not self._deal.exposed:
                gone = self._left | self._void | set(self._sets)
                unset = [place for place in self._antes if place not in gone]
                self._deal.expose(record.event_id, record.dealer_exposed, unset, betting_open)
            case "player_left":
                self._left.add(record.player_left.position)
                # Position 0 is no player's. What his hand is worth is not yet known: it waits.
                if not payout_due and record.player_left.position != DEALER:
                    self._waiting.add(record.player_left.position)

    def grants(self, record: JournalRecord, body: str) -> bool:
        """Whether a request is accepted; if so, it has happened."""
        match body:
            case "hand_set":
                return self._set(record.hand_set)
            case "card_corrected":
                return self._correct(record.card_corrected)
            case "deal_ruled":
                return self._rule_deal()
            case "abandonment_ruled":
                return self._rule_abandoned(record.abandonment_ruled)
            case "void_ordered":
                return self._void_position(record.void_ordered.position)
        return False

    def _set(self, asked: facts_pb2.HandSet) -> bool:
        place = asked.position
        if self._filed.seats.get(place) != asked.patron_id or not self._plays(place):
            return False
        if self._deal.exposed or place in self._left or place in self._sets:
            return False
        if not self._may_set_before_the_other(place):
            return False
        cards = self._deal.hands()[place].cards
        first, second = tuple(asked.first), tuple(asked.second)
        same_cards = sorted(first + second) == sorted(cards)
        if len(cards) != 5 or not same_cards or len(first) != first_size(self.terms):
            return False
        self._sets[place] = (first, second)
        return True

    def _may_set_before_the_other(self, place: int) -> bool:
        """663a.7(f): of one patron's two hands the larger Ante first, else the higher position."""
        if self.terms.game != rules.GAME_FIVE_CARD_HI_LO:
            return True
        seats, mine = self._filed.seats, (self._antes[place], place)
        done = set(self._sets) | self._void | self._left
        return not any(
            (ante, other) > mine and other not in done and seats[other] == seats[place]
            for other, ante in self._antes.items()
        )

    def _correct(self, asked: facts_pb2.CardCorrected) -> bool:
        if not self._deal.may_correct(asked.ordinal, asked.card):
            return False
        if self.betting.open and self._deal.nothing_drawn:
            return False
        before = self._deal.hands()
        self._deal.correct(asked.ordinal, asked.card)
        for place, hand in self._deal.hands().items():
            if hand.cards != before[place].cards:
                self._sets.pop(place, None)
        return True

    def _rule_deal(self) -> bool:
        if self.betting.open or not self._deal.may_rule(self._void):
            return False
        self._deal.rule(self._void)
        return True

    def _rule_abandoned(self, asked: facts_pb2.AbandonmentRuled) -> bool:
        place = asked.position
        filed = asked.reading in self.terms.abandoned_wagers
        if not self._plays(place) or place not in self._left or not filed:
            return False
        self._readings[place] = asked.reading
        return True

    def _void_position(self, place: int) -> bool:
        if not self._plays(place):
            return False
        self._void |= {place}
        self._deal.looked_at()
        return True

    def _plays(self, place: int) -> bool:
        """Whether a position has a circle after the close, and is not void."""
        return place in self._antes and place not in self._void
