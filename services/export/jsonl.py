"""Rows as JSON Lines: the tables' own names, times as ISO 8601, bytes as base64, null left out."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from services.export.event import Row
from services.export.plain import base64
from services.export.schema import Table

SUFFIX = ".jsonl"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Writer:
    """Writes one file, line by line."""

    def __init__(self, path: Path, table: Table) -> None:
        self.rows = 0
        self._plain = {c.name: _PLAIN[c.type] for c in table.columns if c.type in _PLAIN}
        self._out = path.open("w", encoding="utf-8", newline="\n")

    def add(self, row: Row) -> None:
        line = {name: value for name, value in row.items() if value is not None}
        for name, plain in self._plain.items():
            if name in line:
                line[name] = plain(line[name])
        self._out.write(_encode(line) + "\n")
        self.rows += 1

    def close(self) -> None:
        self._out.close()


@lru_cache(maxsize=4096)
def _instant(microseconds: int) -> str | int:
    """A time that no calendar has stays the number that it is."""
    try:
        moment = _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return microseconds
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _headers(headers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"name": header["name"], "value": base64(header["value"] or b"")} for header in headers
    ]


_PLAIN: dict[str, Callable[[Any], Any]] = {
    "instant_us": _instant,
    "instant_ms": lambda milliseconds: _instant(1000 * milliseconds),
    "bytes": base64,
    "headers": _headers,
}
