"""A table that writes facts as its console, terminals and supervisors would."""

import random
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from pitledger.cards import DECK_52, DECK_53, parse_card
from pitledger.journal.ids import fact_id
from pitledger.journal.record import CONSOLE_BODIES, JournalRecord, Stored
from pitledger.pb import cards_pb2, facts_pb2, money_pb2, rules_pb2
from pitledger.sources.submissions import Loaded, load_submission
from tests.kit.log import Log

ANTE, BONUS, POT, TIE, POKER = 1, 2, 3, 4, 5
KINDS = {"ante": ANTE, "bonus": BONUS, "pot": POT, "tie": TIE, "poker_bonus": POKER}
SHOE = cards_pb2.DEALING_METHOD_MANUAL_SHOE
AUTOMATED = cards_pb2.DEALING_METHOD_AUTOMATED_SHOE
SAIGON, HI_LO = "saigon5", "five_card_hi_lo"
SPLIT = {SAIGON: 3, HI_LO: 3}


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_card(one) for one in text.split())


class Table:
    """One table. Each method writes one fact (or the facts it names) and returns the last's id."""

    def __init__(
        self, game: str = SAIGON, table_id: str = "T1", log: Log | None = None, **policies: Any
    ) -> None:
        self.game, self.table_id = game, table_id
        self.log = log or Log()
        self.submission = _submission(game, tuple(sorted(policies.items())))
        self.number = self.serial = self.seq = 0
        self.round_id = ""
        self.seats: dict[int, str] = {}
        self.hands: dict[int, tuple[int, ...]] = {}
        self.has_set: set[int] = set()
        self.exposed = False
        self.written: dict[str, Stored] = {}
        self.opened = facts_pb2.RoundOpened()
        self._random = random.Random(table_id)

    # ---- the round's life

    def open(
        self,
        seats: Iterable[int] | Mapping[int, str] = (1, 2),
        *,
        number: int = 0,
        pot: int = 0,
        method: int = SHOE,
        **changes: Any,
    ) -> str:
        """Open the next round; seats are positions, or positions with their patrons."""
        self.number = number or self.number + 1
        self.seats = dict(seats) if isinstance(seats, Mapping) else {p: f"p{p}" for p in seats}
        content: dict[str, Any] = {
            "round_number": self.number,
            "adjudication_version": 1,
            "currency_code": "USD",
            "submission": self.submission.data,
            "submission_digest": self.submission.digest,
            "posted_limits": rules_pb2.PostedLimits(pot_amount_minor=pot),
            "seats": [facts_pb2.Seat(position=p, patron_id=who) for p, who in self.seats.items()],
            "dealing_method": method,
        }
        self.opened = facts_pb2.RoundOpened(**(content | changes))
        self.begin(self.new_id())
        return self.fact("round_opened", self.opened, event_id=self.round_id)

    def begin(self, round_id: str) -> None:
        """The console turns to this round."""
        self.round_id, self.seq, self.hands = round_id, 0, {}
        self.has_set, self.exposed = set(), False

    def wager(self, position: int, *, patron: str = "", instrument="value_chip", **kinds: int):
        stakes = [money_pb2.Stake(kind=KINDS[k], amount_minor=a) for k, a in kinds.items()]
        return self.fact(
            "wager_requested",
            facts_pb2.WagerRequested(
                position=position,
                patron_id=patron or self.seats.get(position, "stranger"),
                stakes=stakes,
                instrument=instrument,
            ),
        )

    def withdraw(self, position: int, *kinds: str, patron: str = ""):
        who = patron or self.seats.get(position, "stranger")
        message = facts_pb2.WagerWithdrawalRequested(
            position=position, patron_id=who, kinds=[KINDS[k] for k in kinds]
        )
        return self.fact("wager_withdrawal_requested", message)

    def no_more_bets(self) -> str:
        return self.console("no_more_bets", facts_pb2.NoMoreBets())

    def draw(self, ordinal: int, card: int | str, **envelope: Any) -> str:
        card = cards(card)[0] if isinstance(card, str) else card
        message = facts_pb2.CardDrawn(ordinal=ordinal, card=card)
        return self.console("card_drawn", message, **envelope)

    def packet(self, number: int, packet: Iterable[int]) -> str:
        return self.console("packet_drawn", facts_pb2.PacketDrawn(packet=number, cards=packet))

    def stub(self, count: int) -> str:
        return self.console("stub_counted", facts_pb2.StubCounted(cards=count))

    def stub_left(self) -> int:
        """What the stub should count after a regular deal."""
        return (53 if self.game == SAIGON else 52) - 5 * (len(self.seats) + 1)

    def expose(self, first: str = "", second: str = "") -> str:
        self.exposed = True
        message = facts_pb2.DealerExposed(first=cards(first), second=cards(second))
        return self.console("dealer_exposed", message)

    def set(self, position: int, first: Any = None, second: Any = None, *, patron: str = "") -> str:
        """Set a hand; by default its cards in the order dealt."""
        self.has_set.add(position)
        hand = self.hands.get(position, ())
        sizes = SPLIT[self.game]
        message = facts_pb2.HandSet(
            position=position,
            patron_id=patron or self.seats.get(position, "stranger"),
            first=_numbers(first) if first is not None else _drawn(hand[:sizes]),
            second=_numbers(second) if second is not None else _drawn(hand[sizes:]),
        )
        return self.fact("hand_set", message)

    def correct(self, ordinal: int, card: int | str) -> str:
        card = (cards(card)[0] if card else 0) if isinstance(card, str) else card
        message = facts_pb2.CardCorrected(ordinal=ordinal, card=card, reason="camera")
        return self.fact("card_corrected", message)

    def rule_deal(self) -> str:
        return self.fact("deal_ruled", facts_pb2.DealRuled(reason="all agree"))

    def void(self, position: int = 0) -> str:
        message = facts_pb2.VoidOrdered(position=position, reason="misdeal", authorised_by="s1")
        return self.fact("void_ordered", message)

    def left(self, position: int) -> str:
        return self.fact("player_left", facts_pb2.PlayerLeft(position=position))

    def abandon(self, position: int, reading: int) -> str:
        message = facts_pb2.AbandonmentRuled(position=position, reading=reading)
        return self.fact("abandonment_ruled", message)

    def report(self, kind: int = 1, position: int = 0) -> str:
        message = facts_pb2.IrregularityReported(kind=kind, position=position, note="seen")
        return self.fact("irregularity_reported", message)

    def note_conduct(self, position: int = 1) -> str:
        return self.fact("conduct_noted", facts_pb2.ConductNoted(kind=1, position=position))

    def paid(self, position: int, kind: int = ANTE, amount: int = 500) -> str:
        message = facts_pb2.PaymentRecorded(position=position, kind=kind, amount_minor=amount)
        return self.fact("payment_recorded", message)

    def close_round(self, revision: int = 1) -> str:
        return self.fact("round_closed", facts_pb2.RoundClosed(revision=revision))

    def close_table(self, *, round_id: str | None = None) -> str:
        envelope = {} if round_id is None else {"round_id": round_id}
        return self.fact("table_closed", facts_pb2.TableClosed(reason="end of day"), **envelope)

    # ---- several facts

    def deal(self, *hands: str, only: int = 0) -> None:
        """Deal hands (by position, the dealer's last), or some from a shuffled deck.

        `only`: the first so many cards.
        """
        order = sorted(self.seats)
        dealt = [cards(hand) for hand in hands] or self.some_hands(len(order) + 1)
        self.hands = dict(zip((*order, 0), dealt, strict=True))
        sequence = [hand[index] for index in range(5) for hand in dealt]
        for ordinal, card in enumerate(sequence[: only or len(sequence)], 1):
            self.draw(ordinal, card)

    def some_hands(self, count: int) -> list[tuple[int, ...]]:
        deck = sorted(DECK_53 if self.game == SAIGON else DECK_52)
        self._random.shuffle(deck)
        return [tuple(deck[5 * n : 5 * n + 5]) for n in range(count)]

    def set_all(self) -> None:
        for position in self.seats:
            self.set(position)

    def to_betting_closed(self, seats: Any = (1, 2), *, ante: int = 1000, **terms: Any) -> "Table":
        self.open(seats, **terms)
        pot = self.opened.posted_limits.pot_amount_minor
        for position in self.seats:
            self.wager(position, ante=ante, **({"pot": pot} if pot else {}))
        self.no_more_bets()
        return self

    def to_dealt(self, seats: Any = (1, 2), *hands: str, **terms: Any) -> "Table":
        self.to_betting_closed(seats, **terms)
        self.deal(*hands)
        return self

    def to_payout(self, seats: Any = (1, 2), *hands: str, **terms: Any) -> "Table":
        self.to_dealt(seats, *hands, **terms)
        self.set_all()
        self.expose()
        return self

    def play(self, seats: Any = (1, 2), *hands: str, **terms: Any) -> "Table":
        """A whole regular round."""
        self.to_payout(seats, *hands, **terms)
        self.close_round()
        return self

    # ---- any fact

    def console(self, body: str, message: Any, **envelope: Any) -> str:
        """A fact of the dealer's side: the console numbers it."""
        seq = envelope.pop("table_seq", None)
        if seq is None:
            self.seq += 1
            seq = self.seq
        return self.fact(body, message, table_seq=seq, **envelope)

    def fact(self, body: str, message: Any, **envelope: Any) -> str:
        record = self.record(body, message, **envelope)
        self.written[record.event_id] = self.log.put(record)
        return record.event_id

    def record(self, body: str, message: Any, **envelope: Any) -> JournalRecord:
        """A fact that is not written."""
        record = JournalRecord(**{
            "event_id": envelope.pop("event_id", "") or self.new_id(),
            "table_id": self.table_id,
            "round_id": self.round_id,
            "occurred_at": 1000 * self.log.clock,
            "source": "console" if body in CONSOLE_BODIES else "terminal",
            **envelope,
        })
        getattr(record, body).CopyFrom(message)
        getattr(record, body).SetInParent()
        return record

    def again(self, event_id: str) -> Stored:
        """The same bytes once more, as after an answer that was lost."""
        return self.log.again(self.written[event_id])

    def new_id(self) -> str:
        self.serial += 1
        return fact_id(self.log.clock, hash_of(self.table_id) << 32 | self.serial)


def hash_of(text: str) -> int:
    """A number that is the same in every process."""
    return random.Random(text).getrandbits(32)


def _drawn(hand: Iterable[int | None]) -> list[int]:
    return [card for card in hand if card is not None]


def _numbers(hand: Any) -> tuple[int, ...]:
    return cards(hand) if isinstance(hand, str) else tuple(hand)


@lru_cache
def _submission(game: str, policies: tuple[tuple[str, Any], ...]) -> Loaded:
    return load_submission("default", game, dict(policies) or None)
