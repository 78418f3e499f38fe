"""That each record of the journal lies in one leaf: no leaf overlaps another, none is left out.

A remainder accounts for what no round holds of the offsets up to its end; so what rounds hold has
to be remembered only beyond the end of their partition's last remainder.

A round may hold a copy of the record that ended it, as no other round does. That opens the next
round: it is the first record of a leaf of its own or, where the round is too long for one, lies in
a remainder, and a document behind that tells of the round. There it is the same record. What it
opened may not be sealed yet; then the copy is all that there is.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import zip_longest
from typing import NoReturn

from pitledger.pb.log_pb2 import StoredRecord
from services.verify.entries import Entry
from services.verify.leaves import Ends


class Spans:
    """A set of numbers, kept as the spans that they form."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._ends: list[int] = []

    def add(self, number: int) -> bool:
        """False: it was there before."""
        firsts, ends = self._firsts, self._ends
        at = bisect_right(firsts, number)
        if at and number < ends[at - 1]:
            return False
        follows = at > 0 and ends[at - 1] == number
        precedes = at < len(firsts) and firsts[at] == number + 1
        if follows and precedes:
            ends[at - 1] = ends.pop(at)
            firsts.pop(at)
        elif follows:
            ends[at - 1] = number + 1
        elif precedes:
            firsts[at] = number
        else:
            firsts.insert(at, number)
            ends.insert(at, number + 1)
        return True

    def smallest(self) -> int | None:
        return self._firsts[0] if self._firsts else None

    def between(self, first: int, end: int) -> Iterator[int]:
        """The numbers of [first, end) that are not in it."""
        for span_first, span_end in zip(self._firsts, self._ends, strict=True):
            yield from range(first, min(span_first, end))
            first = max(first, span_end)
        yield from range(first, end)

    def drop_below(self, end: int) -> None:
        whole = bisect_right(self._ends, end)
        del self._firsts[:whole], self._ends[:whole]
        if self._firsts:
            self._firsts[0] = max(self._firsts[0], end)

    def __contains__(self, number: int) -> bool:
        at = bisect_left(self._firsts, number + 1)
        return at > 0 and number < self._ends[at - 1]


@dataclass(slots=True)
class _Partition:
    first: int = 0
    end: int | None = None
    """All of [first, end) is accounted for; None: no remainder yet."""
    held: Spans = field(default_factory=Spans)
    openings: dict[int, bytes | None] = field(default_factory=dict)
    """SHA-256 of first records of rounds; None: the round's bytes are gone."""
    copies: dict[int, tuple[bytes, Entry]] = field(default_factory=dict)
    copied: set[int] = field(default_factory=set)
    """Of which there are copies, `copies` of what was not seen yet."""
    untold: dict[int, Entry] = field(default_factory=dict)
    """Those that lie in a remainder, and no document has told of the round yet."""

    def end_at(self, end: int) -> None:
        """All before that is accounted for, and needs no memory."""
        self.end = end
        self.held.drop_below(end)
        self.openings = {at: data for at, data in self.openings.items() if at >= end}
        self.copies = {at: copy for at, copy in self.copies.items() if at >= end}
        self.copied = {at for at in self.copied if at >= end}


class Coverage:
    """Takes the entries in their order. Raises Bad for the first that breaks the law."""

    def __init__(self) -> None:
        self._parts: defaultdict[int, _Partition] = defaultdict(_Partition)

    def take_round(self, entry: Entry, ends: Ends | None) -> None:
        """None: its bytes are gone."""
        part = self._parts[entry.leaf.round.partition]
        for offset in entry.offsets():
            if (part.end is not None and offset < part.end) or not part.held.add(offset):
                entry.bad(f"offset {offset} lies in a leaf before it as well")
        for offset in part.copies.keys() & set(entry.offsets()[1:]):
            _opens_none(part.copies[offset][1], offset)
        if ends is None:
            part.openings.update(dict.fromkeys(entry.offsets()[:1]))
            part.copies.pop(entry.offsets()[0], None)
            return
        _match_opening(part, entry, ends.first)
        if ends.copy is not None:
            _match_copy(part, entry, ends.copy)

    def take_remainder(self, entry: Entry, records: Iterable[StoredRecord] | None) -> int:
        """How many records there are. None: its bytes are gone."""
        rest = entry.leaf.remainder
        part = self._parts[rest.partition]
        if part.end is None:
            part.first = part.end = rest.first
        if rest.first != part.end:
            entry.bad(f"the remainder before it ends at {part.end}")
        smallest = part.held.smallest()
        if smallest is not None and smallest < rest.first:
            entry.bad(f"offset {smallest} of a round lies before the first remainder")
        if records is None:
            part.end_at(rest.end)
            return 0
        expected = part.held.between(rest.first, rest.end)
        copied: dict[int, bytes] = {}
        count = 0
        for missing, record in zip_longest(expected, records):
            if record is None or (missing is not None and missing < record.offset < rest.end):
                entry.bad(f"offset {missing} lies in no leaf")
            if missing != record.offset:
                entry.bad(f"offset {record.offset} does not belong here, or not in this place")
            if record.offset in part.copies:
                copied[record.offset] = _digest(record)
            count += 1
        _match_copies(part, rest.end, copied)
        part.end_at(rest.end)
        return count

    def check_behind(self, round_: Entry) -> None:
        """That what accounts for a round's records lies before it."""
        part, offsets = self._parts[round_.leaf.round.partition], round_.offsets()
        if part.end is None or offsets[-1] >= part.end:
            round_.bad(f"offset {offsets[-1]} lies in no remainder before it")
        part.untold.pop(offsets[0], None)

    def end(self) -> None:
        """After the last entry: what was copied and lies in a remainder opened a round, too."""
        for part in self._parts.values():
            for offset, entry in part.untold.items():
                _opens_none(entry, offset)

    def offsets(self) -> int:
        """How many are accounted for without a gap."""
        return sum(part.end - part.first for part in self._parts.values() if part.end is not None)

    def partitions(self) -> int:
        return sum(part.end is not None for part in self._parts.values())


def _match_opening(part: _Partition, entry: Entry, record: StoredRecord) -> None:
    data = _digest(record)
    copy, _ = part.copies.pop(record.offset, (data, entry))
    if copy != data:
        entry.bad(f"offset {record.offset} is another record than its copy in a round before")
    part.openings[record.offset] = data


def _match_copy(part: _Partition, entry: Entry, record: StoredRecord) -> None:
    data, offset = _digest(record), record.offset
    if offset in part.copied:
        entry.bad(f"the copy in it, of offset {offset}, is in a round before it as well")
    part.copied.add(offset)
    if offset not in part.openings:
        if (part.end is not None and offset < part.end) or offset in part.held:
            _opens_none(entry, offset)
        part.copies[offset] = data, entry
    elif part.openings[offset] not in (None, data):
        entry.bad(f"the copy in it, of offset {offset}, is not the record that lies there")


def _match_copies(part: _Partition, end: int, there: Mapping[int, bytes]) -> None:
    """Those of records below the end of a remainder; `there`: of those that it has."""
    copies = {offset: copy for offset, copy in part.copies.items() if offset < end}
    for offset, (data, entry) in copies.items():
        if offset not in there:
            _opens_none(entry, offset)
        if there[offset] != data:
            entry.bad(f"the copy in it, of offset {offset}, is not the record that lies there")
        part.untold[offset] = entry


def _opens_none(entry: Entry, offset: int) -> NoReturn:
    entry.bad(f"the copy in it, of offset {offset}, opens no round")


def _digest(record: StoredRecord) -> bytes:
    return sha256(record.SerializeToString(deterministic=True)).digest()
