"""What was found: in a sentence, with what to do."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from services.cli.moments import utc


@dataclass(frozen=True, slots=True)
class Finding:
    """`waits`: something stands still for it; else it is told, and nothing waits.

    `kind` is a code, `text` one sentence, `do` what a person can do about it ("" if nothing).
    """

    kind: str
    text: str
    do: str = ""
    waits: bool = True
    table: str = ""
    round_id: str = ""
    owner: str = ""
    partition: int | None = None
    offset: int | None = None
    since_ms: int | None = None
    detail: str = ""

    def as_object(self) -> dict[str, Any]:
        """As JSON has it."""
        values = asdict(self)
        since = values.pop("since_ms")
        return values | {"since": None if since is None else utc(1000 * since)}


def lines(findings: Iterable[Finding], shown_max: int) -> Iterator[str]:
    """The findings of each kind, the oldest first, and once what to do about them."""
    ordered = sorted(findings, key=lambda each: (each.kind, each.do, each.since_ms or 0))
    for (_, do), alike in groupby(ordered, key=lambda each: (each.kind, each.do)):
        same = list(alike)
        for finding in same[:shown_max]:
            yield finding.text
        if len(same) > shown_max:
            yield f"... and {len(same) - shown_max:,} more alike (--json has all)"
        if do:
            yield f"  -> {do}"


def ago(milliseconds: int) -> str:
    """How long, as a person says it: "90 s", "12 min", "5 h", "3 days"."""
    seconds = max(0, milliseconds) // 1000
    for unit, name, least in ((86_400, "days", 2), (3600, "h", 2), (60, "min", 2)):
        if seconds >= least * unit:
            return f"{seconds // unit} {name}"
    return f"{seconds} s"
