"""`pitledger rounds`: what was played, with each round's state and money."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.archived import IndexPath, index_of, refuse_index
from services.cli.moments import gaming_day as day_named
from services.cli.moments import utc
from services.cli.output import columns, console, fail, printable, say_json, warn
from services.cli.source import From, Partitions, id_named, open_journal, table_named

if TYPE_CHECKING:
    from pitledger.pb.facts_pb2 import RoundOpened
    from pitledger.replay import RoundReport
    from services.cli.source import Journal
    from services.storage.indexed import IndexedRound

AMOUNTS = {"staked": "staked", "returned": "returned", "house net": "house_net"}
COLUMNS = ("table/number", "game", "state", *AMOUNTS, "round")
COLUMNS_NEEDED = {"round": 125, "game": 85, "returned": 65}
"""On a narrower terminal these are left out; TABLE/NUMBER names a round too."""


class Game(StrEnum):
    """A game by its name."""

    SAIGON5 = "saigon5"
    FIVE_CARD_HI_LO = "five_card_hi_lo"


class State(StrEnum):
    """What became of a round."""

    OPEN = "open"
    SETTLED = "settled"
    VOIDED = "voided"
    DELETED = "deleted"
    """Its bytes are gone from the archive."""


def rounds(
    source: From,
    table: Annotated[
        str | None, typer.Option(help="Only this table's rounds.", show_default=False)
    ] = None,
    game: Annotated[
        Game | None, typer.Option(help="Only this game's.", show_default=False)
    ] = None,
    state: Annotated[
        State | None, typer.Option(help="Only rounds in this state.", show_default=False)
    ] = None,
    gaming_day: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="Only this gaming day's.",
                                 show_default=False)
    ] = None,
    patron: Annotated[
        str | None, typer.Option(help="Only rounds in which this patron sat.", show_default=False)
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "--last", min=1, help="Only the newest so many.",
                                 show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partitions: Partitions = None,
    index: IndexPath = None,
) -> None:
    """List the rounds of a journal: table, game, state, money. The newest stand last.

    A * marks a round that was opened or closed while its table was held.

    The money is derived from the facts again, not read from recorded decisions: of an open round
    the payout that is due, if one is. House net is what the house won. Of an archive the rounds
    and their money are listed as they were sealed, which needs its index alone; pitledger verify
    derives them again.

    Exit 0: listed; 2: the journal cannot be read, or no round at all is of this table or patron.
    """
    if table is not None:
        table_named(table)
    if patron is not None:
        id_named(patron, "patron")
    if gaming_day is not None:
        day_named("--gaming-day", gaming_day)
    journal = open_journal(source, partitions)
    wanted = _Wanted(table, gaming_day, patron)
    if journal.archived:
        rows = _archived(journal, wanted, index, None if game or state else limit)
    else:
        refuse_index(index)
        rows = [_row(report) for report in _reports(journal, wanted)]
    rows = [
        row
        for row in rows
        if (game is None or row["game"] == game) and (state is None or row["state"] == state)
    ]
    if not rows:
        _require_ids(journal, wanted, index)
        only = {"table": table, "game": game, "state": state, "gaming day": gaming_day,
                "patron": patron}
        warn(f"pitledger: {journal.name}: no rounds{_of(only)}")
    elif journal.archived:
        warn(f"pitledger: {journal.name}: listed as they were sealed; verify derives them again")
    rows.sort(key=lambda row: (row["opened_at"], row["table"], row["number"]))
    rows = rows[-limit:] if limit else rows
    if as_json:
        say_json({"rounds": rows, "totals": _totals(rows)})
    else:
        _print(rows)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What rounds must fit; None: any."""

    table: str | None
    gaming_day: str | None
    patron: str | None

    def fits(self, opened: "RoundOpened") -> bool:
        """A round of a table that fits."""
        return self.gaming_day in (None, opened.gaming_day) and (
            self.patron is None or any(seat.patron_id == self.patron for seat in opened.seats)
        )


def _require_ids(journal: "Journal", wanted: _Wanted, path: Path | None) -> None:
    """Failed where the table or the patron that is asked for has no round on any day."""
    if wanted.table is None and wanted.patron is None:
        return
    ids = replace(wanted, gaming_day=None)
    if not (_archived(journal, ids, path, 1) if journal.archived else any(_reports(journal, ids))):
        fail(f"{journal.name}: has no round{_of({'table': ids.table, 'patron': ids.patron})}")


def _of(only: dict[str, str | None]) -> str:
    """` of table saigon-001, patron P-7`."""
    told = ", ".join(f"{name} {value}" for name, value in only.items() if value is not None)
    return f" of {told}" if told else ""


def _reports(journal: "Journal", wanted: _Wanted) -> "Iterator[RoundReport]":
    from pitledger.journal.record import partition_of
    from pitledger.replay import Replay

    table = wanted.table
    partitions = None if table is None else [partition_of(table_named(table), journal.partitions)]
    replay = Replay(journal.partitions, only_table=table)
    for stored in journal.records(partitions):
        replay.take(stored)
    reports = replay.reports(so_far=journal.live)
    return (report for report in reports if wanted.fits(report.opened.round_opened))


def _archived(
    journal: "Journal", wanted: _Wanted, path: Path | None, last: int | None
) -> list[dict[str, Any]]:
    from services.archivist.table_holds import HeldTables

    with index_of(journal.name, path) as index:
        held = HeldTables(index)
        found = index.rounds(
            table=wanted.table, gaming_day=wanted.gaming_day, patron=wanted.patron, last=last
        )
        return [_archived_row(round_, held.breaches(round_)) for round_ in found]


def _archived_row(round_: "IndexedRound", while_held: list[str]) -> dict[str, Any]:
    """Of a round whose bytes are gone only what its manifest says."""
    opened_us = round_.occurred_at_us
    return {
        "round_id": round_.round_id,
        "table": round_.table_id,
        "number": round_.number,
        "game": round_.game,
        "state": State.DELETED if round_.gone else round_.outcome,
        "opened_at": utc(round_.opened_at_ms * 1000 if opened_us is None else opened_us),
        "currency": round_.currency,
        "staked": round_.staked_minor,
        "returned": round_.returned_minor,
        "house_net": round_.house_net_minor,
        "while_held": while_held,
    }


def _row(report: "RoundReport") -> dict[str, Any]:
    from pitledger.story import game_key

    opened = report.opened.round_opened
    totals = None
    if report.sums is not None:
        totals = getattr(report.sums, report.sums.WhichOneof("body") or "").totals
    return {
        "round_id": report.round_id,
        "table": report.table_id,
        "number": opened.round_number,
        "game": game_key(opened.submission),
        "state": report.state,
        "opened_at": utc(report.opened.occurred_at),
        "currency": opened.currency_code,
        "staked": totals.staked_minor if totals else None,
        "returned": totals.returned_minor if totals else None,
        "house_net": totals.house_net_minor if totals else None,
        "while_held": [breach.what for breach in report.breaches],
    }


def _totals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sums of settled and voided rounds by currency."""
    sums: dict[str, Counter[str]] = {}
    for row in rows:
        if row["state"] in (State.SETTLED, State.VOIDED):
            sums.setdefault(row["currency"], Counter()).update(
                {"rounds": 1}
                | {name: row[name] for name in ("staked", "returned", "house_net") if row[name]}
            )
    return [
        {
            "currency": currency,
            "rounds": total["rounds"],
            "staked": total["staked"],
            "returned": total["returned"],
            "house_net": total["house_net"],
        }
        for currency, total in sorted(sums.items())
    ]


def _print(rows: list[dict[str, Any]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    width = columns()
    names = [name for name in COLUMNS if COLUMNS_NEEDED.get(name, 0) <= width]
    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in names:
        shown.add_column(name, justify="right" if name in AMOUNTS else "left", overflow="fold")
    for row in rows:
        cells = _cells(row)
        shown.add_row(*(cells[name] for name in names))
    out = console()
    if rows:
        out.print(shown)
    left_out = [name for name in COLUMNS if name not in names]
    if rows and left_out:
        out.print(f"too narrow for {', '.join(left_out)}; --json has all")
    out.print(f"{len(rows):,} rounds" if len(rows) != 1 else "1 round")
    held = sum(bool(row["while_held"]) for row in rows)
    if held:
        out.print(f"* opened or closed while the table was held: {held:,}")
    for total in _totals(rows):
        staked, returned, net = (_amount(total, name) for name in AMOUNTS.values())
        out.print(
            f"finished: {total['rounds']:,}, staked {staked}, returned {returned}, house net {net}"
        )


def _cells(row: dict[str, Any]) -> dict[str, str]:
    cells = {
        "table/number": f"{row['table']}/{row['number']}",
        "game": row["game"],
        "state": row["state"] + ("*" if row["while_held"] else ""),
        "round": row["round_id"],
    } | {name: _amount(row, key) for name, key in AMOUNTS.items()}
    return {name: printable(cell) for name, cell in cells.items()}


def _amount(row: dict[str, Any], key: str) -> str:
    from pitledger.words import money

    return "-" if row[key] is None else money(row[key], row["currency"])
