"""An audit in words."""

from collections.abc import Callable, Iterable, Iterator

from pitledger.audit.auditor import AuditReport, TableMoney
from pitledger.audit.finding import Finding

SHOWN = 20
"""How many findings of one sort are written out; the rest are counted."""


Money = Callable[[int, str], str]
"""How an amount (minor units) of a currency is written; the auditor knows no currency."""


def _minor_units(amount: int, currency: str) -> str:
    return f"{amount} minor units of {currency}"


def render(report: AuditReport, shown: int = SHOWN, money: Money = _minor_units) -> str:
    """The audit as lines of text: verdict, counts, money by table, what was found."""
    return "\n".join(_lines(report, shown, money)) + "\n"


def _lines(report: AuditReport, shown: int, money: Money) -> Iterator[str]:
    counts = report.counts
    verdict = "sound" if report.sound else f"NOT SOUND, {len(report.findings)} findings"
    yield f"audit: {verdict}" + ("" if counts.get("rounds_opened") else ", without a round")
    yield (
        f"rounds: {counts.get('rounds_opened', 0)} opened = "
        f"{counts.get('rounds_settled', 0)} settled + {counts.get('rounds_voided', 0)} voided + "
        f"{counts.get('rounds_open', 0)} open + "
        f"{counts.get('rounds_without_outcome', 0)} without outcome"
    )
    if counts.get("rounds_unjudged"):
        yield (
            f"not judged: {counts['rounds_unjudged']} rounds of adjudication versions that this"
            " build does not know"
        )
    for name, count in counts.items():
        if not name.startswith("rounds_"):
            yield f"{name.replace('_', ' ')}: {count}"
    for table in report.tables:
        yield _money(table, money)
    for currency in sorted({table.currency for table in report.tables}):
        tables = [table for table in report.tables if table.currency == currency]
        yield (
            f"run: staked {money(sum(table.staked for table in tables), currency)}, "
            f"returned {money(sum(table.returned for table in tables), currency)}, "
            f"house {money(sum(table.house_net for table in tables), currency)}"
        )
    for table_id, round_id in report.open_rounds[:shown]:
        yield f"open: table {table_id}, round {round_id}"
    yield from _some("finding", report.findings, shown)
    yield from _some("foreign decision", report.foreign, shown)
    yield from _some("listed", report.listed, shown)


def _money(table: TableMoney, money: Money) -> str:
    amounts = {"staked": table.staked, "returned": table.returned,
               "positions": table.positions_net, "house": table.house_net, "pot": table.pot_net}
    told = ", ".join(f"{name} {money(amount, table.currency)}" for name, amount in amounts.items())
    return (
        f"table {table.table_id}: {table.rounds_settled} settled, {table.rounds_voided} voided,"
        f" {told}"
    )


def _some(title: str, findings: Iterable[Finding], shown: int) -> Iterator[str]:
    found = list(findings)
    for one in found[:shown]:
        yield (
            f"{title}: {one.kind} at {one.partition}/{one.offset}, table {one.table_id or '-'}, "
            f"round {one.round_id or '-'}: {one.text}"
        )
    if len(found) > shown:
        yield f"{title}: and {len(found) - shown} more"
