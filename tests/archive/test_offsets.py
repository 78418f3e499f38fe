"""Offsets as ranges are the set that they stand for."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitledger.archive import offsets
from pitledger.archive.offsets import Offsets

some = st.sets(st.integers(0, 40))


@given(st.lists(st.tuples(some, st.integers(0, 40))), st.sampled_from((1, 5, 1000)))
def test_they_are_the_set_however_they_came_and_went(steps, gather):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(offsets, "_GATHER", gather)
        held, whole = Offsets(), set()
        for added, cut in steps:
            held.update(added)
            held.forget_below(cut)
            whole = {offset for offset in whole | added if offset >= cut}
            again = Offsets(held.ranges())
            assert members(again) == members(held) == sorted(whole)
            assert all(end < first for (_, end), (first, _) in pairwise(held.ranges()))


def members(held):
    return [offset for first, end in held.ranges() for offset in range(first, end)]
