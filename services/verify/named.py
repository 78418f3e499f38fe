"""The files beside the leaves that no entry names. Nobody reads them: they are told of, no more."""

from array import array

from services.verify.files import Folder

_TOLD_APART = 8
"""Bytes of a hash that are kept, behind the one that its folder is named by."""


class Named:
    """Hashes of the leaves that entries name: eight bytes each, however many there are."""

    def __init__(self) -> None:
        self._by_folder = [array("Q") for _ in range(256)]

    def add(self, sha256: bytes) -> None:
        self._by_folder[sha256[0]].append(int.from_bytes(sha256[1 : 1 + _TOLD_APART], "big"))

    def others(self, files: Folder) -> tuple[int, str]:
        """How many files lie under leaf/ that are none of these, and the first of them."""
        names = {f"{first:02x}": kept for first, kept in enumerate(self._by_folder)}
        count, found = 0, ""
        for folder in files.names("leaf"):
            if folder not in names:
                keys = [f"leaf/{folder}"]
            else:
                known = set(names[folder])
                keys = [
                    f"leaf/{folder}/{name}"
                    for name in files.names(f"leaf/{folder}")
                    if _hash(folder, name) not in known
                ]
            count, found = count + len(keys), found or "".join(keys[:1])
        return count, found


def _hash(folder: str, name: str) -> int | None:
    """What is kept of it; None: no leaf's file is called so."""
    digest, dot, ending = name.partition(".")
    if (len(digest), dot + ending) != (64, ".zst") or not digest.startswith(folder):
        return None
    try:
        return int.from_bytes(bytes.fromhex(digest)[1 : 1 + _TOLD_APART], "big")
    except ValueError:
        return None
