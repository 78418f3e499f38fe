"""The frozen part of a table's fold: what opens and ends a round, sequence, repeats, staleness.

This is one code for every adjudication version and does not change for this topic: two builds that
know different versions must agree on which round is open at each offset.
"""

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from hashlib import sha256
from operator import attrgetter

from pitledger.journal.ids import time_of_fact_id
from pitledger.journal.record import CONSOLE_BODIES, JournalRecord
from pitledger.journal.vocabulary import Fact

STALE_MS = 5 * 60 * 1000
"""A RoundOpened whose own times lie further than this from its broker timestamp is stale."""

MEMORY_MS = 10 * 60 * 1000
"""A RoundOpened bears an id unlike, and a number above, all of the last ten minutes of broker time.

It is twice STALE_MS, so that no id can open two rounds: both openings would lie within five minutes
of the time in the id. Openings that bear a later broker time (its clock went back) count as well.
"""


@dataclass(slots=True)
class OpenRound:
    """A round that is open, as far as every version knows it."""

    round_id: str
    first_offset: int
    version: int
    next_seq: int = 1
    effective: dict[str, bytes] = field(default_factory=dict)
    """Event ids that had effect, with the SHA-256 of the record's bytes: these may be a megabyte,
    and a round is held until it ends."""


@dataclass(slots=True)
class _Number:
    """A RoundOpened that was not stale, whether or not it had effect."""

    broker_time: int
    round_number: int
    round_id: str


_BROKER_TIME = attrgetter("broker_time")


class Table:
    """Which round of one table is open; mutable, folded from the table's facts in order."""

    __slots__ = ("_numbers", "open")

    def __init__(self) -> None:
        self.open: OpenRound | None = None
        self._numbers: list[_Number] = []  # by broker time

    def note_number(self, record: JournalRecord, broker_time: int) -> str:
        """Remember a RoundOpened (also of before the watermark) and say why it has no effect.

        "" if it has. One that is stale is not remembered.
        """
        if is_stale(record, broker_time):
            return "stale"
        first = bisect_left(self._numbers, broker_time - MEMORY_MS, key=_BROKER_TIME)
        recent = self._numbers[first:]
        number = _Number(broker_time, record.round_opened.round_number, record.event_id)
        insort(self._numbers, number, key=_BROKER_TIME)
        if any(n.round_id == number.round_id for n in recent):
            return "round_id_repeated"
        if any(n.round_number >= number.round_number for n in recent):
            return "round_number_not_rising"
        return ""

    def forget(self, before: int) -> bool:
        """Drop the round numbers of before a broker time; say whether there were any."""
        dropped = bisect_left(self._numbers, before, key=_BROKER_TIME)
        del self._numbers[:dropped]
        return dropped > 0

    def start(self, opened: Fact, offset: int) -> OpenRound:
        """Open the round of a RoundOpened that has effect; the one before it is over."""
        record = opened.record
        version = record.round_opened.adjudication_version
        self.open = OpenRound(record.event_id, offset, version)
        self.open.effective[record.event_id] = _digest(opened.value)
        return self.open

    def without_effect(self, fact: Fact) -> str:
        """Say why a fact (no RoundOpened) has no effect on the open round; "" if it has."""
        record = fact.record
        if not record.round_id:
            return "case_fact" if record.case_id else "table_fact"
        current = self.open
        if current is None:
            return "no_open_round"
        if current.round_id != record.round_id:
            return "other_round"
        before = current.effective.get(record.event_id)
        if before is not None:
            return "repeat" if before == _digest(fact.value) else "repeat_with_other_bytes"
        if fact.body in CONSOLE_BODIES and record.table_seq != current.next_seq:
            return "out_of_sequence"
        return ""

    def take(self, fact: Fact) -> None:
        """Note that a fact had effect in the open round."""
        assert self.open is not None
        self.open.effective[fact.record.event_id] = _digest(fact.value)
        if fact.body in CONSOLE_BODIES:
            self.open.next_seq += 1


def _digest(value: bytes) -> bytes:
    return sha256(value).digest()


def is_stale(record: JournalRecord, broker_time: int) -> bool:
    """Whether a RoundOpened's own times lie too far from its broker timestamp (ms)."""
    occurred = abs(record.occurred_at - 1000 * broker_time)
    in_id = abs(time_of_fact_id(record.event_id) - broker_time)
    return occurred > 1000 * STALE_MS or in_id > STALE_MS
