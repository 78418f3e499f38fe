"""`pitledger simulate`: a floor, the four engines and a journal in one process."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.output import fail, printable, say, say_json

if TYPE_CHECKING:
    from pitledger.audit import AuditReport
    from services.simulation import SimulationReport

FINDINGS_SHOWN_MAX = 20


class Games(StrEnum):
    """What the tables play."""

    SAIGON5 = "saigon5"
    FIVE_CARD_HI_LO = "five_card_hi_lo"
    BOTH = "both"


def simulate(
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", show_default=False,
                     help="The journal file to write; without one the journal is not kept."),
    ] = None,
    game: Annotated[Games, typer.Option(help="What the tables play.")] = Games.BOTH,
    tables: Annotated[int, typer.Option(min=1, max=10_000, help="Number of tables.")] = 4,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds in all.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same journal.")] = 1,
    faults: Annotated[
        bool, typer.Option("--faults", help="Foul play, forged records, lost sends, crashes.")
    ] = False,
    audited: Annotated[
        bool | None,
        typer.Option("--audit/--no-audit", show_default="with --faults",
                     help="Let the auditor work every round out a second time."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play rounds on a simulated floor and write the journal to a file.

    The floor's terminals, the four processors' engines and a journal run in this one process,
    without a broker. Look at the result with: rounds, replay, audit --from PATH.

    Exit 0: played, and the auditor agrees; 1: it does not; 2: the file cannot be written, or is
    there already.
    """
    if output is not None and output.is_file():
        fail(f"{output}: is there already; a journal is written into a new file")
    names = ("saigon5", "five_card_hi_lo") if game is Games.BOTH else (game.value,)
    with TemporaryDirectory(prefix="pitledger-") as nowhere:
        path = output or Path(nowhere) / "journal"
        report, seconds = _play(names, tables, rounds, seed, faults, path)
        audit = _audit(path) if audited or (audited is None and faults) else None
    if as_json:
        say_json(_as_object(report, seconds, audit))
    else:
        for line in _lines(report, seconds, audit, tables, seed, output):
            say(line)
    raise typer.Exit(0 if audit is None or audit.sound else 1)


def _play(
    names: tuple[str, ...], tables: int, rounds: int, seed: int, faults: bool, path: Path
) -> "tuple[SimulationReport, float]":
    from services.simulation import simulate as play

    started = time.perf_counter()
    try:
        report = play(names, tables, rounds, seed, faults, path)
    except OSError as error:
        fail(f"{path}: {error.strerror or error}")
    return report, time.perf_counter() - started


def _audit(path: Path) -> "AuditReport":
    from pitledger.audit import audit
    from pitledger.sources.file import read_file
    from services.simulation.driver import PARTITIONS

    return audit(read_file(path), PARTITIONS)


def _as_object(
    report: "SimulationReport", seconds: float, audit: "AuditReport | None"
) -> dict[str, Any]:
    counts = {" ".join(filter(None, key)): count for key, count in report.counts.items()}
    told = {**asdict(report), "counts": counts, "seconds": round(seconds, 3)}
    if audit is not None:
        findings = [asdict(finding) for finding in audit.findings]
        told["audit"] = {"sound": audit.sound, "counts": audit.counts, "findings": findings}
    return told


def _lines(
    report: "SimulationReport",
    seconds: float,
    audit: "AuditReport | None",
    tables: int,
    seed: int,
    output: Path | None,
) -> Iterator[str]:
    yield (f"{report.rounds:,} rounds at {tables} tables, seed {seed}, in {seconds:.1f} s"
           f" ({report.rounds / seconds:,.0f} rounds/s)")
    yield f"{report.records:,} records: {report.facts:,} facts, {report.decisions:,} decisions"
    for kind, count in report.mishaps.items():
        yield f"{kind.replace('_', ' ')}: {count:,}"
    if output is not None:
        yield f"journal: {output}"
    if audit is None:
        return
    seen = Counter(audit.counts)
    yield (f"audit: {seen['rounds_opened']:,} rounds opened = {seen['rounds_settled']:,} settled"
           f" + {seen['rounds_voided']:,} voided + {seen['rounds_open']:,} open;"
           f" {seen['decisions_due']:,} decisions due, {seen['decisions_seen']:,} seen;"
           f" {seen['decisions_foreign']:,} foreign ones moved nothing")
    for finding in audit.findings[:FINDINGS_SHOWN_MAX]:
        yield printable(f"{finding.kind} at {finding.partition}/{finding.offset},"
                        f" table {finding.table_id}, round {finding.round_id}: {finding.text}")
    found = f"{len(audit.findings):,} findings" if audit.findings else "agrees on every round"
    yield f"the auditor {'has ' if audit.findings else ''}{found}"
