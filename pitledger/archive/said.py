"""JSON that anybody may have written."""

import json
from typing import Any

LONGEST = 1 << 20
"""Bytes, where nothing else is said."""


def read_json(data: bytes, longest: int = LONGEST) -> Any:
    """Raises ValueError for what is none, is longer, or is nested deeper than it can be read."""
    if len(data) > longest:
        raise ValueError("is too long")
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("is nested too deep") from None
