"""What four engines of one process share: reading a record, and folding a fact.

Both are pure, so that each engine would come to the same by itself. Where engines crash, each folds
for itself instead: that the results are the same is then what is tried.
"""

from collections.abc import Callable, Mapping

from pitledger.derive import Derived, TableFold
from pitledger.engine import Reader
from pitledger.journal.vocabulary import Fact, read_fact

KEPT = 4096
"""Facts remembered: more than lie between the first and the last engine."""


def shared_reader() -> Reader:
    """A `read_fact` that remembers the facts it read, by their very bytes in memory."""
    facts: dict[tuple[int, int], tuple[bytes, bytes, Mapping[str, bytes], Fact]] = {}

    def read(
        partition: int, partitions: int, key: bytes, headers: Mapping[str, bytes], value: bytes
    ) -> Fact:
        known = facts.get((partition, id(value)))
        if known and known[0] is value and known[1] == key and known[2] == headers:
            return known[3]
        fact = read_fact(partition, partitions, key, headers, value)
        if len(facts) >= KEPT:
            facts.clear()
        facts[partition, id(value)] = value, key, headers, fact
        return fact

    return read


def shared_folds(engines: int) -> Callable[[str], TableFold]:
    """Folds of which each table has one, for `engines` engines that all start together."""
    folds: dict[str, _SharedFold] = {}

    def fold_of(table_id: str) -> TableFold:
        if table_id not in folds:
            folds[table_id] = _SharedFold(engines)
        return folds[table_id]

    return fold_of


class _SharedFold(TableFold):
    """Folds a fact for the engine that comes first, and remembers the result for the others."""

    def __init__(self, engines: int) -> None:
        super().__init__()
        self._others = engines - 1
        self._derived: dict[int, tuple[Derived, int]] = {}

    def fact(self, offset: int, fact: Fact, broker_time: int) -> Derived:
        known = self._derived.pop(offset, None)
        if known is None:
            derived = super().fact(offset, fact, broker_time)
            self._derived[offset] = derived, self._others
            return derived
        derived, others = known
        if others > 1:
            self._derived[offset] = derived, others - 1
        return derived
