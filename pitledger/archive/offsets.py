"""Offsets most of which are neighbours: as ranges they take next to no memory.

What is sealed beyond a partition's cut is such: all but the rounds that wait, however long they do.
"""

from collections.abc import Iterable
from itertools import chain

Range = tuple[int, int]
"""First offset and end."""

_GATHER = 1 << 16
"""Offsets that are gathered before they are put among the ranges."""


class Offsets:
    """A set of offsets."""

    __slots__ = ("_new", "_ranges")

    def __init__(self, ranges: Iterable[Range] = ()) -> None:
        self._ranges = list(ranges)
        self._new: set[int] = set()

    def update(self, offsets: Iterable[int]) -> None:
        self._new.update(offsets)
        if len(self._new) >= _GATHER:
            self._merge()

    def forget_below(self, cut: int) -> None:
        """Leave those from `cut` on."""
        self._new = {offset for offset in self._new if offset >= cut}
        if self._ranges and self._ranges[0][0] < cut:
            self._ranges = [(max(first, cut), end) for first, end in self._ranges if end > cut]

    def ranges(self) -> list[Range]:
        """In their order, none next to another. Not to be changed."""
        self._merge()
        return self._ranges

    def _merge(self) -> None:
        if not self._new:
            return
        merged: list[Range] = []
        single = ((offset, offset + 1) for offset in self._new)
        for first, end in sorted(chain(self._ranges, single)):
            if merged and first <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((first, end))
        self._ranges, self._new = merged, set()
