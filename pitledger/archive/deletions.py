"""What was deleted of an archive, as the archive itself says.

The bytes of leaves may go when their time is over; entries and tiles stay for ever. Which bytes,
when, by whom and why is sealed as a document "deletion" before the first of them goes:

    {"format": 1, "at": "2026-11-30T12:00:00Z", "by": "...", "reason": "...", "policy": "...",
     "years": 5, "source": "...", "entries": [[first, last], ...]}

`years` and `source` are the policy's: a name alone does not say what it asks for. Earlier builds
did not seal them.

Bytes that another entry shares, which is not listed, stay.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from pitledger.archive.leaves import Leaf, document_leaf
from pitledger.archive.log import leaf_data
from pitledger.archive.said import read_json
from pitledger.archive.store import BadArchive, Store
from pitledger.pb.archive_pb2 import ArchiveLeaf

NAME = "deletion"
_FORMAT = 1
_LONGEST = 16 << 20
"""Bytes of one: read, it takes many times as many."""

Span = tuple[int, int]
"""Entries from the first to the last, both included."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """`at`: ISO 8601, UTC. `entries`: ascending, and apart from each other.

    `years`: how long the policy keeps; None: an earlier build did not seal it. `source`: what asks
    for that.
    """

    at: str
    by: str
    reason: str
    policy: str
    entries: tuple[Span, ...]
    years: int | None = None
    source: str = ""

    def leaf(self) -> Leaf:
        said: dict[str, object] = {
            "format": _FORMAT,
            "at": self.at,
            "by": self.by,
            "reason": self.reason,
            "policy": self.policy,
        }
        if self.years is not None:
            said |= {"years": self.years, "source": self.source}
        said["entries"] = self.entries
        return document_leaf(NAME, "application/json", (json.dumps(said, indent=1) + "\n").encode())

    @classmethod
    def parse(cls, data: bytes) -> "Deletion":
        """Raises BadArchive."""
        try:
            said = read_json(data, _LONGEST)
            if said["format"] != _FORMAT:
                raise BadArchive(f"a deletion of format {said['format']} is not known here")
            entries = tuple((int(first), int(last)) for first, last in said["entries"])
            at, by, reason, policy = (str(said[key]) for key in ("at", "by", "reason", "policy"))
            years = int(said["years"]) if "years" in said else None
            return cls(at, by, reason, policy, entries, years, str(said.get("source", "")))
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            if isinstance(error, BadArchive):
                raise
            raise BadArchive("a document says that it is a deletion, and is none") from None


class Deleted:
    """The entries that deletions list."""

    def __init__(self, deletions: Iterable[Deletion] = ()) -> None:
        self._spans = merged(span for deletion in deletions for span in deletion.entries)
        self._firsts = [first for first, _last in self._spans]

    def __contains__(self, entry: object) -> bool:
        if not isinstance(entry, int):
            return False
        at = bisect_right(self._firsts, entry) - 1
        return at >= 0 and entry <= self._spans[at][1]

    def __bool__(self) -> bool:
        return bool(self._spans)


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same entries as spans that ascend and do not touch."""
    found: list[Span] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found


def read_deletions(store: Store, leaves: Iterable[ArchiveLeaf]) -> list[Deletion]:
    """Those among a log's entries. Raises BadArchive, StoreError."""
    return [
        Deletion.parse(leaf_data(store, leaf.sha256, leaf.length))
        for leaf in leaves
        if leaf.document.name == NAME
    ]
