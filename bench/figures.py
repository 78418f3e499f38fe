"""Figures of several runs as min / median / max."""

from collections.abc import Sequence
from statistics import median


def spread(values: Sequence[float], digits: int = 1) -> str:
    """`min / median / max`, for a table."""
    parts = (min(values), median(values), max(values))
    return " / ".join(f"{part:,.{digits}f}" for part in parts)
