"""What was played, proved: one round as a person reads it, then all of them twice over."""

import sys
from collections.abc import Sequence

from rich.console import Console

from pitledger import words
from pitledger.audit import AuditReport, audit, render
from pitledger.journal.record import Stored
from pitledger.replay import OPEN, RoundReport, replay_all
from services.demo.house import House
from services.demo.tables import Round

_PITLEDGER = "import services.cli; services.cli.main()"


def replay_one(round_: Round, house: House, console: Console) -> bool:
    """Show a round by the very command that a user would type; whether it is identical."""
    _say(console, f"\n{round_.table_id}, round {round_.number}: {round_.reasons}", "bold")
    arguments = ("replay", round_.round_id, "--from", "kafka")
    _say(console, f"$ pitledger {' '.join(arguments)}", "cyan")
    sys.stdout.flush()
    return house.run((sys.executable, "-c", _PITLEDGER, *arguments)) == 0


def prove_all(records: Sequence[Stored], partitions: int, console: Console) -> bool:
    """Replay and audit a whole journal; whether nothing at all is wrong."""
    replayed = _replay(records, partitions, console)
    audited = _audit(records, partitions, console)
    return replayed and audited


def _replay(records: Sequence[Stored], partitions: int, console: Console) -> bool:
    reports = list(replay_all(records, partitions))
    wrong = [report for report in reports if not report.identical or report.state == OPEN]
    derived = sum(report.derived for report in reports)
    same = f"{len(reports) - len(wrong)} of {len(reports)} rounds identical"
    text = f"\nreplay  {same}, {derived:,} decisions derived again"
    _say(console, text, _style(not wrong and bool(reports)))
    for report in wrong:
        _say(console, f"        {report.table_id} {report.round_id}: {_why(report)}", "red")
    return not wrong and bool(reports)


def _why(report: RoundReport) -> str:
    if report.difference is not None:
        return report.difference.text
    return report.unjudged or "was never ended"


def _audit(records: Sequence[Stored], partitions: int, console: Console) -> bool:
    report = audit(records, partitions)
    clean = report.sound and not report.foreign
    counts = report.counts
    rounds = (
        f"audit   {counts.get('rounds_opened', 0)} rounds = "
        f"{counts.get('rounds_settled', 0)} settled + {counts.get('rounds_voided', 0)} voided, "
        f"worked out a second time: {'no finding' if clean else 'FINDINGS'}"
    )
    _say(console, rounds, _style(clean))
    sums = [_money(report, currency, console) for currency in _currencies(report)]
    if not clean:
        _say(console, render(report, money=words.money))
    return clean and all(sums)


def _currencies(report: AuditReport) -> list[str]:
    return sorted({table.currency for table in report.tables})


def _money(report: AuditReport, currency: str, console: Console) -> bool:
    """The line of one currency; whether its nets sum to zero."""
    tables = [table for table in report.tables if table.currency == currency]
    nets = {
        "players": sum(table.positions_net for table in tables),
        "house": sum(table.house_net for table in tables),
        "pots": sum(table.pot_net for table in tables),
    }
    total = sum(nets.values())
    parts = " + ".join(f"{name} {words.money(net, currency)}" for name, net in nets.items())
    verdict = "sums to zero" if not total else f"SUMS TO {words.money(total, currency)}"
    text = f"money   {parts}: {verdict}"
    _say(console, text, _style(not total))
    return not total


def _style(good: bool) -> str:
    return "green" if good else "bold red"


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style, soft_wrap=True, markup=False)
