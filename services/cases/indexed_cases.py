"""The fold of all cases, with an index beside it from which it goes on after any end."""

from pitledger.cases.journal import Cases, Forged
from pitledger.journal.record import Stored, partition_of
from services.cases.index import KEEP_OPENINGS_MS, CaseIndex
from services.cases.indexed_records import is_kept, keep_opening


class IndexedCases:
    """Takes each partition's records in the order of their offsets, from `next` on."""

    def __init__(self, index: CaseIndex) -> None:
        """As it was where reading goes on: what the index has from beyond is read again."""
        self._index = index
        index.begin()
        resume = index.resume()
        self.next = {number: resume.get(number, 0) for number in range(index.partitions)}
        self.cases = cases = Cases(index.partitions, None, index, KEEP_OPENINGS_MS)
        for at_ms, opened in index.openings():
            cases.remember(opened, at_ms)
        for stored in index.records():
            cases.known_before(stored.key.decode(errors="replace"), stored.offset)
            cases.take(stored)
        for table_id in cases.tables:
            cases.known_before(table_id, self.next[partition_of(table_id, index.partitions)])
        cases.forged.clear()

    def take(self, stored: Stored) -> bool:
        """The next record; whether it bears on a case."""
        kept = is_kept(stored)
        if kept:
            self._index.keep(stored)
        else:
            keep_opening(self._index, stored)
        concluded = self.cases.take(stored)
        # A round that was over at the last save is not folded again; its settlement is known.
        table_id = stored.key.decode(errors="replace")
        concluded += self.cases.known_before(table_id, stored.offset + 1)
        self.next[stored.partition] = stored.offset + 1
        return kept or bool(concluded)

    def forged(self) -> list[Forged]:
        """What was found since it was asked last."""
        found, self.cases.forged = self.cases.forged, []
        return found

    def save(self) -> None:
        resume_at = self.cases.resume_at
        self._index.save({number: resume_at(number, after) for number, after in self.next.items()})
