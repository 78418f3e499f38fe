"""Times as people and JSON read them: UTC, to the microsecond."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def utc(microseconds: int) -> str:
    """`2026-11-30T12:00:00.000250Z`; a time that no calendar has is shown as its number."""
    try:
        moment = _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return f"{microseconds} us"
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
