"""When a table was held, by an archive's index."""

from bisect import bisect_left

from services.storage.index import Index
from services.storage.indexed import IndexedRound


class HeldTables:
    """Asked for rounds of an archive; each table's holds are read once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._of: dict[str, tuple[list[int], list[bool]]] = {}

    def breaches(self, round_: IndexedRound) -> list[str]:
        """Whether it was "opened", "closed" while its table was held."""
        places = {"opened": round_.first_offset, "closed": round_.closed_at}
        return [
            what
            for what, offset in places.items()
            if offset is not None and self._held_at(round_.table_id, offset)
        ]

    def _held_at(self, table_id: str, offset: int) -> bool:
        offsets, held = self._of.get(table_id) or self._read(table_id)
        at = bisect_left(offsets, offset)
        return at > 0 and held[at - 1]

    def _read(self, table_id: str) -> tuple[list[int], list[bool]]:
        """Offsets at which a hold or a release lies, and whether the table is held from there."""
        offsets: list[int] = []
        held: list[bool] = []
        known: set[str] = set()
        in_force: set[str] = set()
        for hold in self._index.holds(table_id):
            if not hold.holds:
                in_force.discard(hold.releases)
            elif hold.event_id not in known:
                known.add(hold.event_id)
                in_force.add(hold.event_id)
            offsets.append(hold.offset)
            held.append(bool(in_force))
        self._of[table_id] = offsets, held
        return offsets, held
