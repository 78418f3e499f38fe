"""A console for tests: writes facts as terminals would; four engines write their decisions."""

from hashlib import sha256
from typing import Any

from pitledger.engine import Emit, Engine
from pitledger.journal.ids import fact_id
from pitledger.journal.record import (
    Headers,
    JournalRecord,
    Stored,
    headers_of,
    partition_of,
    serialize,
)
from pitledger.pb import cards_pb2, facts_pb2, money_pb2, rules_pb2
from pitledger.sources.submissions import load_submission

PARTITIONS = 4
OWNERS = ("wagers", "dealing", "evaluation", "settlement")
NOW_MS = 1_800_000_000_000
ANTE, BONUS, POT, TIE, POKER = 1, 2, 3, 4, 5
SHOE = cards_pb2.DEALING_METHOD_MANUAL_SHOE
AUTOMATED = cards_pb2.DEALING_METHOD_AUTOMATED_SHOE
RANKS, SUITS = "A23456789TJQK", "cdhs"


def card(text: str) -> int:
    """`As`, `Td`, `Jk` as a number."""
    return 53 if text == "Jk" else 13 * SUITS.index(text[1]) + RANKS.index(text[0]) + 1


def cards(text: str) -> tuple[int, ...]:
    return tuple(card(one) for one in text.split())


class Desk:
    """One table's console, and the journal in which nobody else writes but the engines."""

    def __init__(self, game: str = "saigon5", table: str = "T1", **policies: Any) -> None:
        self.table, self.game = table, game
        self.partition = partition_of(table, PARTITIONS)
        self.submission = load_submission("default", game, policies or None)
        self.records: list[Stored] = []
        self.engines = [Engine(owner, PARTITIONS) for owner in OWNERS]
        for engine in self.engines:
            engine.on_assigned(self.partition, watermark=0, end=0)
        self.clock = NOW_MS
        self.serial = self.number = self.seq = 0
        self.round_id = ""

    def open(self, seats: Any = (1, 2), pot: int = 0, method: int = SHOE, **changes: Any) -> str:
        """Open the next round; seats are positions, or positions with their patrons."""
        self.number += 1
        self.seq = 0
        event_id = self.new_id()
        self.round_id = event_id
        content = self.opening(seats, self.number, pot, method, **changes)
        return self.write(event_id=event_id, round_opened=content)

    def opening(
        self, players: Any, number: int, pot: int = 0, method: int = SHOE, **changes: Any
    ) -> facts_pb2.RoundOpened:
        if not isinstance(players, dict):
            players = {position: f"p{position}" for position in players}
        offered = [offer for offer in self.submission.message.wagers if offer.offered]
        content = {
            "round_number": number,
            "adjudication_version": 1,
            "currency_code": "USD",
            "submission": self.submission.data,
            "submission_digest": sha256(self.submission.data).digest(),
            "posted_limits": rules_pb2.PostedLimits(wagers=offered, pot_amount_minor=pot),
            "seats": [facts_pb2.Seat(position=p, patron_id=who) for p, who in players.items()],
            "dealing_method": method,
            **changes,
        }
        return facts_pb2.RoundOpened(**content)

    def wager(self, position: int, patron: str = "", instrument: str = "value_chip", **kinds: int):
        stakes = [
            money_pb2.Stake(kind=globals()[kind.upper()], amount_minor=amount)
            for kind, amount in kinds.items()
        ]
        return self.fact(
            "wager_requested",
            position=position,
            patron_id=patron or f"p{position}",
            stakes=stakes,
            instrument=instrument,
        )

    def withdraw(self, position: int, *kinds: int, patron: str = ""):
        who = patron or f"p{position}"
        self.fact("wager_withdrawal_requested", position=position, patron_id=who, kinds=kinds)

    def close(self):
        self.fact("no_more_bets")

    def deal(self, *hands: str):
        """Hands in the order of positions, the dealer's last, one card at a time."""
        dealt = [cards(hand) for hand in hands]
        for turn in range(5 * len(dealt)):
            self.draw(turn + 1, dealt[turn % len(dealt)][turn // len(dealt)])

    def packets(self, *hands: str):
        for number, hand in enumerate(hands, 1):
            self.fact("packet_drawn", packet=number, cards=cards(hand))

    def draw(self, ordinal: int, number: int):
        self.fact("card_drawn", ordinal=ordinal, card=number)

    def set(self, position: int, first: str, second: str, patron: str = ""):
        self.fact(
            "hand_set",
            position=position,
            patron_id=patron or f"p{position}",
            first=cards(first),
            second=cards(second),
        )

    def fact(self, body: str, **content: Any) -> str:
        """Any fact of the open round, numbered if it is of the dealer's side."""
        field = JournalRecord.DESCRIPTOR.fields_by_name[body]
        message = field.message_type._concrete_class(**content)
        if 60 <= field.number < 70:
            self.seq += 1
            return self.write(table_seq=self.seq, **{body: message})
        return self.write(**{body: message})

    def write(self, event_id: str = "", **content: Any) -> str:
        """A record with this content in its envelope; returns its event id."""
        event_id = event_id or self.new_id()
        envelope = {
            "table_id": self.table,
            "round_id": self.round_id,
            "occurred_at": self.clock * 1000,
            "source": "console",
            **content,
        }
        record = JournalRecord(event_id=event_id, **envelope)
        self.put(record)
        return event_id

    def put(self, record: JournalRecord) -> None:
        """Write any record, and what the four engines write then."""
        self.append(record.table_id.encode(), headers_of(record), serialize(record))

    def append(self, key: bytes, headers: Headers, value: bytes) -> None:
        """Append a message to the journal, and whatever the engines emit at it."""
        unread = [self.stored(key, headers, value)]
        while unread:
            stored = unread.pop(0)
            self.records.append(stored)
            for engine in self.engines:
                for effect in engine.on_record(
                    stored.partition,
                    stored.offset,
                    stored.broker_time,
                    stored.key,
                    stored.headers,
                    stored.value,
                ):
                    if isinstance(effect, Emit):
                        offset = len(self.records) + len(unread)
                        unread.append(
                            self.stored(effect.key, effect.headers, effect.value, offset)
                        )

    def stored(
        self, key: bytes, headers: Headers, value: bytes, offset: int | None = None
    ) -> Stored:
        self.clock += 10
        at = len(self.records) if offset is None else offset
        return Stored(self.partition, at, self.clock, key, headers, value)

    @staticmethod
    def parse(stored: Stored) -> JournalRecord:
        return JournalRecord.FromString(stored.value)

    def new_id(self, minutes: int = 0) -> str:
        """A fresh id, of so many minutes from now."""
        self.serial += 1
        return fact_id(self.clock + 60_000 * minutes, self.serial)
