"""A round's facts under change: what is put in, taken out and said otherwise is noted."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from pitledger import words
from pitledger.cards import Card
from pitledger.games import compile_rules
from pitledger.journal.ids import fact_id, time_of_fact_id
from pitledger.journal.record import JournalRecord, serialize
from pitledger.journal.vocabulary import as_fact
from pitledger.pb import facts_pb2
from pitledger.whatif.changes import Applied, CannotBe, Change
from pitledger.whatif.played import Outcome, Placed

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from pitledger.games.game import Rules

_Kind = TypeVar("_Kind")


@dataclass(slots=True)
class Making:
    """Facts under change. `outcome`: of the facts as they are.

    `requests`: ids of those that are there in one of the two only. `hands`: cards by position as
    they would be dealt.
    """

    facts: list[Placed]
    outcome: Outcome
    applied: list[Applied]
    requests: set[str] = field(default_factory=set)
    hands: dict[int, list[Card]] = field(default_factory=dict)

    @property
    def opened(self) -> facts_pb2.RoundOpened:
        return self.facts[0].fact.record.round_opened

    @property
    def rules(self) -> "Rules":
        return compile_rules(self.opened.submission)

    @property
    def seats(self) -> dict[int, str]:
        return {seat.position: seat.patron_id for seat in self.opened.seats}

    def index_of(self, body: str) -> int:
        """Of the first such fact; else of the round's last, before which all else came."""
        for index, placed in enumerate(self.facts):
            if placed.fact.body == body:
                return index
        return len(self.facts) - 1

    def insert(self, index: int, body: str, message: "Message", name: str) -> None:
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

    def drop(self, some: Sequence[Placed]) -> None:
        ids = {placed.event_id for placed in some}
        self.requests |= ids
        self.facts = [placed for placed in self.facts if placed.event_id not in ids]

    def note(self, name: str, was: str, would_be: str, offset: int) -> None:
        self.applied.append(Applied(name, was, would_be, offset))


def some(changes: Iterable[Change], kind: type[_Kind]) -> Iterator[_Kind]:
    return (change for change in changes if isinstance(change, kind))


def copied(placed: Placed) -> JournalRecord:
    record = JournalRecord()
    record.CopyFrom(placed.fact.record)
    return record


def split_text(split: Any) -> str:
    """Both hands of a HandSet or a DealerExposed."""
    if not split.first and not split.second:
        return "not recorded"
    return f"{words.cards(split.first)} | {words.cards(split.second)}"
