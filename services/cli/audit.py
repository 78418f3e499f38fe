"""`pitledger audit`: a journal against a second, independent adjudication."""

from dataclasses import asdict
from typing import Annotated

import typer

from services.cli.output import printable, say, say_json
from services.cli.source import From, Partitions, open_journal


def audit(
    source: From,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partitions: Partitions = None,
) -> None:
    """Work out every round of a journal a second time, by code that the processors do not use.

    Findings are faults; foreign decisions changed nothing and are listed beside them. Kafka's
    journal may be in mid-round: decisions that are still to come are pending there.

    Exit 0: nothing found; 1: findings; 2: the journal cannot be read.
    """
    from pitledger.audit import audit as audit_records
    from pitledger.audit import render
    from pitledger.words import money

    journal = open_journal(source, partitions)
    report = audit_records(journal.raw(), journal.partitions, complete=not journal.live)
    if as_json:
        say_json({"sound": report.sound, **asdict(report)})
    else:
        for line in render(report, money=money).splitlines():
            say(printable(line))
    raise typer.Exit(0 if report.sound else 1)
