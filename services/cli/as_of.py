"""`--as-of MOMENT`: a journal as it was known at a moment, by the broker's clock."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.moments import since

if TYPE_CHECKING:
    from pitledger.journal.record import Stored

AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="MOMENT", show_default=False,
                 help="As known at this time (2026-11-30T12:00, UTC where it names no zone) or so"
                 " long ago (90s, 30m, 2h, 7d): what was on the journal by then."),
]


def known_at(records: "Iterable[Stored]", as_of: str | None) -> "Iterator[Stored]":
    """Of each partition what lies before its first record that is later; all, if None."""
    if as_of is None:
        yield from records
        return
    last_ms = since("--as-of", as_of)
    over: set[int] = set()
    for stored in records:
        if stored.broker_time > last_ms:
            over.add(stored.partition)
        if stored.partition not in over:
            yield stored
