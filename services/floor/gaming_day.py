"""The property's gaming day: from 06:00 to 06:00 local time, named by the day it begins."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

_ZONE = ZoneInfo("America/New_York")
_BEGINS = timedelta(hours=6)
_QUARTER_US = 15 * 60 * 1_000_000


def gaming_day(now_us: int) -> str:
    """"2026-11-30" of a time in microseconds since 1970. It changes only at a quarter hour."""
    return _of_quarter(now_us // _QUARTER_US)


@lru_cache(maxsize=64)
def _of_quarter(quarter: int) -> str:
    moment = datetime.fromtimestamp(quarter * 15 * 60, UTC).astimezone(_ZONE)
    # Wall-clock arithmetic: 06:00 is 06:00 also on the days that have 23 or 25 hours.
    return (moment.replace(tzinfo=None) - _BEGINS).date().isoformat()
