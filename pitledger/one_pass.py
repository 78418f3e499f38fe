"""A journal that is read once, from its beginning: its facts by table, as they are folded."""

from collections import defaultdict
from dataclasses import dataclass

from pitledger.derive import Derived, TableFold
from pitledger.journal.memory import ONE_PASS_FORGET_MS
from pitledger.journal.record import DECISION_TYPES, Stored
from pitledger.journal.vocabulary import Fact, NotAFact, read_fact


@dataclass(slots=True)
class Folded:
    """A fact, what it did, and its table as it is after it."""

    fact: Fact
    derived: Derived
    table: TableFold


class OnePass:
    """Takes records, each partition's in the order of their offsets. `only_table`: its own."""

    def __init__(self, partitions: int, only_table: str | None = None) -> None:
        self._partitions = partitions
        self._only_key = None if only_table is None else only_table.encode()
        self._tables: defaultdict[str, TableFold] = defaultdict(TableFold)

    def take(self, stored: Stored) -> Folded | None:
        """Fold one record; None for another table's, for a decision and for what is no fact."""
        if self._only_key is not None and stored.key != self._only_key:
            return None
        attributes = {name: value or b"" for name, value in stored.headers}
        if attributes.get("ce_type") in DECISION_TYPES:
            return None
        try:
            fact = read_fact(
                stored.partition, self._partitions, stored.key, attributes, stored.value
            )
        except NotAFact:
            return None
        fold = self._tables[fact.record.table_id]
        derived = fold.fact(stored.offset, fact, stored.broker_time)
        if derived.opened:
            fold.table.forget(stored.broker_time - ONE_PASS_FORGET_MS)
        return Folded(fact, derived, fold)
