"""The deal: cards by ordinal, whose they are, and what is wrong with them (680a.9, 663a.9).

Everything that can be worked out from the cards as they lie is worked out anew each time it is
asked for; kept are only the cards and what happened once (a card before the close, a report).
"""

from dataclasses import dataclass

from pitledger.audit.filing import Filed
from pitledger.pb import decisions_pb2 as decisions
from pitledger.pb import facts_pb2

DEALER = 0
NOBODY = -1
MISSING = -1


@dataclass(frozen=True, slots=True, order=True)
class Breach:
    """One thing wrong with the deal; `about` is the fact that shows it, if one alone does."""

    kind: int
    ordinal: int = 0
    position: int = NOBODY
    number: int = 0
    about: str = ""


@dataclass(frozen=True, slots=True)
class DealtCards:
    """A hand: its cards in the order dealt, and their ordinals."""

    cards: tuple[int, ...] = ()
    ordinals: tuple[int, ...] = ()


class Deal:
    """Cards as drawn and corrected. `places` are the positions dealt to, the dealer (0) last."""

    def __init__(self, filed: Filed) -> None:
        self._filed = filed
        self._cards: dict[int, int | None] = {}  # None: a supervisor says that there was none
        self._happened: set[Breach] = set()
        self._ruled: frozenset[Breach] = frozenset()
        self._seen: dict[tuple[int, int, int], Breach] = {}  # since a supervisor last acted
        self._stub: int | None = None
        self._turned_up: tuple[int, ...] = ()
        self.exposed = False
        self.places: tuple[int, ...] = ()

    @property
    def nothing_drawn(self) -> bool:
        return not self._cards

    def draw(self, event_id: str, drawn: facts_pb2.CardDrawn, betting_open: bool) -> None:
        """A single card."""
        if self._filed.automated:
            self._happens(event_id, decisions.BREACH_KIND_DEALING_METHOD, drawn.ordinal)
        self._put(event_id, drawn.ordinal, drawn.card, betting_open)

    def draw_packet(self, event_id: str, drawn: facts_pb2.PacketDrawn, betting_open: bool) -> None:
        """A packet of five."""
        first = 5 * (drawn.packet - 1) + 1
        shown = first if first < 2**32 else 0  # what a record can bear
        if not self._filed.automated:
            self._happens(event_id, decisions.BREACH_KIND_DEALING_METHOD, shown)
        if len(drawn.cards) != 5:
            self._happens(event_id, decisions.BREACH_KIND_PACKET_SIZE, shown)
        for index, card in enumerate(drawn.cards[:5]):
            self._put(event_id, first + index, card, betting_open)

    def count_stub(self, cards: int) -> None:
        self._stub = cards

    def report(self, event_id: str, position: int) -> None:
        """A person reports an irregularity, of one hand or of the deal (0)."""
        self._happens(event_id, decisions.BREACH_KIND_REPORTED, position=position or NOBODY)

    def expose(
        self,
        event_id: str,
        exposed: facts_pb2.DealerExposed,
        unset: list[int],
        betting_open: bool,
    ) -> None:
        """The dealer's cards are turned up; `unset` are the hands that should have been set."""
        self.exposed = True
        self._turned_up = (*exposed.first, *exposed.second)
        for position in [NOBODY] if betting_open else unset:
            self._happens(event_id, decisions.BREACH_KIND_EXPOSED_EARLY, position=position)

    def may_correct(self, ordinal: int, card: int) -> bool:
        """Whether a correction names a possible ordinal, and a card of the deck or none."""
        possible = 1 <= ordinal <= self._filed.deck_size
        return possible and (card == 0 or self._filed.in_deck(card))

    def correct(self, ordinal: int, card: int) -> None:
        """The card at this ordinal was this one, or none (0)."""
        self.looked_at()
        self._cards[ordinal] = card or None
        cleared = (
            decisions.BREACH_KIND_CARD_BEFORE_CLOSE,
            decisions.BREACH_KIND_ORDINAL_REPEATED,
        )
        packet = 5 * ((ordinal - 1) // 5) + 1
        self._happened = {
            breach
            for breach in self._happened
            if not (breach.kind in cleared and breach.ordinal == ordinal)
            and not (breach.kind == decisions.BREACH_KIND_PACKET_SIZE and breach.ordinal == packet)
        }

    def hands(self) -> dict[int, DealtCards]:
        """The cards that exist, in the order of their ordinals, dealt round the table."""
        mine: dict[int, list[int]] = {place: [] for place in self.places}
        for ordinal, place in self._owners().items():
            if ordinal in self._cards:
                mine[place].append(ordinal)
        return {
            place: DealtCards(tuple(self._cards[one] or 0 for one in ordinals), tuple(ordinals))
            for place, ordinals in mine.items()
        }

    def open_breaches(self, void: frozenset[int]) -> frozenset[Breach]:
        """What is wrong and not ruled to stand; a void hand's faults hurt nobody."""
        return self._breaches(void) - self._ruled

    def may_rule(self, void: frozenset[int]) -> bool:
        """Whether there is something to rule, and each hand that plays has five of the deck."""
        hands = self.hands()
        whole = all(
            len(hand.cards) == 5 and all(map(self._filed.in_deck, hand.cards))
            for place, hand in hands.items()
            if place not in void
        )
        return bool(hands) and whole and bool(self.open_breaches(void))

    def rule(self, void: frozenset[int]) -> None:
        """All that is wrong now stands."""
        self._ruled |= self._breaches(void)
        self.looked_at()

    def looked_at(self) -> None:
        """A supervisor acted on the deal: only what is wrong now is wrong."""
        self._seen = {}

    def complete(self, void: frozenset[int]) -> bool:
        """Whether all cards were dealt, and every hand that plays has five."""
        needed = 5 * len(self.places)
        if max(self._cards, default=0) < needed:
            return False
        return len(self._dealt()) >= needed and self._whole(void)

    def _whole(self, void: frozenset[int]) -> bool:
        hands = self.hands()
        return all(len(hands[place].cards) == 5 for place in hands if place not in void)

    def _happens(
        self, event_id: str, kind: int, ordinal: int = 0, position: int = NOBODY, number: int = 0
    ) -> None:
        self._happened.add(Breach(kind, ordinal, position, number, event_id))

    def _put(self, event_id: str, ordinal: int, card: int, betting_open: bool) -> None:
        if not 1 <= ordinal <= self._filed.deck_size:
            number = 100 * ordinal + card
            self._happens(event_id, decisions.BREACH_KIND_ORDINAL_IMPOSSIBLE, number=number)
            return
        if ordinal in self._cards:
            self._happens(event_id, decisions.BREACH_KIND_ORDINAL_REPEATED, ordinal)
            return
        if betting_open:
            self._happens(event_id, decisions.BREACH_KIND_CARD_BEFORE_CLOSE, ordinal)
        self._cards[ordinal] = card

    def _existing(self) -> list[int]:
        """Ordinals at which there was a card; one drawn as unspecified (0) was there too."""
        return sorted(ordinal for ordinal, card in self._cards.items() if card is not None)

    def _dealt(self) -> list[int]:
        """Ordinals up to the last card's; a missing card holds its place, "no card" does not."""
        last = max(self._existing(), default=0)
        return [one for one in range(1, last + 1) if self._cards.get(one, 0) is not None]

    def _owners(self) -> dict[int, int]:
        """Whose card lies at each ordinal: one at a time round the table, or five at a time."""
        owners = {}
        count = len(self.places)
        for index, ordinal in enumerate(self._dealt()[: 5 * count]):
            turn = index // 5 if self._filed.automated else index % count
            owners[ordinal] = self.places[turn]
        return owners

    def _breaches(self, void: frozenset[int]) -> frozenset[Breach]:
        if self._plainly_regular() and not self._seen:
            return frozenset()
        owners = self._owners()
        for one in self._wrong_cards(void) | self._wrong_count(void):
            self._seen[one.kind, one.ordinal, one.position] = one
        wrong = self._happened | set(self._seen.values())
        return frozenset(
            breach
            for breach in wrong
            if breach.position not in void and owners.get(breach.ordinal) not in void
        )

    def _plainly_regular(self) -> bool:
        """Nothing happened, and cards 1, 2, 3 ... of the deck lie there, each once."""
        if self._happened or self.exposed or self._stub is not None:
            return False
        count = len(self._cards)
        cards = set(self._cards.values())
        return (
            count <= 5 * len(self.places)
            and len(cards) == count
            and (not count or max(self._cards) == count)
            and all(card is not None and self._filed.in_deck(card) for card in cards)
        )

    def _wrong_cards(self, void: frozenset[int]) -> set[Breach]:
        owners = self._owners()
        wrong = set()
        seen: set[int] = set()
        for ordinal in self._dealt():
            owner = owners.get(ordinal, DEALER)
            if owner in void:
                continue
            card = self._cards.get(ordinal, MISSING)
            if card == MISSING:
                wrong.add(Breach(decisions.BREACH_KIND_ORDINAL_MISSING, ordinal, owner))
            elif not self._filed.in_deck(card or 0):
                kind = decisions.BREACH_KIND_CARD_NOT_IN_DECK
                wrong.add(Breach(kind, ordinal, owner, card or 0))
            elif card in seen:
                kind = decisions.BREACH_KIND_DUPLICATE_CARD
                wrong.add(Breach(kind, ordinal, owner, card or 0))
            seen.add(card or 0)
        turned_up = sorted(self._turned_up)
        dealer = self.hands().get(DEALER, DealtCards())
        if turned_up and len(dealer.cards) == 5 and turned_up != sorted(dealer.cards):
            wrong.add(Breach(decisions.BREACH_KIND_EXPOSED_OTHER_CARDS))
        return wrong

    def _wrong_count(self, void: frozenset[int]) -> set[Breach]:
        dealt, needed = len(self._dealt()), 5 * len(self.places)
        wrong = set()
        if dealt > needed:
            wrong.add(Breach(decisions.BREACH_KIND_TOO_MANY_CARDS, number=dealt))
        if dealt < needed and (self.exposed or self._stub is not None):
            wrong.add(Breach(decisions.BREACH_KIND_TOO_FEW_CARDS))
        should_be_left = self._filed.deck_size - len(self._existing())
        if self._stub not in (None, should_be_left) and dealt >= needed and self._whole(void):
            number = 100 * should_be_left + (self._stub or 0)
            wrong.add(Breach(decisions.BREACH_KIND_STUB_COUNT, number=number))
        return wrong
