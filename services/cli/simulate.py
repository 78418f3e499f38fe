"""`pitledger simulate`: a floor, the four engines and a journal in one process."""

import time
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from services.cli.output import fail, say, say_json


class Games(StrEnum):
    """What the tables play."""

    SAIGON5 = "saigon5"
    FIVE_CARD_HI_LO = "five_card_hi_lo"
    BOTH = "both"


def simulate(
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The journal file to write.", show_default=False)
    ],
    game: Annotated[Games, typer.Option(help="What the tables play.")] = Games.BOTH,
    tables: Annotated[int, typer.Option(min=1, max=10_000, help="Number of tables.")] = 4,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds in all.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same journal.")] = 1,
    faults: Annotated[
        bool, typer.Option("--faults", help="Foul play, forged records, lost sends, crashes.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play rounds on a simulated floor and write the journal to a file.

    The floor's terminals, the four processors' engines and a journal run in this one process,
    without a broker. Look at the result with: rounds, replay, audit --from PATH.

    Exit 0: played; 2: the file cannot be written.
    """
    from services.simulation import simulate as play

    names = ("saigon5", "five_card_hi_lo") if game is Games.BOTH else (game.value,)
    started = time.perf_counter()
    try:
        report = play(names, tables, rounds, seed, faults, output)
    except OSError as error:
        fail(f"{output}: {error.strerror or error}")
    seconds = time.perf_counter() - started
    if as_json:
        counts = {" ".join(filter(None, key)): count for key, count in report.counts.items()}
        say_json({**asdict(report), "counts": counts, "seconds": round(seconds, 3)})
        return
    say(f"{report.rounds:,} rounds at {tables} tables, seed {seed}, in {seconds:.1f} s"
        f" ({report.rounds / seconds:,.0f} rounds/s)")
    say(f"{report.records:,} records: {report.facts:,} facts, {report.decisions:,} decisions")
    for kind, count in report.mishaps.items():
        say(f"{kind.replace('_', ' ')}: {count:,}")
    say(f"journal: {output}")
