"""Leaves whose bytes were deleted: allowed where a later entry of the log says so."""

from services.verify.entries import Entry
from services.verify.files import Folder
from services.verify.unpack import leaf_key


class Deletions:
    def __init__(self, files: Folder, size: int) -> None:
        self._files, self._size = files, size

    def check(self, entry: Entry) -> None:
        """That a later document lists an entry whose file is missing. Raises Bad."""
        entry.bad(f"{leaf_key(entry.leaf)}: is missing")
