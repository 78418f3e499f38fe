"""The cards: a fair shuffle, and how a shoe or a hand reads them onto the journal.

`read` returns what the device writes, what truly lay on the layout (`truth`) and what the journal
will hold (`recorded`), both by ordinal from 1; they differ only by faults.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pitledger.cards import FOREIGN, JOKER
from pitledger.pb import facts_pb2
from pitledger.pb.cards_pb2 import DEALING_METHOD_AUTOMATED_SHOE, Card, DealingMethod
from services.floor.faults import Fault

HAND = 5
_STUMBLES = frozenset((Fault.MISSED_CARD, Fault.READ_TWICE, Fault.READ_AGAIN, Fault.EXTRA_CARD))


@dataclass(slots=True)
class Reading:
    """A deal as read: bodies in order of sending, `truth` and `recorded` by ordinal.

    The truth at an ordinal is 0 where no card was drawn, though the reader counted one. `silent`:
    ordinals misread as a card that nobody has. `doubtful`: right, but to be confirmed.
    """

    bodies: list[tuple[str, Any]]
    truth: dict[int, int]
    recorded: dict[int, int]
    silent: set[int] = field(default_factory=set)
    doubtful: set[int] = field(default_factory=set)

    def wrong(self) -> list[int]:
        """Ordinals whose recorded card is not the true one, silent misreadings apart."""
        if self.truth == self.recorded:
            return []
        both = self.truth.keys() | self.recorded.keys()
        return [o for o in sorted(both)
                if self.truth.get(o) != self.recorded.get(o) and o not in self.silent]

    def correct(self, ordinal: int, card: int) -> None:
        """The journal now holds this card there (0: none)."""
        self.recorded[ordinal] = card
        self.doubtful.discard(ordinal)

    def stands(self) -> None:
        """A supervisor ruled that the cards on record are the deal."""
        self.truth = dict(self.recorded)

    def drawn_already(self, count: int) -> None:
        """The first `count` cards went out, read rightly, before the rest: they are not sent."""
        self.bodies = [body for body in self.bodies if getattr(body[1], "ordinal", 0) != 1
                       and getattr(body[1], "packet", 0) != 1]
        for ordinal in range(1, count + 1):
            self.correct(ordinal, self.truth[ordinal])
            self.doubtful.add(ordinal)
            self.silent.discard(ordinal)

    def hand(self, index: int, hands: int, method: DealingMethod) -> list[int]:
        """Recorded cards of a hand (from 0, the dealer's last): counted as the dealer deals."""
        return _hand(self.recorded, index, hands, method)

    def true_hand(self, index: int, hands: int, method: DealingMethod) -> list[int]:
        """The cards that truly lie there."""
        return _hand(self.truth, index, hands, method)


def _hand(cards: dict[int, int], index: int, hands: int, method: DealingMethod) -> list[int]:
    slots: Sequence[int] = range(1, HAND * hands + 1)
    if len(cards) != len(slots) or 0 in cards.values():
        last = max(cards, default=0)
        slots = [o for o in range(1, last + 1) if cards.get(o) != 0][:HAND * hands]
    if method == DEALING_METHOD_AUTOMATED_SHOE:
        mine = slots[HAND * index:HAND * index + HAND]
    else:
        mine = slots[index::hands]
    return [cards[o] for o in mine if o in cards]


def shuffled(size: int, rng: Random) -> list[int]:
    """Cards 1 to `size` in a fair random order: Fisher-Yates, each draw uniform by rejection."""
    cards = list(range(1, size + 1))
    draw = rng.getrandbits
    for last in range(size - 1, 0, -1):
        bits = last.bit_length()
        pick = draw(bits)
        while pick > last:
            pick = draw(bits)
        cards[last], cards[pick] = cards[pick], cards[last]
    return cards


def read(deck: list[int], hands: int, method: DealingMethod, faults: Collection[Fault],
         rng: Random) -> Reading:
    """Deal five cards to each of `hands` from the top of `deck`, with the reading errors asked."""
    count = HAND * hands
    truth = {ordinal: deck[ordinal - 1] for ordinal in range(1, count + 1)}
    cards = deck[:count]
    silent = _misread(cards, deck, faults, rng) if faults else set()
    if _STUMBLES.intersection(faults):
        silent = set()  # the count is wrong, so every card is looked at
    packets = method == DEALING_METHOD_AUTOMATED_SHOE
    reading = (_packets if packets else _singles)(cards, deck, truth, silent, faults, rng)
    if Fault.LAST_UNREAD in faults and not _STUMBLES.intersection(faults):
        reading.bodies.pop()
        for ordinal in range(count - (HAND if packets else 1) + 1, count + 1):
            del reading.recorded[ordinal]
    return reading


def _misread(cards: list[int], deck: list[int], faults: Collection[Fault], rng: Random) -> set[int]:
    """Change `cards` as a bad reader would; return the ordinals where nothing shows it."""
    silent = set()
    if Fault.MISREAD in faults:
        place = rng.randrange(len(cards))
        cards[place] = deck[rng.randrange(len(cards), len(deck))]
        silent.add(place + 1)
    if Fault.MISREAD_AS_DEALT in faults:
        place = rng.randrange(1, len(cards))
        cards[place] = deck[rng.randrange(place)]
        silent.discard(place + 1)
    if Fault.FOREIGN_CARD in faults:
        place = rng.randrange(len(cards))
        cards[place] = JOKER if len(deck) == 52 and rng.random() < 0.5 else FOREIGN
        silent.discard(place + 1)
    return silent


def _singles(cards: list[int], deck: list[int], truth: dict[int, int], silent: set[int],
             faults: Collection[Fault], rng: Random) -> Reading:
    events = list(enumerate(cards, 1))
    reading = Reading([], truth, {}, silent)
    if faults:
        _stumble(events, reading, deck, faults, rng)
    for ordinal, card in events:
        reading.recorded.setdefault(ordinal, card)
    reading.bodies = [("card_drawn", facts_pb2.CardDrawn(ordinal=ordinal, card=_card(card)))
                      for ordinal, card in events]
    return reading


def _stumble(events: list[tuple[int, int]], reading: Reading, deck: list[int],
             faults: Collection[Fault], rng: Random) -> None:
    """Missed, repeated and extra readings of single cards."""
    count = len(events)
    place = rng.randrange(count)
    if Fault.MISSED_CARD in faults:
        events.pop(place)
        if rng.random() < 0.3:  # the reader counts on without it
            events[place:] = [(ordinal - 1, card) for ordinal, card in events[place:]]
    elif Fault.READ_TWICE in faults:
        ordinal, card = events[place]
        events[place + 1:] = [(o + 1, c) for o, c in events[place + 1:]]
        events.insert(place + 1, (ordinal + 1, card))
        moved = {o + 1: c for o, c in reading.truth.items() if o > ordinal}
        reading.truth.update(moved)
        reading.truth[ordinal + 1] = 0
    elif Fault.READ_AGAIN in faults:
        events.insert(place + 1, events[place])
        reading.doubtful.add(place + 1)
    elif Fault.EXTRA_CARD in faults:
        events.append((count + 1, deck[count]))
        reading.truth[count + 1] = 0


def _packets(cards: list[int], deck: list[int], truth: dict[int, int], silent: set[int],
             faults: Collection[Fault], rng: Random) -> Reading:
    packets = [(number, cards[HAND * (number - 1):HAND * number])
               for number in range(1, len(cards) // HAND + 1)]
    reading = Reading([], truth, {}, silent)
    if faults:
        _stumble_packets(packets, reading, deck, faults, rng)
    for number, packet in packets:
        for index, card in enumerate(packet[:HAND]):
            reading.recorded[HAND * (number - 1) + 1 + index] = card
    reading.bodies = [
        ("packet_drawn", facts_pb2.PacketDrawn(packet=number, cards=packet))  # type: ignore[arg-type]
        for number, packet in packets
    ]
    return reading


def _stumble_packets(packets: list[tuple[int, list[int]]], reading: Reading, deck: list[int],
                     faults: Collection[Fault], rng: Random) -> None:
    """Missed, repeated, extra and over-long packets."""
    count = len(packets)
    place = rng.randrange(count)
    mine = range(HAND * place + 1, HAND * place + HAND + 1)
    if Fault.MISSED_CARD in faults:
        if rng.random() < 0.5:
            packets.pop(place)
        else:
            packets[place][1].pop()
    elif Fault.READ_TWICE in faults or Fault.READ_AGAIN in faults:
        packets.insert(place + 1, packets[place])
        reading.doubtful.update(mine)
    elif Fault.EXTRA_CARD in faults and rng.random() < 0.5:
        packets[place][1].append(deck[HAND * count])
        reading.doubtful.update(mine)
    elif Fault.EXTRA_CARD in faults:
        extra = deck[HAND * count:HAND * count + HAND]
        packets.append((count + 1, extra))
        reading.truth.update((HAND * count + 1 + index, 0) for index in range(len(extra)))


def _card(number: int) -> Card:
    return number  # type: ignore[return-value]  # protobuf enums are plain ints
