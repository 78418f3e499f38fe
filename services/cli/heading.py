"""What every report begins with: title, period, as known when, software, time made."""

import time
from typing import Any

from services.cli.moments import said, utc


def heading(title: str, period: str, as_of: int | None) -> dict[str, Any]:
    """As JSON has it (13 Miss. Code R. 8-4-14 names these)."""
    from services.runtime.build import build

    made_at = time.time_ns() // 1000
    until = made_at if as_of is None else 1000 * as_of
    return {
        "title": title,
        "period": period,
        "as_known_at": utc(until),
        "version": f"pitledger {build()}",
        "made_at": utc(made_at),
    }


def heading_lines(head: dict[str, Any]) -> list[str]:
    return [
        head["title"],
        f"{head['period']}; as known at {said(head['as_known_at'])}",
        f"{head['version']}, made at {said(head['made_at'])}",
        "",
    ]
