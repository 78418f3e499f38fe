"""Deletes leaves' bytes: what goes is sealed in the log before the first byte of it.

Who was stopped between finishes the next time: what a deletion lists, and is still there, goes
then; but not what was put on hold meanwhile, nor what an entry that stays has as well.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pitledger.archive import layout
from pitledger.archive.deletions import Deleted, Deletion, merged, read_deletions
from pitledger.archive.holds import read_holds, unsealed
from pitledger.archive.leaves import Leaf
from pitledger.archive.log import LogWriter, manifests, unpacked
from pitledger.archive.store import Store
from pitledger.pb.archive_pb2 import ArchiveLeaf
from services.retention.holding import Holding
from services.retention.policy import Policy


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
    """Delete the bytes that the log's deletions list. Raises BadArchive, StoreError."""
    deleted = Deleted(read_deletions(store, manifests(store, size)))
    swept = Swept()
    if not deleted:
        return swept
    holding = Holding(store, read_holds(store, manifests(store, size)))
    holding.learn_cases(
        leaf for entry, leaf in enumerate(manifests(store, size)) if entry not in deleted
    )
    left = dict(_left(store, size, deleted))
    shared = {
        leaf.sha256
        for entry, leaf in enumerate(manifests(store, size))
        if leaf.sha256 in left and entry not in deleted
    }
    for sha256, leaf in left.items():
        key = layout.leaf(sha256)
        packed = store.read(key) or b""
        data = unpacked(store, sha256, leaf.length, packed)
        if sha256 in shared or holding.of(leaf, data) or holding.unknown_cases():
            swept.kept += 1
            continue
        store.delete(key)
        swept.files += 1
        swept.bytes += len(packed)
    store.sync()
    return swept


def _left(store: Store, size: int, deleted: Deleted) -> Iterator[tuple[bytes, ArchiveLeaf]]:
    """What is listed and still there, by its hash."""
    for entry, leaf in enumerate(manifests(store, size)):
        if entry in deleted and store.read(layout.leaf(leaf.sha256)) is not None:
            yield leaf.sha256, leaf
