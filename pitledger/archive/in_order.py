"""The journal's records out of an archive's leaves, each partition's in the order of its offsets.

All that lies below the end of a remainder is in leaves that come before it in the log, or in it; so
a partition is merged from remainder to remainder. A leaf is read when its first record is wanted:
what is held at a time is the rounds that were open side by side, and one remainder.
"""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush, heapreplace
from itertools import starmap
from operator import attrgetter
from typing import Protocol

from pitledger.archive.leaves import offsets_of
from pitledger.archive.log import leaf_data
from pitledger.archive.store import BadArchive, Store
from pitledger.journal.record import Stored
from pitledger.journal.stored import BadRecords, ascending, parsed, stored_of
from pitledger.pb.archive_pb2 import ArchiveLeaf


class Entries(Protocol):
    """Some entries of a log."""

    def __contains__(self, entry: int, /) -> bool: ...


_OFFSET = attrgetter("offset")
_NO_END = 1 << 64


def in_order(
    store: Store,
    leaves: Iterable[ArchiveLeaf],
    partitions: Collection[int] | None = None,
    deleted: "Entries" = (),
) -> Iterator[Stored]:
    """All records of a log, given its entries from the first on; or some partitions' records.

    Partitions come by turns. `deleted`: entries whose bytes are gone. Raises BadArchive.
    """
    merges: defaultdict[int, Merge] = defaultdict(lambda: Merge(store))
    for entry, leaf in enumerate(leaves):
        own = partition_of_leaf(leaf)
        if own is not None and (partitions is None or own in partitions):
            if entry not in deleted:
                yield from merges[own].take(entry, leaf)
            elif leaf.HasField("remainder"):
                yield from merges[own].until(leaf.remainder.end)
    for merge in merges.values():
        yield from merge.rest()


def partition_of_leaf(leaf: ArchiveLeaf) -> int | None:
    """None: it is of no partition."""
    match leaf.WhichOneof("kind"):
        case "round":
            return leaf.round.partition
        case "remainder":
            return leaf.remainder.partition
        case _:
            return None


def own_records(store: Store, entry: int, leaf: ArchiveLeaf) -> list[Stored]:
    """A leaf's records, without the copy at a round's end. Raises BadArchive."""
    records = records_of(store, entry, leaf)
    if leaf.round.HasField("copied"):
        records = [record for record in records if record.offset != leaf.round.copied]
    return records


def records_of(store: Store, entry: int, leaf: ArchiveLeaf) -> list[Stored]:
    """All that lies in a leaf. Raises BadArchive."""
    return records_in(entry, leaf, bytes_of(store, entry, leaf))


def bytes_of(store: Store, entry: int, leaf: ArchiveLeaf) -> bytes:
    """Those of a leaf. Raises BadArchive."""
    try:
        return leaf_data(store, leaf.sha256, leaf.length)
    except BadArchive as problem:
        raise BadArchive(f"entry {entry}: {problem}") from None


def records_in(entry: int, leaf: ArchiveLeaf, data: bytes) -> list[Stored]:
    """The records that a leaf's bytes are. Raises BadArchive."""
    try:
        records = list(starmap(stored_of, ascending(parsed(data))))
    except BadRecords as problem:
        raise BadArchive(f"entry {entry}: {problem}") from None
    if leaf.WhichOneof("kind") == "round":
        told = offsets_of(leaf.round)
        if leaf.round.HasField("copied"):
            insort(told, leaf.round.copied)
        if [record.offset for record in records] != told:
            raise BadArchive(f"entry {entry}: its leaf does not hold what its manifest says")
    return records


@dataclass(slots=True)
class _Source:
    """A leaf that is being read. `at`: of its next record."""

    leaf: ArchiveLeaf
    records: list[Stored] = field(default_factory=list)
    at: int = 0


class Merge:
    """The records of one partition. Takes its leaves in the order of the log."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._next: list[tuple[int, int, _Source]] = []
        """A heap: by the offset of its next record, the entry of a leaf."""
        self._end = 0

    def take(self, entry: int, leaf: ArchiveLeaf) -> Iterator[Stored]:
        """The next leaf; what is complete with it. Raises BadArchive."""
        if leaf.WhichOneof("kind") == "round":
            self._add(entry, leaf.round.offsets[0] if leaf.round.offsets else -1, _Source(leaf))
            return
        records = own_records(self._store, entry, leaf)
        if records:
            self._add(entry, records[0].offset, _Source(leaf, records))
        yield from self.until(leaf.remainder.end)

    def until(self, end: int) -> Iterator[Stored]:
        """What lies below the end of the next remainder, except for what lies in itself."""
        yield from self._below(end)
        self._end = end

    def rest(self) -> Iterator[Stored]:
        """What rounds hold beyond the last remainder: not all that lies there."""
        yield from self._below(_NO_END)

    def _add(self, entry: int, first: int, source: _Source) -> None:
        if first < self._end:
            raise BadArchive(f"entry {entry}: offset {first} lies below the remainder before it")
        heappush(self._next, (first, entry, source))

    def _below(self, end: int) -> Iterator[Stored]:
        heap = self._next
        while heap and heap[0][0] < end:
            offset, entry, source = heap[0]
            others = min((item[0] for item in heap[1:3]), default=end)
            if others == offset:
                raise BadArchive(f"entry {entry}: offset {offset} lies in another leaf as well")
            if not source.records:
                source.records = own_records(self._store, entry, source.leaf)
            stop = bisect_left(source.records, min(end, others), source.at, key=_OFFSET)
            yield from source.records[source.at : stop]
            source.at = stop
            if stop == len(source.records):
                heappop(heap)
            else:
                heapreplace(heap, (source.records[stop].offset, entry, source))
