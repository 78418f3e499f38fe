"""`--as-of MOMENT`: a journal as it was known at a moment, by the broker's clock."""

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.moments import since
from services.cli.output import fail

if TYPE_CHECKING:
    from pitledger.journal.record import Stored


def _come(text: str) -> int:
    """Milliseconds since 1970. Failed for a moment of which nobody knows yet."""
    moment_ms = since("--as-of", text)
    if moment_ms > time.time_ns() // 1_000_000:
        fail(f"--as-of {text}: has not come yet; what will be known then nobody knows")
    return moment_ms


AsOf = Annotated[
    int | None,
    typer.Option("--as-of", metavar="MOMENT", parser=_come, show_default=False,
                 help="As known at this time (2026-11-30T12:00, UTC where it names no zone) or so"
                 " long ago (90s, 30m, 2h, 7d): what was on the journal by then."),
]
"""Milliseconds since 1970; read once, so that all of a command speaks of one moment."""


def known_at(records: "Iterable[Stored]", as_of: int | None) -> "Iterator[Stored]":
    """Of each partition what lies before its first record that is later; all, if None."""
    if as_of is None:
        yield from records
        return
    over: set[int] = set()
    for stored in records:
        if stored.broker_time > as_of:
            over.add(stored.partition)
        if stored.partition not in over:
            yield stored
