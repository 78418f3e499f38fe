"""What the bench prints of several runs."""

from bench.figures import percentile, spread


def test_a_spread_of_several_is_least_median_and_most():
    assert spread([3, 1, 2000]) == "1.0 / 3.0 / 2,000.0"


def test_a_spread_of_one_is_that_one():
    assert spread([2.25], 2) == "2.25"


def test_percentiles_are_nearest_ranks():
    values = list(range(1, 101))
    assert [percentile(values, rank) for rank in (50, 99, 100)] == [50, 99, 100]
    assert percentile([7], 1) == 7


def test_of_nothing_a_percentile_is_endless():
    assert percentile([], 99) == float("inf")
