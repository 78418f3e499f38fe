"""`pitledger replay`: derive a round's decisions again from the journal, step by step."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.archived import IndexPath
from services.cli.output import fail, flush, say, say_json, write
from services.cli.source import From, Partitions, open_journal

if TYPE_CHECKING:
    from services.cli.transcript import Transcript


def replay(
    source: From,
    round_: Annotated[
        str | None,
        typer.Argument(metavar="ROUND", show_default=False,
                       help="TABLE/NUMBER, or a round's id, or its beginning: 8 characters tell the"
                            " minute in which it opened, 13 the millisecond."),
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
    index: IndexPath = None,
) -> None:
    """Show a round step by step and prove it: each decision is derived again and compared.

    The round's facts are folded anew. A round is identical if the decisions that they derive are
    those on the journal, byte for byte. What was derived in the last seconds on Kafka may be
    missing still; what is missing for longer there is not recorded yet.

    Exit 0: identical; 1: different, not all recorded, not all judged; 2: bad input or unknown
    round.
    """
    if every == (round_ is not None):
        fail("replay: give one ROUND, or --all")
    if every and (step or until is not None):
        fail("replay: --step and --until are for one ROUND")
    if every and index is not None:
        fail("replay: --index is for one ROUND; --all reads the archive itself")
    if step and as_json:
        fail("replay: --step is for reading, --json is not")
    journal = open_journal(source, partitions)
    if round_ is None:
        from services.cli.whole_journal import replay_all

        raise typer.Exit(replay_all(journal, as_json))
    from services.cli.transcript import find

    raise typer.Exit(_show(find(journal, round_, until, index), step, as_json))


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
