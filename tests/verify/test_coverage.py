"""Spans of offsets are a set, however they were put in."""

from hypothesis import given
from hypothesis import strategies as st

from services.verify.coverage import Spans

NUMBERS = st.lists(st.integers(0, 40), max_size=60)


def spans_of(numbers: list[int]) -> Spans:
    spans, known = Spans(), set[int]()
    for number in numbers:
        assert spans.add(number) == (number not in known)
        known.add(number)
    return spans


@given(NUMBERS, st.integers(-2, 42), st.integers(-2, 42))
def test_spans_know_what_is_in_them_and_what_is_not(
    numbers: list[int], first: int, end: int
) -> None:
    spans = spans_of(numbers)
    assert [n for n in range(-2, 43) if n in spans] == sorted(set(numbers))
    assert spans.smallest() == min(numbers, default=None)
    if first <= min(numbers, default=first):
        expected = [n for n in range(first, end) if n not in numbers]
        assert list(spans.between(first, end)) == expected


@given(NUMBERS, st.integers(-2, 42), NUMBERS)
def test_what_lies_below_an_end_can_be_forgotten(
    numbers: list[int], end: int, more: list[int]
) -> None:
    spans = spans_of(numbers)
    spans.drop_below(end)
    left = {n for n in numbers if n >= end}
    assert [n for n in range(-2, 43) if n in spans] == sorted(left)
    for number in more:
        if number >= end:
            assert spans.add(number) == (number not in left)
            left.add(number)
