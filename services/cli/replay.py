"""`pitledger replay`: derive a round's decisions again from the journal, step by step."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.output import fail, flush, printable, say, say_json, write
from services.cli.source import From, Partitions, open_journal

if TYPE_CHECKING:
    from pitledger.replay import RoundReport
    from services.cli.source import Journal
    from services.cli.transcript import Transcript

DIFFERENCES_SHOWN_MAX = 20


def replay(
    source: From,
    round_: Annotated[
        str | None,
        typer.Argument(metavar="ROUND", show_default=False,
                       help="A round's id, its first 8 characters or more, or TABLE/NUMBER."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Replay all rounds of the journal, and count.")
    ] = False,
    step: Annotated[
        bool, typer.Option("--step", help="Wait for Enter before each step; q ends the walk.")
    ] = False,
    until: Annotated[
        int | None,
        typer.Option(min=0, metavar="OFFSET", show_default=False,
                     help="Show what was known at this offset of the round's partition."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partitions: Partitions = None,
) -> None:
    """Show a round step by step and prove it: each decision is derived again and compared.

    The round's facts are folded anew. A round is identical if the decisions that they derive are
    those on the journal, byte for byte. What was derived in the last seconds on Kafka may be
    missing still.

    Exit 0: identical; 1: different; 2: bad input or unknown round.
    """
    if every == (round_ is not None):
        fail("replay: give one ROUND, or --all")
    if every and (step or until is not None):
        fail("replay: --step and --until are for one ROUND")
    if step and as_json:
        fail("replay: --step is for reading, --json is not")
    journal = open_journal(source, partitions)
    if round_ is None:
        raise typer.Exit(_replay_all(journal, as_json))
    from services.cli.transcript import find

    raise typer.Exit(_show(find(journal, round_, until), step, as_json))


def _show(transcript: "Transcript", step: bool, as_json: bool) -> int:
    from services.cli.transcript import as_object
    from services.cli.transcript_text import heading, step_lines, verdict_lines

    if as_json:
        say_json(as_object(transcript))
    else:
        for line in heading(transcript):
            say(line)
        for number, one in enumerate(transcript.steps, 1):
            if step and not _wait(number, len(transcript.steps)):
                break
            for line in step_lines(transcript, one):
                say(line)
        for line in verdict_lines(transcript):
            say(line)
    return 0 if transcript.report.identical else 1


def _wait(number: int, steps: int) -> bool:
    """Wait for a line on standard input; say whether to go on. Without one there is no waiting."""
    if sys.stdin is None:
        return True
    write(f"[{number}/{steps}] ")
    flush()
    line = sys.stdin.readline()
    if not line.endswith("\n") or not sys.stdin.isatty():
        say("")
    return line.strip().lower() != "q"


def _replay_all(journal: "Journal", as_json: bool) -> int:
    from pitledger.replay import Replay

    folded = Replay(journal.partitions)
    records = 0
    for stored in journal.records():
        records += 1
        folded.take(stored)
    reports = list(folded.reports())
    different = [report for report in reports if not _holds(journal, report)]
    counts = {
        "records": records,
        "rounds": len(reports),
        "identical": len(reports) - len(different),
        "different": len(different),
        "settled": sum(report.state == "settled" for report in reports),
        "voided": sum(report.state == "voided" for report in reports),
        "open": sum(report.state == "open" for report in reports),
        "decisions_derived": sum(report.derived for report in reports),
        "decisions_recorded": sum(report.recorded for report in reports),
    }
    if as_json:
        say_json(counts | {"differences": [_difference(report) for report in different]})
    else:
        for line in _counted(counts, different):
            say(line)
    return 1 if different else 0


def _holds(journal: "Journal", report: "RoundReport") -> bool:
    """Identical, or only waiting for a decision that may still come."""
    if report.identical or report.unjudged or report.difference is None:
        return report.identical
    return report.difference.recorded is None and journal.may_come(report.derived_at)


def _difference(report: "RoundReport") -> dict[str, Any]:
    text = report.unjudged or (report.difference.text if report.difference else "")
    offset = report.difference.offset if report.difference else None
    return {
        "round_id": report.round_id,
        "table": report.table_id,
        "number": report.opened.round_opened.round_number,
        "offset": offset,
        "text": text,
    }


def _counted(counts: dict[str, int], different: "list[RoundReport]") -> Iterator[str]:
    yield (
        f"{counts['rounds']:,} rounds in {counts['records']:,} records: {counts['settled']:,}"
        f" settled, {counts['voided']:,} voided, {counts['open']:,} open"
    )
    yield (
        f"decisions: {counts['decisions_derived']:,} derived,"
        f" {counts['decisions_recorded']:,} of them recorded as derived"
    )
    for report in different[:DIFFERENCES_SHOWN_MAX]:
        said = _difference(report)
        name = f"{said['table']}/{said['number']}"
        yield printable(f"{name} {said['round_id']}: {said['text']}")
    if len(different) > DIFFERENCES_SHOWN_MAX:
        yield f"and {len(different) - DIFFERENCES_SHOWN_MAX:,} more"
    if not counts["rounds"]:
        yield "verdict: no round to replay"
    elif different:
        yield f"verdict: DIFFERENT: {counts['different']:,} of {counts['rounds']:,} rounds"
    else:
        yield f"verdict: identical: all {counts['rounds']:,} rounds"
