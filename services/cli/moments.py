"""Times as JSON and as people read them, and as people write them: UTC, to the microsecond."""

import re
import time
from datetime import UTC, date, datetime, timedelta

from services.cli.output import fail

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def utc(microseconds: int) -> str:
    """`2026-11-30T12:00:00.000250Z`; a time that no calendar has is shown as its number."""
    try:
        moment = _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return f"{microseconds} us"
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def said(moment: str) -> str:
    """A moment as JSON has it, as people read it: `2026-11-30 12:00:00.000250 UTC`."""
    return moment.replace("T", " ").replace("Z", " UTC")


def since(option: str, text: str) -> int:
    """Milliseconds since 1970 of "90s", "30m", "2h", "7d" ago, or of an ISO 8601 time (UTC where
    it names no zone); Failed for other text."""
    ago = _AGO.fullmatch(text)
    if ago is not None:
        return time.time_ns() // 1_000_000 - int(ago[1]) * _UNITS_MS[ago[2]]
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        fail(f"{option} {text}: is neither a time as 2026-11-30T12:00 nor so long ago as 90s, 30m,"
             " 2h or 7d")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def gaming_day(option: str, text: str) -> str:
    """One gaming day, `2026-11-30`; Failed for other text."""
    if not _is_day(text):
        fail(f"{option} {text}: is no day as 2026-11-30")
    return text


def gaming_days(option: str, text: str) -> str:
    """A gaming day, `2026-11-30`, or a month of them, `2026-11`; Failed for other text."""
    if not (_is_day(text) or _is_day(f"{text}-01")):
        fail(f"{option} {text}: is neither a day as 2026-11-30 nor a month as 2026-11")
    return text


def _is_day(text: str) -> bool:
    try:
        return str(date.fromisoformat(text)) == text
    except ValueError:
        return False


_AGO = re.compile("([0-9]{1,9})([smhd])")
_UNITS_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
