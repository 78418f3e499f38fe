"""Whether all that a log's entries tell of is there, as far as names tell."""

from pitledger.archive import layout
from pitledger.archive.deletions import Deleted, read_deletions
from pitledger.archive.log import manifests
from pitledger.archive.store import BadArchive, Store


def require_all_leaves(store: Store, size: int) -> None:
    """Each leaf's file lies there, but for those that a sealed deletion lists. Nothing is read.

    Raises BadArchive with the first that is missing, StoreError.
    """
    leaves = list(manifests(store, size))
    deleted = Deleted(read_deletions(store, leaves))
    there: dict[str, set[str]] = {}
    for number, leaf in enumerate(leaves):
        folder, _, name = layout.leaf(leaf.sha256).rpartition("/")
        if folder not in there:
            there[folder] = set(store.names(folder))
        if name not in there[folder] and number not in deleted:
            raise BadArchive(f"entry {number}: {folder}/{name}: is missing")
