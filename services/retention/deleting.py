"""Deletes leaves' bytes: what goes is sealed in the log before the first byte of it.

Who was stopped between finishes the next time: what a deletion lists, and is still there, goes
then; but not what was put on hold meanwhile, nor what an entry that stays has as well.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from pitledger.archive import layout
from pitledger.archive.deletions import Deleted, Deletion, merged, read_deletions
from pitledger.archive.holds import NAME, Hold, read_holds, unsealed
from pitledger.archive.leaves import Leaf
from pitledger.archive.log import LogWriter, manifests, unpacked
from pitledger.archive.store import Store
from pitledger.pb.archive_pb2 import ArchiveLeaf
from services.retention.holding import Holding
from services.retention.policy import Policy

BATCH = 200
"""So many files may still go once a hold on them is placed."""


@dataclass(slots=True)
class Swept:
    """Files that went, and their bytes as they lay there; `kept`: shared, or on hold."""

    files: int = 0
    bytes: int = 0
    kept: int = 0


def seal_deletion(
    writer: LogWriter, entries: Iterable[int], at: str, by: str, reason: str, policy: Policy
) -> None:
    """Say in the log what goes; holds that lie beside it are sealed before. Raises BadArchive,
    StoreError."""
    spans = merged((entry, entry) for entry in entries)
    deletion = Deletion(at, by, reason, policy.name, tuple(spans), policy.years, policy.source)
    documents = {
        leaf.sha256
        for leaf in manifests(writer.store, writer.size)
        if leaf.WhichOneof("kind") == "document"
    }
    beside: list[Leaf] = unsealed(writer.store, documents)
    writer.append([*beside, deletion.leaf()])


def sweep(store: Store, size: int) -> Swept:
    """Delete the bytes that the log's deletions list, but for what is on hold when they are about
    to go: holds are asked for again before each `BATCH` of files. Raises BadArchive, StoreError.
    """
    deleted = Deleted(read_deletions(store, manifests(store, size)))
    swept = Swept()
    if not deleted:
        return swept
    left = dict(_left(store, size, deleted))
    shared = {
        leaf.sha256
        for entry, leaf in enumerate(manifests(store, size))
        if leaf.sha256 in left and entry not in deleted
    }
    asked = _Holds(store, size, deleted)
    leaves = iter(left.values())
    while batch := list(islice(leaves, BATCH)):
        holding = asked.now()
        for leaf in batch:
            _sweep(store, leaf, holding, shared, swept)
    store.sync()
    return swept


def _sweep(
    store: Store, leaf: ArchiveLeaf, holding: Holding | None, shared: set[bytes], swept: Swept
) -> None:
    key = layout.leaf(leaf.sha256)
    packed = store.read(key) or b""
    data = unpacked(store, leaf.sha256, leaf.length, packed)
    if leaf.sha256 in shared or holding is None or holding.of(leaf, data):
        swept.kept += 1
        return
    store.delete(key)
    swept.files += 1
    swept.bytes += len(packed)


class _Holds:
    """Those in force, which may be placed and released at any time."""

    def __init__(self, store: Store, size: int, deleted: Deleted) -> None:
        self._store, self._size, self._deleted = store, size, deleted
        self._sealed = [leaf for leaf in manifests(store, size) if leaf.document.name == NAME]
        self._holds: list[Hold] | None = None
        self._holding: Holding | None = None

    def now(self) -> Holding | None:
        """None: nothing may go, as one is on a case of which nothing is known."""
        holds = read_holds(self._store, self._sealed)
        if holds != self._holds:
            self._holds, self._holding = holds, self._learnt(Holding(self._store, holds))
        return self._holding

    def _learnt(self, holding: Holding) -> Holding | None:
        entries = enumerate(manifests(self._store, self._size))
        holding.learn_cases(leaf for entry, leaf in entries if entry not in self._deleted)
        return None if holding.unknown_cases() else holding


def _left(store: Store, size: int, deleted: Deleted) -> Iterator[tuple[bytes, ArchiveLeaf]]:
    """What is listed and still there, by its hash."""
    for entry, leaf in enumerate(manifests(store, size)):
        if entry in deleted and store.read(layout.leaf(leaf.sha256)) is not None:
            yield leaf.sha256, leaf
