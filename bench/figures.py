"""Figures of several runs as min / median / max; percentiles of one."""

from collections.abc import Sequence
from statistics import median


def spread(values: Sequence[float], digits: int = 1) -> str:
    """`min / median / max`, for a table."""
    if len(values) == 1:
        return f"{values[0]:,.{digits}f}"
    parts = (min(values), median(values), max(values))
    return " / ".join(f"{part:,.{digits}f}" for part in parts)


def percentile(values: Sequence[float], percent: int) -> float:
    """By nearest rank; infinite where there is none."""
    if not values:
        return float("inf")
    return sorted(values)[-(-percent * len(values) // 100) - 1]
