"""The index of an archive in a folder, brought up to date as the archive grows. A bucket has none.

It is no evidence: where it fails, that is logged, and sealing goes on.
"""

from pitledger.archive.store import BadArchive, Store, StoreError
from services.runtime.logs import Log
from services.storage.folder import Folder
from services.storage.index import Index

NAME = "index.sqlite"


class Indexing:
    """Used by one thread."""

    def __init__(self, store: Store, log: Log) -> None:
        self._store, self._log = store, log
        self._index: Index | None = None
        self._failed = ""

    def update(self) -> None:
        """Take in what was sealed by now."""
        if not isinstance(self._store, Folder):
            return
        try:
            if self._index is None:
                self._index = Index.open(self._store, self._store.home / NAME)
            self._index.update()
        except (BadArchive, StoreError) as problem:
            if str(problem) != self._failed:
                self._log.error("index", error=str(problem))
            self._failed = str(problem)
        else:
            self._failed = ""
