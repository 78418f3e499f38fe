"""Changes made to a round's facts, one kind after the other, so that what follows fits them.

Rules first, then wagers, cards, splits, rulings. A card that is changed lies wherever the old one
lay: a set in which the old card was keeps its arrangement. No event id changes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from pitledger import words
from pitledger.cards import Card, notation, shown
from pitledger.games import compile_rules
from pitledger.games.game import DEALER
from pitledger.journal.ids import fact_id, time_of_fact_id
from pitledger.journal.record import JournalRecord, serialize
from pitledger.journal.vocabulary import as_fact
from pitledger.pb import facts_pb2
from pitledger.whatif import changes as c
from pitledger.whatif.changes import Applied, CannotBe, Change
from pitledger.whatif.names import reading_name, whose
from pitledger.whatif.played import Facts, Outcome, Placed
from pitledger.whatif.rules import OtherRules

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from pitledger.games.game import Rules

_Kind = TypeVar("_Kind")


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The facts of a round as they would be, and what was changed to make them so.

    `requests`: ids of requests that are there in one of the two only.
    """

    facts: Facts
    applied: tuple[Applied, ...]
    requests: frozenset[str]


def suppose(
    facts: Facts, outcome: Outcome, rules: OtherRules, changes: Sequence[Change]
) -> Hypothesis:
    """Make the changes; `outcome` is that of the facts as they are. Raises CannotBe.

    Of two changes of one thing the later counts. What is so already is no change.
    """
    opening = rules.opening(facts[0])
    applied = tuple(rules.applied(facts[0], opening)) if opening is not facts[0] else ()
    if not changes:
        return Hypothesis((opening, *facts[1:]), applied, frozenset())
    making = _Making([opening, *facts[1:]], outcome, list(applied))
    last = {change.name: change for change in changes}.values()
    for wager in _some(last, c.Wager):
        making.wager(wager)
    making.cards(last)
    making.splits(last)
    for ruling in _some(last, c.Abandoned):
        making.abandoned(ruling)
    for void in _some(last, c.Void):
        making.void(void)
    for stands in _some(last, c.DealStands):
        making.deal_stands(stands)
    return Hypothesis(tuple(making.facts), tuple(making.applied), frozenset(making.requests))


@dataclass(slots=True)
class _Making:
    """Facts under change."""

    facts: list[Placed]
    outcome: Outcome
    applied: list[Applied]
    requests: set[str] = field(default_factory=set)
    hands: dict[int, list[Card]] = field(default_factory=dict)  # as they would be

    @property
    def opened(self) -> facts_pb2.RoundOpened:
        return self.facts[0].fact.record.round_opened

    @property
    def rules(self) -> "Rules":
        return compile_rules(self.opened.submission)

    # ---- wagers

    def wager(self, change: c.Wager) -> None:
        """The circle's accepted requests, the last of them asking for more or less."""
        asked = self._contributions(change)
        was = sum(amount for _, _, amount in asked)
        if was == change.amount:
            return
        if not asked:
            self._put_down(change)
            return
        left = change.amount
        for number, (index, stake, amount) in enumerate(asked, 1):
            share = left if number == len(asked) else min(left, amount)
            left -= share
            if share != amount:
                self._restake(index, stake, share)
        self._drop_empty_stakes()
        self._note_wager(change, was, asked[-1][0])

    def _contributions(self, change: c.Wager) -> list[tuple[int, int, int]]:
        """Of what lies in the circle at the close: fact, stake in it, amount."""
        answers = self.outcome.answers()
        found: list[tuple[int, int, int]] = []
        for index, placed in enumerate(self.facts):
            answer = answers.get(placed.event_id)
            record = placed.fact.record
            if answer is None:
                continue
            if placed.fact.body == "wager_withdrawal_requested":
                back = {(chips.position, chips.kind) for chips in answer.returned}
                if (change.position, change.kind) in back:
                    found = []
            if placed.fact.body != "wager_requested":
                continue
            if record.wager_requested.position != change.position:
                continue
            for stake, asked in enumerate(record.wager_requested.stakes):
                if asked.kind == change.kind and not answer.answers[stake].refusal:
                    found.append((index, stake, asked.amount_minor))
        return found

    def _restake(self, index: int, stake: int, amount: int) -> None:
        record = _copy(self.facts[index])
        record.wager_requested.stakes[stake].amount_minor = amount
        self.facts[index] = self.facts[index].saying(record)

    def _drop_empty_stakes(self) -> None:
        """A stake of nothing is not asked for, nor is a request without any made."""
        kept = []
        for placed in self.facts:
            stakes = placed.fact.record.wager_requested.stakes
            if placed.fact.body != "wager_requested" or all(s.amount_minor for s in stakes):
                kept.append(placed)
                continue
            record = _copy(placed)
            del record.wager_requested.stakes[:]
            record.wager_requested.stakes.extend(s for s in stakes if s.amount_minor)
            if record.wager_requested.stakes:
                kept.append(placed.saying(record))
            else:
                self.requests.add(placed.event_id)
        self.facts = kept

    def _put_down(self, change: c.Wager) -> None:
        """A circle in which nothing lay: a request of its own, before the betting closes."""
        seats = {seat.position: seat.patron_id for seat in self.opened.seats}
        if change.position not in seats:
            raise CannotBe(f"{change.name}: nobody is seated at position {change.position}")
        request = facts_pb2.WagerRequested(
            position=change.position,
            patron_id=seats[change.position],
            instrument=self.rules.submission.accepted_instruments[0],
        )
        request.stakes.add(kind=change.kind, amount_minor=change.amount)
        index = self._index_of("no_more_bets")
        self._insert(index, "wager_requested", request, change.name)
        self._note_wager(change, 0, index)

    def _note_wager(self, change: c.Wager, was: int, index: int) -> None:
        currency = self.opened.currency_code
        offset = self.facts[min(index, len(self.facts) - 1)].offset
        would_be = words.money(change.amount, currency)
        self._note(change.name, words.money(was, currency), would_be, offset)

    # ---- cards

    def cards(self, changes: Iterable[Change]) -> None:
        """Change the fact that last said which card lies at an ordinal, then the sets."""
        dealt = self.outcome.dealt
        hands = [*dealt.hands, dealt.dealer] if dealt else []
        ordinals = {hand.position: list(hand.ordinals) for hand in hands}
        self.hands = {hand.position: list(hand.cards) for hand in hands}
        wanted: dict[int, tuple[str, Card]] = {}
        for change in changes:
            match change:
                case c.HandCard(name, position, place, card):
                    ordinal = _ordinal(name, ordinals.get(position), place, bool(dealt))
                    wanted[ordinal] = name, card
                case c.DealtCard(name, ordinal, card):
                    wanted[ordinal] = name, card
                case _:
                    pass
        exchanged: dict[int, dict[Card, Card]] = {}
        for ordinal, (name, card) in wanted.items():
            old = self._change_card(name, ordinal, card)
            for position, own in ordinals.items():
                if ordinal in own and old != card:
                    self.hands[position][own.index(ordinal)] = card
                    exchanged.setdefault(position, {})[old] = card
        for position, new in exchanged.items():
            self._follow(position, new)

    def _change_card(self, name: str, ordinal: int, card: Card) -> Card:
        """Return the card that lay there."""
        index, place = self._says_card(ordinal)
        if index < 0:
            raise CannotBe(f"{name}: no card {ordinal} was dealt")
        record = _copy(self.facts[index])
        old: Card
        match self.facts[index].fact.body:
            case "packet_drawn":
                old = record.packet_drawn.cards[place]
                record.packet_drawn.cards[place] = card
            case "card_drawn":
                old = record.card_drawn.card
                record.card_drawn.card = card
            case _:
                old = record.card_corrected.card
                record.card_corrected.card = card
        if old != card:
            self.facts[index] = self.facts[index].saying(record)
            self._note(name, shown(old), shown(card), self.facts[index].offset)
        return old

    def _says_card(self, ordinal: int) -> tuple[int, int]:
        """The fact that last said it, and the place within its packet; -1: none did."""
        answers = self.outcome.answers()
        first, corrected = (-1, 0), (-1, 0)
        for index, placed in enumerate(self.facts):
            record = placed.fact.record
            match placed.fact.body:
                case "card_drawn" if record.card_drawn.ordinal == ordinal and first[0] < 0:
                    first = index, 0
                case "packet_drawn" if first[0] < 0:
                    place = ordinal - 5 * (record.packet_drawn.packet - 1) - 1
                    if 0 <= place < min(5, len(record.packet_drawn.cards)):
                        first = index, place
                case "card_corrected" if record.card_corrected.ordinal == ordinal:
                    if not answers[placed.event_id].answers[0].refusal:
                        corrected = index, 0
        return corrected if corrected[0] >= 0 else first

    def _follow(self, position: int, new: dict[Card, Card]) -> None:
        """Sets in which the old cards lay keep their arrangement with the new ones."""
        body = "hand_set" if position else "dealer_exposed"
        for index, placed in enumerate(self.facts):
            if placed.fact.body != body:
                continue
            record = _copy(placed)
            split = getattr(record, body)
            if position and split.position != position:
                continue
            if not new.keys() & {*split.first, *split.second}:
                continue
            was = _split(split)
            for half in (split.first, split.second):
                half[:] = [new.get(card, card) for card in half]
            self.facts[index] = placed.saying(record)
            self._note("", f"{whose(position)}: {was}", _split(split), placed.offset)

    # ---- splits

    def splits(self, changes: Iterable[Change]) -> None:
        by_rule = {change.position: change.name for change in _some(changes, c.SetByRule)}
        halves: dict[int, dict[int, c.SplitHalf]] = {}
        for change in _some(changes, c.SplitHalf):
            halves.setdefault(change.position, {})[change.half] = change
        for position, name in by_rule.items():
            if position in halves:
                raise CannotBe(f"{name}: its split is given too; give one of the two")
            split = self.rules.evaluate(position, self._hand(name, position), None).split
            self._set(name, position, split.first, split.second)
        for position, given in halves.items():
            name = next(iter(given.values())).name
            self._set(name, position, *self._whole(position, given))

    def _whole(
        self, position: int, given: dict[int, c.SplitHalf]
    ) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
        """Both halves of a split of which one, or both, are given."""
        name = next(iter(given.values())).name
        hand = self._hand(name, position)
        for half in given.values():
            size = self.rules.split_sizes[half.half]
            if len(half.cards) != size:
                raise CannotBe(f"{half.name}: found {len(half.cards)} cards; {size} are needed")
        left = list(hand)
        for half in given.values():
            for card in half.cards:
                if card not in left:
                    cards = " ".join(map(notation, hand))
                    raise CannotBe(f"{half.name}: {notation(card)} is none of the hand's: {cards}")
                left.remove(card)
        first, second = (given[half].cards if half in given else tuple(left) for half in (0, 1))
        return first, second

    def _hand(self, name: str, position: int) -> tuple[Card, ...]:
        hand = self.hands.get(position)
        if hand is None or len(hand) != 5:
            raise CannotBe(f"{name}: {_who(position)} was not dealt a hand")
        return tuple(hand)

    def _set(
        self, name: str, position: int, first: Sequence[Card], second: Sequence[Card]
    ) -> None:
        if position == DEALER:
            self._expose(name, first, second)
            return
        answers = self.outcome.answers()
        for index, placed in reversed(list(enumerate(self.facts))):
            record = placed.fact.record
            if placed.fact.body != "hand_set" or record.hand_set.position != position:
                continue
            if not answers[placed.event_id].answers[0].refusal:
                self._reset(name, index, "hand_set", first, second)
                return
        seats = {seat.position: seat.patron_id for seat in self.opened.seats}
        hand_set = facts_pb2.HandSet(
            position=position, patron_id=seats[position], first=first, second=second
        )
        index = self._index_of("dealer_exposed")
        self._insert(index, "hand_set", hand_set, name)
        self._note(name, "not set", _split(hand_set), self.facts[index].offset)

    def _expose(self, name: str, first: Sequence[Card], second: Sequence[Card]) -> None:
        for index, placed in enumerate(self.facts):
            if placed.fact.body == "dealer_exposed":
                self._reset(name, index, "dealer_exposed", first, second)
                return
        raise CannotBe(f"{name}: the dealer's cards were not turned up")

    def _reset(
        self, name: str, index: int, body: str, first: Sequence[Card], second: Sequence[Card]
    ) -> None:
        record = _copy(self.facts[index])
        split = getattr(record, body)
        if sorted(split.first) == sorted(first) and sorted(split.second) == sorted(second):
            return
        was = _split(split)
        split.first[:], split.second[:] = first, second
        self.facts[index] = self.facts[index].saying(record)
        self._note(name, was, _split(split), self.facts[index].offset)

    # ---- rulings

    def abandoned(self, change: c.Abandoned) -> None:
        for index, placed in reversed(list(enumerate(self.facts))):
            record = placed.fact.record
            if placed.fact.body != "abandonment_ruled":
                continue
            if record.abandonment_ruled.position != change.position:
                continue
            was = record.abandonment_ruled.reading
            if was != change.reading:
                record = _copy(placed)
                record.abandonment_ruled.reading = change.reading
                self.facts[index] = placed.saying(record)
                texts = reading_name(was), reading_name(change.reading)
                self._note(change.name, *texts, placed.offset)
            return
        raise CannotBe(f"{change.name}: no supervisor ruled on position {change.position}")

    def void(self, change: c.Void) -> None:
        answers = self.outcome.answers()
        orders = [
            placed
            for placed in self.facts
            if placed.fact.body == "void_ordered"
            and placed.fact.record.void_ordered.position == change.position
            and not answers[placed.event_id].answers[0].refusal
        ]
        if change.ordered == bool(orders):
            return
        if not change.ordered:
            self._drop(orders)
            self._note(change.name, "ordered", "not ordered", orders[0].offset)
            return
        order = facts_pb2.VoidOrdered(position=change.position, reason="what if")
        index = self._index_of("dealer_exposed" if change.position else "round_closed")
        self._insert(index, "void_ordered", order, change.name)
        self._note(change.name, "not ordered", "ordered", self.facts[index].offset)

    def deal_stands(self, change: c.DealStands) -> None:
        rulings = [placed for placed in self.facts if placed.fact.body == "deal_ruled"]
        if change.ruled == bool(rulings):
            return
        if not change.ruled:
            self._drop(rulings)
            self._note(change.name, "ruled to stand", "not ruled", rulings[0].offset)
            return
        index = self._index_of("dealer_exposed") + 1
        self._insert(index, "deal_ruled", facts_pb2.DealRuled(reason="what if"), change.name)
        self._note(change.name, "not ruled", "ruled to stand", self.facts[index].offset)

    # ---- facts put in and taken out

    def _index_of(self, body: str) -> int:
        """Of the first such fact; else of the round's last, before which all else came."""
        for index, placed in enumerate(self.facts):
            if placed.fact.body == body:
                return index
        return len(self.facts) - 1

    def _insert(self, index: int, body: str, message: "Message", name: str) -> None:
        """Put a fact before the one at an index, at its time."""
        if index == 0:
            raise CannotBe(f"{name}: nothing happened in this round yet")
        index = min(index, len(self.facts) - 1)
        beside = self.facts[index]
        round_id = self.facts[0].event_id
        random_bits = int.from_bytes(sha256(f"{round_id}/{name}".encode()).digest()[:9], "big")
        record = JournalRecord(
            event_id=fact_id(time_of_fact_id(round_id), random_bits),
            table_id=self.facts[0].fact.record.table_id,
            round_id=round_id,
            occurred_at=beside.fact.record.occurred_at,
            source="what if",
        )
        getattr(record, body).CopyFrom(message)
        fact = as_fact(record, serialize(record))
        self.facts.insert(index, Placed(beside.offset, beside.broker_time, fact, invented=True))
        self.requests.add(record.event_id)

    def _drop(self, some: Sequence[Placed]) -> None:
        ids = {placed.event_id for placed in some}
        self.requests |= ids
        self.facts = [placed for placed in self.facts if placed.event_id not in ids]

    def _note(self, name: str, was: str, would_be: str, offset: int) -> None:
        self.applied.append(Applied(name, was, would_be, offset))


def _some(changes: Iterable[Change], kind: type[_Kind]) -> Iterator[_Kind]:
    return (change for change in changes if isinstance(change, kind))


def _copy(placed: Placed) -> JournalRecord:
    record = JournalRecord()
    record.CopyFrom(placed.fact.record)
    return record


def _ordinal(name: str, ordinals: list[int] | None, place: int, dealt: bool) -> int:
    if ordinals is None or place > len(ordinals):
        text = "no hand was dealt there" if dealt else (
            "the deal was never regular, so that nobody's cards are known; name a card of the"
            " whole deal, such as deal.7")
        raise CannotBe(f"{name}: {text}")
    return ordinals[place - 1]


def _who(position: int) -> str:
    return f"position {position}" if position else "the dealer"


def _split(split: Any) -> str:
    """Both hands of a HandSet or a DealerExposed."""
    if not split.first and not split.second:
        return "not recorded"
    return f"{words.cards(split.first)} | {words.cards(split.second)}"
