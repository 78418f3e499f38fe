"""The settlement of a round, as its own facts derive it, and where a case looks it up."""

from dataclasses import dataclass, field
from typing import Protocol

from pitledger.journal.record import JournalRecord
from pitledger.pb import decisions_pb2 as d

Circle = tuple[int, int, int]
"""Position, kind of wager, counterparty (HOUSE or POT): what a line of money belongs to."""

OUTCOMES = frozenset(("round_settled", "round_voided"))


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a round's RoundSettled or RoundVoided says, and when its facts derived it.

    `value`: the record's bytes. `offset`, `at_ms`: place and broker time (ms) of the fact that
    ended the round, `caused_by` and `caused_at` (us) that fact's id and time. Amounts are minor
    units, positive to the position.
    """

    table_id: str
    round_id: str
    round_number: int
    event_id: str
    value: bytes
    offset: int
    at_ms: int
    caused_by: str
    caused_at: int
    currency: str
    gaming_day: str
    property_id: str
    pit_id: str
    dealer_id: str
    supervisor_id: str
    patrons: dict[int, str]
    """Who sat at each position."""
    profits: dict[Circle, int]
    is_void: bool

    @property
    def positions(self) -> frozenset[int]:
        return frozenset(self.patrons) | {position for position, _, _ in self.profits}


@dataclass(slots=True)
class Known:
    """A round that opened; `settlement`: None as long as it has none."""

    opened: JournalRecord
    partition: int
    offset: int
    settlement: Settlement | None = None


class Rounds(Protocol):
    """The rounds of a journal that opened, with their settlements."""

    def of(self, table_id: str, round_id: str) -> Known | None:
        """None: no such round opened there."""

    def opened(self, record: JournalRecord, partition: int, offset: int) -> None:
        """A RoundOpened, without its rules, had effect."""

    def settled(self, settlement: Settlement) -> None:
        """Of a round that is known."""


@dataclass(slots=True)
class RoundsInMemory:
    """All rounds of a journal that somebody reads once."""

    known: dict[tuple[str, str], Known] = field(default_factory=dict)

    def of(self, table_id: str, round_id: str) -> Known | None:
        return self.known.get((table_id, round_id))

    def opened(self, record: JournalRecord, partition: int, offset: int) -> None:
        self.known[record.table_id, record.event_id] = Known(record, partition, offset)

    def settled(self, settlement: Settlement) -> None:
        self.known[settlement.table_id, settlement.round_id].settlement = settlement


def settlement_of(opened: JournalRecord, outcome: bytes, offset: int, at_ms: int) -> Settlement:
    """`outcome`: as it was derived at the fact of this offset and broker time (ms)."""
    record, terms = JournalRecord.FromString(outcome), opened.round_opened
    body = record.WhichOneof("body") or ""
    return Settlement(
        table_id=opened.table_id,
        round_id=opened.event_id,
        round_number=terms.round_number,
        event_id=record.event_id,
        value=outcome,
        offset=offset,
        at_ms=at_ms,
        caused_by=record.causation_id,
        caused_at=record.occurred_at,
        currency=terms.currency_code,
        gaming_day=terms.gaming_day,
        property_id=terms.property_id,
        pit_id=terms.pit_id,
        dealer_id=terms.dealer_id,
        supervisor_id=terms.supervisor_id,
        patrons={seat.position: seat.patron_id for seat in terms.seats},
        profits=_profits(getattr(record, body).lines),
        is_void=body == "round_voided",
    )


def _profits(lines: "list[d.SettlementLine]") -> dict[Circle, int]:
    profits: dict[Circle, int] = {}
    for line in lines:
        circle = line.position, line.kind, line.counterparty
        profits[circle] = profits.get(circle, 0) + line.profit_minor
    return profits
