"""`pitledger report`: what a gaming day settled, and what was adjusted since."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli import moments
from services.cli.as_of import AsOf, known_at
from services.cli.heading import heading, heading_lines
from services.cli.output import printable, say, say_json
from services.cli.source import From, Partitions, require_table, table_named
from services.cli.untrimmed import open_whole

if TYPE_CHECKING:
    from pitledger.cases.journal import Cases
    from services.cli.report_day import Settled
    from services.cli.source import Journal

TITLE = "Settlements and adjustments of a gaming day"


def report(
    source: From,
    gaming_day: Annotated[
        str, typer.Option(metavar="YYYY-MM-DD", show_default=False,
                          help="The property's gaming day, as its rounds name it."),
    ],
    table: Annotated[
        str | None, typer.Option(help="Only this table.", show_default=False)
    ] = None,
    as_of: AsOf = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partitions: Partitions = None,
) -> None:
    """Report a gaming day's rounds by table and currency: settled, adjusted, net.

    All is derived from the facts again. An adjustment counts with the day of the round that it
    corrects, whenever it was booked; --as-of leaves out what was not known by then.

    Exit 0: reported; 1: a record about a case is not what its facts derive; 2: bad input,
    or no such table.
    """
    from services.cli import case_view

    moments.gaming_day("--gaming-day", gaming_day)
    journal = open_whole(source, partitions)
    cases = case_view.to_be_read(journal, as_of)
    rounds = _read(journal, cases, gaming_day, table, as_of)
    rows = _rows(rounds, cases, gaming_day, table)
    if table is not None and not rows:
        require_table(journal, table)
    forged = case_view.forged(cases)
    only = f", table {table}" if table else ""
    head = heading(TITLE, f"gaming day {gaming_day}{only}", as_of)
    head |= {"gaming_day": gaming_day, "table": table}
    if as_json:
        say_json(head | {"rows": rows, "totals": _totals(rows), "forged": forged})
    else:
        for line in [*_lines(head, rows), *case_view.forged_lines(forged)]:
            say(printable(line))
    raise typer.Exit(1 if forged else 0)


def _read(
    journal: "Journal", cases: "Cases", day: str, table: str | None, as_of: int | None
) -> "list[Settled]":
    """Fold rounds and cases, in one reading."""
    from pitledger.journal.record import partition_of
    from services.cli.report_day import GamingDay

    only = None if table is None else [partition_of(table_named(table), journal.partitions)]
    rounds = GamingDay(journal.partitions, day, table)
    for stored in known_at(journal.records(only), as_of):
        rounds.take(stored)
        cases.take(stored)
    return rounds.settled()


def _rows(
    rounds: "list[Settled]", cases: "Cases", day: str, table: str | None
) -> list[dict[str, Any]]:
    """One for each table and currency; amounts are minor units, `net` is the house's."""
    sums: dict[tuple[str, str], Counter[str]] = {}
    for one in rounds:
        row = sums.setdefault((one.table_id, one.currency), Counter())
        row.update(rounds=1, staked=one.staked, returned=one.returned, house_net=one.house_net)
    for case in cases.cases():
        settlement = case.settlement
        if settlement is None or settlement.gaming_day != day:
            continue
        if table not in (None, case.table_id):
            continue
        row = sums.setdefault((case.table_id, settlement.currency), Counter())
        for proposal in case.proposals.values():
            if proposal.posting is not None:
                row.update(adjusted=proposal.posting.house_net_minor, adjustments=1)
    names = ("rounds", "staked", "returned", "house_net", "adjustments", "adjusted")
    return [
        {"table": table_id, "currency": currency}
        | {name: row[name] for name in names}
        | {"net": row["house_net"] + row["adjusted"]}
        for (table_id, currency), row in sorted(sums.items())
    ]


def _totals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sums: dict[str, Counter[str]] = {}
    for row in rows:
        numbers = {name: value for name, value in row.items() if isinstance(value, int)}
        sums.setdefault(row["currency"], Counter()).update(numbers)
    return [
        {"currency": currency, **{name: total[name] for name in rows[0] if name in total}}
        for currency, total in sorted(sums.items())
    ]


def _lines(head: dict[str, Any], rows: list[dict[str, Any]]) -> list[str]:
    from pitledger.words import money

    lines = heading_lines(head)
    for row in [*rows, *({"table": "all"} | total for total in _totals(rows))]:
        staked, returned, net, adjusted, left = (
            money(row[name], row["currency"])
            for name in ("staked", "returned", "house_net", "adjusted", "net")
        )
        rounds, adjustments = (_count(row, "round"), _count(row, "adjustment"))
        lines.append(
            f"{row['table']}: {rounds}, staked {staked}, returned {returned}, house net {net};"
            f" {adjustments} {adjusted}; net {left}"
        )
    return lines if rows else [*lines, "no round of this day is settled"]


def _count(row: dict[str, Any], what: str) -> str:
    """`2 rounds` of a row that has `rounds`."""
    count = row[f"{what}s"]
    return f"{count:,} {what}" + ("s" if count != 1 else "")
