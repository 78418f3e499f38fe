"""What a gaming day's rounds settled, derived from the facts; of other days nothing is kept."""

from collections import defaultdict
from dataclasses import dataclass

from pitledger.cases.settlement import OUTCOMES
from pitledger.derive import Derived, TableFold
from pitledger.journal.memory import ONE_PASS_FORGET_MS
from pitledger.journal.record import DECISION_TYPES, JournalRecord, Stored
from pitledger.journal.vocabulary import NotAFact, read_fact


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
        self._partitions = partitions
        self._day = day
        self._key = None if table is None else table.encode()
        self._folds: defaultdict[str, TableFold] = defaultdict(TableFold)
        self._currencies: dict[tuple[str, str], str] = {}  # by table and round, of the day
        self._settled: dict[tuple[str, str], Settled] = {}

    def take(self, stored: Stored) -> None:
        if self._key is not None and stored.key != self._key:
            return
        attributes = {name: value or b"" for name, value in stored.headers}
        if attributes.get("ce_type") in DECISION_TYPES:
            return
        try:
            fact = read_fact(
                stored.partition, self._partitions, stored.key, attributes, stored.value
            )
        except NotAFact:
            return
        fold = self._folds[fact.record.table_id]
        derived = fold.fact(stored.offset, fact, stored.broker_time)
        self._settle(fact.record.table_id, derived)
        if derived.opened:
            fold.table.forget(stored.broker_time - ONE_PASS_FORGET_MS)
            self._open(fact.record)

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
