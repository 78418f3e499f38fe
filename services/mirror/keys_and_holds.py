"""What lies beside the log: statements about keys, legal holds. Each is written once, for ever.

A mirror may have holds of its own as well, which its source knows nothing of.
"""

from pitledger.archive import layout
from pitledger.archive.holds import is_of_mirror
from pitledger.archive.store import BadArchive, Store
from services.mirror.alarm import Alarm


def copy_beside(source: Store, store: Store) -> None:
    """Raises Alarm where one is gone or was changed."""
    for folder in (layout.KEYS, layout.HOLDS):
        names = source.names(folder)
        there = [name for name in store.names(folder) if not is_of_mirror(name)]
        gone = set(there) - set(names)
        if gone:
            raise Alarm(f"GONE: {folder}/{min(gone)} is not there any more; nothing was copied")
        for name in names:
            key = f"{folder}/{name}"
            data = source.read(key)
            if data is None:
                raise BadArchive(f"{key}: is missing")
            if not store.create(key, data):
                raise Alarm(f"CHANGED: {key} is not what it was; nothing was copied")
