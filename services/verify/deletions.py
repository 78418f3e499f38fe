"""Leaves whose bytes were deleted: allowed where a later entry of the log lists them.

What a document "deletion" says, as JSON: {"format": 1, "at", "by", "reason", "policy": texts,
"entries": [[first, last], ...]}, numbers of entries from the first to the last. What else it says,
as the policy's "years" and "source", allows nothing and is not judged.
"""

import json
from bisect import bisect_right
from contextlib import suppress

from services.verify import tiles
from services.verify.entries import Entry
from services.verify.faults import Bad
from services.verify.files import Folder
from services.verify.tiles import WIDTH
from services.verify.unpack import Unpacker, leaf_key

NAME = "deletion"
_FORMAT = 1
_LONGEST, _SPANS_MAX = 16 << 20, 1_000_000
"""Bytes, and spans in them: read, it takes many times as many."""
_Spans = list[tuple[int, int]]


class Deletions:
    """Of a log of `size` entries. It is looked for in the log when the first leaf is missing."""

    def __init__(self, files: Folder, unpacker: Unpacker, size: int) -> None:
        self._files, self._unpacker, self._size = files, unpacker, size
        self._found: _Spans | None = None
        self._unread = ""

    def check(self, entry: Entry) -> None:
        """That a later document lists an entry whose file is missing. Raises Bad."""
        if self._found is None:
            self._found = self._all(entry.number)
        at = bisect_right(self._found, (entry.number, self._size)) - 1
        if at < 0 or entry.number > self._found[at][1]:
            missing = f"{leaf_key(entry.leaf)}: is missing"
            entry.bad(f"{missing}, and no later entry says why{self._unread}")

    def _all(self, first: int) -> _Spans:
        """What documents behind an entry list, up to the first bundle that is missing: a size that
        was signed may be any. What else is wrong with bundles is told in its place.
        """
        spans: _Spans = []
        for index in range(first // WIDTH, -(-self._size // WIDTH)):
            width = min(WIDTH, self._size - index * WIDTH)
            with suppress(Bad):
                entries, _ = tiles.read_bundle(self._files, index, width)
                for at, data in enumerate(entries):
                    if found := self._listed(index * WIDTH + at, data):
                        spans = _merged([*spans, *found])
                continue
            if not tiles.has_bundle(self._files, index, width):
                self._unread = f"; {tiles.tile_key('entries', index, width)}: is missing"
                break
        return spans

    def _listed(self, number: int, data: bytes) -> _Spans:
        try:
            entry = Entry.parse(number, data)
            if entry.leaf.document.name != NAME:
                return []
            held = self._unpacker.leaf(self._files, entry)
            if held is None:
                entry.bad(f"{leaf_key(entry.leaf)}: is missing")
            return listed(entry, held)
        except Bad as problem:
            self._unread = f"; {problem}"
            return []


def listed(entry: Entry, data: bytes) -> _Spans:
    """The entries, from the first to the last of each span, that a deletion lists. Raises Bad."""
    if len(data) > _LONGEST or data.count(b"[") > _SPANS_MAX:
        entry.bad("is a longer deletion than any")
    try:
        said = json.loads(data)
        texts = [said[name] for name in ("at", "by", "reason", "policy")]
        format_, spans = said["format"], [(first, last) for first, last in said["entries"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        entry.bad("says that it is a deletion, and is none")
    if type(format_) is not int or any(type(text) is not str for text in texts):
        entry.bad("says that it is a deletion, and is none")
    if format_ != _FORMAT:
        entry.bad(f"a deletion of format {format_} is not known here")
    for first, last in spans:
        if not type(first) is type(last) is int or not 0 <= first <= last < entry.number:
            entry.bad(f"lists entries {first} to {last}, which do not lie before it")
    return spans


def _merged(spans: _Spans) -> _Spans:
    """The same entries, in spans that ascend and lie apart."""
    found: _Spans = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found
