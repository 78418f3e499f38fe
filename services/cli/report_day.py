"""What a gaming day's rounds settled, derived from the facts; of other days nothing is kept."""

from dataclasses import dataclass

from pitledger.cases.settlement import OUTCOMES
from pitledger.derive import Derived
from pitledger.journal.record import JournalRecord, Stored
from pitledger.one_pass import OnePass


@dataclass(frozen=True, slots=True)
class Settled:
    """One round that is over; minor units."""

    table_id: str
    currency: str
    staked: int
    returned: int
    house_net: int


class GamingDay:
    """Takes records, each partition's in the order of its offsets. `table`: only this one."""

    def __init__(self, partitions: int, day: str, table: str | None) -> None:
        self._day = day
        self._facts = OnePass(partitions, table)
        self._currencies: dict[tuple[str, str], str] = {}  # by table and round, of the day
        self._settled: dict[tuple[str, str], Settled] = {}

    def take(self, stored: Stored) -> None:
        folded = self._facts.take(stored)
        if folded is None:
            return
        record = folded.fact.record
        self._settle(record.table_id, folded.derived)
        if folded.derived.opened:
            self._open(record)

    def settled(self) -> list[Settled]:
        """Rounds of the day that are settled or voided."""
        return list(self._settled.values())

    def _open(self, record: JournalRecord) -> None:
        key, opened = (record.table_id, record.event_id), record.round_opened
        if opened.gaming_day == self._day:
            self._currencies[key] = opened.currency_code

    def _settle(self, table_id: str, derived: Derived) -> None:
        for decision in derived.decisions:
            key = table_id, decision.round_id
            if decision.body not in OUTCOMES or key not in self._currencies:
                continue
            totals = getattr(JournalRecord.FromString(decision.value), decision.body).totals
            self._settled[key] = Settled(
                table_id,
                self._currencies[key],
                totals.staked_minor,
                totals.returned_minor,
                totals.house_net_minor,
            )
