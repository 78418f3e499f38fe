"""Which tables a person holds, and which round was opened or closed at one all the same.

A hold changes no decision: consoles and gateway refuse to open or close a round of a held table,
and whoever watches the journal shows and alarms a round that was. The end of the gaming day closes
a held table as it does every other, so a `TableClosed` is no breach, nor is a void.
"""

from collections import deque
from dataclasses import dataclass, field

from pitledger.journal.record import JournalRecord

REPEATS_KEPT = 32
"""Openings and closings of a table whose repeats are known as such: more than five minutes bring,
and a RoundOpened that is older is stale."""

TEXT_MAX = 1000
"""Characters that are kept of a hold's texts; the whole is on the journal."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A table held: by whom, why, about which record or case, since when (us, `occurred_at`)."""

    event_id: str
    table_id: str
    reason: str
    about_id: str
    actor: str
    since_us: int


@dataclass(frozen=True, slots=True)
class Breach:
    """A round that was "opened" or "closed" while its table was held.

    `holds`: those in force, the oldest first; never empty.
    """

    what: str
    table_id: str
    round_id: str
    event_id: str
    holds: tuple[Hold, ...]


@dataclass(slots=True)
class _Table:
    in_force: dict[str, Hold] = field(default_factory=dict)
    """By event id, the oldest first."""
    known: set[str] = field(default_factory=set)
    """Ids of all its holds, released ones too: a repeat does not hold again. Persons make few."""
    recent: deque[str] = field(default_factory=lambda: deque(maxlen=REPEATS_KEPT))
    """Event ids of openings and closings."""


class Holds:
    """The holds of all tables, folded from facts; each table's in the order of the journal.

    A table may be held for several reasons at once, and plays again when all are released.
    """

    def __init__(self) -> None:
        self._tables: dict[str, _Table] = {}

    def take(self, record: JournalRecord) -> Breach | None:
        """Fold a fact; a breach if it opens or closes a round of a held table.

        Any fact may be given, and the same twice. Who knows that a RoundOpened or RoundClosed had
        no effect leaves it out.
        """
        match record.WhichOneof("body"):
            case "table_held":
                self._held(record)
            case "table_released":
                self._released(record)
            case "round_opened":
                return self._breach(record, "opened")
            case "round_closed":
                return self._breach(record, "closed")
        return None

    def of(self, table_id: str) -> tuple[Hold, ...]:
        """The holds in force at a table, the oldest first."""
        table = self._tables.get(table_id)
        return tuple(table.in_force.values()) if table else ()

    def in_force(self) -> tuple[Hold, ...]:
        """All holds in force, by table."""
        return tuple(hold for table_id in sorted(self._tables) for hold in self.of(table_id))

    def _held(self, record: JournalRecord) -> None:
        table = self._table(record.table_id)
        if record.event_id in table.known:
            return
        table.known.add(record.event_id)
        table.in_force[record.event_id] = Hold(
            event_id=record.event_id,
            table_id=record.table_id,
            reason=record.table_held.reason[:TEXT_MAX],
            about_id=record.table_held.about_id[:TEXT_MAX],
            actor=record.actor[:TEXT_MAX],
            since_us=record.occurred_at,
        )

    def _released(self, record: JournalRecord) -> None:
        """Of a hold that is not in force nothing is released."""
        self._table(record.table_id).in_force.pop(record.table_released.held_id, None)

    def _breach(self, record: JournalRecord, what: str) -> Breach | None:
        table = self._table(record.table_id)
        if record.event_id in table.recent:
            return None
        table.recent.append(record.event_id)
        holds = self.of(record.table_id)
        if not holds:
            return None
        return Breach(what, record.table_id, record.round_id, record.event_id, holds)

    def _table(self, table_id: str) -> _Table:
        table = self._tables.get(table_id)
        if table is None:
            table = self._tables[table_id] = _Table()
        return table
