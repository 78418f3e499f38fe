"""A console for tests: writes facts as terminals would, and the decisions of the real fold."""

from hashlib import sha256
from typing import Any

from pitledger.derive import TableFold
from pitledger.journal.ids import fact_id
from pitledger.journal.record import JournalRecord, Stored, headers_of, partition_of, serialize
from pitledger.journal.vocabulary import NotAFact, read_fact
from pitledger.pb import cards_pb2, facts_pb2, money_pb2, rules_pb2
from pitledger.sources.submissions import load_submission

PARTITIONS = 4
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
    """One table's console and its journal; `auto` also writes what the real fold derives."""

    def __init__(self, game: str = "saigon5", table: str = "T1", auto: bool = True, **policies: Any):
        self.table, self.game, self.auto = table, game, auto
        self.partition = partition_of(table, PARTITIONS)
        self.submission = load_submission("default", game, policies or None)
        self.records: list[Stored] = []
        self.fold = TableFold()
        self.clock = NOW_MS
        self.serial = self.number = self.seq = 0
        self.round_id = ""

    def open(self, seats: Any = (1, 2), pot: int = 0, method: int = SHOE, **changes: Any) -> str:
        """Open the next round; seats are positions, or positions with their patrons."""
        self.number += 1
        self.seq = 0
        if not isinstance(seats, dict):
            seats = {position: f"p{position}" for position in seats}
        kinds = (ANTE, BONUS, POT) if self.game == "saigon5" else (ANTE, TIE, POKER)
        offered = [o for o in self.submission.message.wagers if o.kind in kinds and o.offered]
        body = {
            "round_number": self.number,
            "adjudication_version": 1,
            "currency_code": "USD",
            "submission": self.submission.data,
            "submission_digest": sha256(self.submission.data).digest(),
            "posted_limits": rules_pb2.PostedLimits(wagers=offered, pot_amount_minor=pot),
            "seats": [facts_pb2.Seat(position=p, patron_id=who) for p, who in seats.items()],
            "dealing_method": method,
            **changes,
        }
        event_id = self.new_id()
        self.round_id = event_id
        return self.write(event_id=event_id, round_opened=facts_pb2.RoundOpened(**body))

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
        """Write any record, and what the fold derives from it if it is a fact."""
        stored = self.stored(record)
        self.records.append(stored)
        if not self.auto:
            return
        try:
            fact = read_fact(
                stored.partition, PARTITIONS, stored.key, dict(stored.headers), stored.value
            )
        except NotAFact:
            return
        body = fact.WhichOneof("body") or ""
        derived = self.fold.fact(stored.offset, fact, body, stored.broker_time, stored.value)
        assert not derived.stuck, derived.stuck
        for decision in derived.decisions:
            self.records.append(self.stored(JournalRecord.FromString(decision.value)))

    def stored(self, record: JournalRecord) -> Stored:
        self.clock += 10
        return Stored(
            self.partition,
            len(self.records),
            self.clock,
            record.table_id.encode(),
            headers_of(record),
            serialize(record),
        )

    @staticmethod
    def parse(stored: Stored) -> JournalRecord:
        return JournalRecord.FromString(stored.value)

    def new_id(self) -> str:
        self.serial += 1
        return fact_id(self.clock, self.serial)
