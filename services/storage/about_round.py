"""The records of an archive that a replay of one round needs, found by the index."""

from collections.abc import Iterator

from pitledger.archive.in_order import own_records
from pitledger.archive.store import Store
from pitledger.journal.record import Stored
from services.storage.index import Index
from services.storage.indexed import IndexedRound


def records_about(store: Store, index: Index, round_: IndexedRound) -> list[Stored]:
    """In the order of their offsets: folded, they show of this round what the whole journal shows.

    They are the round's own, with the next round's opening where that ended it; what else names it
    without effect, with the rounds that were open there; the holds of its table. Raises
    BadArchive, StoreError.
    """
    own = index.records_of(round_)
    inside = {stored.offset for stored in own}  # of a long one they lie in remainders, too
    strays = [each for each in _strays(store, index, round_) if each.offset not in inside]
    found = [*own, *strays, *_holds(store, index, round_)]
    for played in _open_at(index, round_, strays):
        found += index.records_of(played)
    by_offset = {stored.offset: stored for stored in found}
    return [by_offset[offset] for offset in sorted(by_offset)]


def _strays(store: Store, index: Index, round_: IndexedRound) -> Iterator[Stored]:
    """Records beside the transcript that name the round at its table."""
    key, subject = round_.table_id.encode(), round_.round_id.encode()
    for entry in index.strays(round_.round_id):
        leaf = index.leaf(entry)
        if leaf.remainder.partition != round_.partition:
            continue
        for stored in own_records(store, entry, leaf):
            if stored.key == key and dict(stored.headers).get("ce_subject") == subject:
                yield stored


def _open_at(
    index: Index, round_: IndexedRound, strays: list[Stored]
) -> Iterator[IndexedRound]:
    """The other rounds that were the table's last where such a record lies."""
    found: dict[str, IndexedRound] = {}
    for stored in strays:
        last = index.opened_before(round_.table_id, round_.partition, stored.offset)
        if last is not None:
            found[last.round_id] = last
    found.pop(round_.round_id, None)
    yield from found.values()


def _holds(store: Store, index: Index, round_: IndexedRound) -> Iterator[Stored]:
    """What tells the holds that were in force when the round opened, and later."""
    wanted: dict[int, int] = {}  # offset -> entry
    in_force: dict[str, int] = {}
    known: set[str] = set()
    for hold in index.holds(round_.table_id):
        if hold.partition != round_.partition or hold.offset > round_.last_offset:
            continue
        if hold.offset > round_.first_offset:
            wanted[hold.offset] = hold.entry
        elif not hold.holds:
            wanted.pop(in_force.pop(hold.releases, -1), None)
        elif hold.event_id not in known:
            known.add(hold.event_id)
            in_force[hold.event_id] = hold.offset
            wanted[hold.offset] = hold.entry
    for entry in sorted(set(wanted.values())):
        for stored in own_records(store, entry, index.leaf(entry)):
            if wanted.get(stored.offset) == entry:
                yield stored
