"""What leaves the floor: one message for the journal, and the pen that writes a table's facts."""

from dataclasses import dataclass
from random import Random
from typing import Any

from pitledger.journal.ids import fact_id
from pitledger.journal.record import TYPE_OF_BODY, Headers, JournalRecord, serialize

CONSOLE = "console"
"""Lane of the table's console; its facts are sent one after the other."""
SUPERVISOR = "supervisor"
"""Lane of the supervisor's tablet."""
STRANGER = "stranger"
"""Lane of whoever has no business on the journal."""

_TYPES = {name: ("ce_type", full.encode()) for name, full in TYPE_OF_BODY.items()}
_SPEC = ("ce_specversion", b"1.0")


@dataclass(frozen=True, slots=True)
class OutgoingFact:
    """A message to append to the partition of `table_id`; `astray`: to any other partition.

    `lane` is the device: each lane sends the next when the last is acknowledged, lanes are
    independent. `record` is None where the value is no record of this contract.
    """

    table_id: str
    lane: str
    record: JournalRecord | None
    key: bytes
    headers: Headers
    value: bytes
    astray: bool = False

    @property
    def event_id(self) -> str:
        """The record's event id; "" if it is none."""
        return self.record.event_id if self.record else ""


class Pen:
    """Writes the facts of one table: command ids from the time and the table's generator."""

    def __init__(self, table_id: str, rng: Random) -> None:
        self.table_id = table_id
        self.key = table_id.encode()
        self.now_us = 0
        self.skew_us = 0
        """How far the devices' clocks are from the true time; ids and openings do not follow."""
        self._rng = rng

    def new_id(self, time_us: int = 0) -> str:
        """A UUIDv7 of `time_us`, else of now."""
        return fact_id((time_us or self.now_us) // 1000, self._rng.getrandbits(74))

    def fact(
        self, lane: str, name: str, body: Any, round_id: str = "", *,
        source: str = "", actor: str = "", seq: int = 0,
        event_id: str = "", occurred_at: int = 0, case_id: str = "",
    ) -> OutgoingFact:
        """A fact with the body `name`; its id and time are new unless given."""
        record = JournalRecord(
            event_id=event_id or self.new_id(),
            table_id=self.table_id,
            round_id=round_id,
            case_id=case_id,
            occurred_at=occurred_at or self.now_us + self.skew_us,
            source=source or f"{self.table_id}/{lane}",
            actor=actor,
            table_seq=seq,
            **{name: body},
        )
        return self.message(lane, name, record)

    def message(self, lane: str, name: str, record: JournalRecord) -> OutgoingFact:
        """A record of the body `name` as it is sent: serialised, with its headers."""
        headers = (
            _SPEC,
            ("ce_id", record.event_id.encode()),
            ("ce_source", record.source.encode()),
            _TYPES[name],
            ("ce_subject", (record.round_id or record.case_id or record.table_id).encode()),
        )
        return OutgoingFact(self.table_id, lane, record, self.key, headers, serialize(record))
