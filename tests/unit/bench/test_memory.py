"""How memory is judged to be flat."""

import pytest

from bench.memory import slope


def test_only_the_last_half_counts():
    hours = [n / 10 for n in range(8)]
    assert slope(hours, [10, 50, 70, 80, 90, 90, 90, 90]) == pytest.approx(0)


def test_a_slope_is_mebibytes_an_hour_whatever_the_gaps_between_samples():
    assert slope([0, 1, 2.0, 2.5, 4.0], [0, 0, 8.0, 10.0, 16.0]) == pytest.approx(4)
