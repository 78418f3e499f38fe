"""`pitledger recall`: the complete play of rounds that are over, shown as a recall."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli import moments
from services.cli.archived import IndexPath
from services.cli.output import fail, printable, say, say_json
from services.cli.source import From, Partitions, id_named, open_journal, table_named

if TYPE_CHECKING:
    from services.cli.recalled import Recalled
    from services.cli.transcript import Transcript

GAMES = 10
"""How many a recall shows where no number is asked: Ontario AGCO, Oklahoma 325:85-15-18."""
LAST_MAX = 1_000_000


def recall(
    source: From,
    table: Annotated[
        str | None, typer.Option(help="This table's rounds.", show_default=False)
    ] = None,
    position: Annotated[
        int | None, typer.Option(min=1, help="Only rounds with a patron at this position.",
                                 show_default=False)
    ] = None,
    patron: Annotated[
        str | None, typer.Option(help="Rounds in which this patron sat.", show_default=False)
    ] = None,
    gaming_day: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", show_default=False,
                                 help="This gaming day's rounds.")
    ] = None,
    round_: Annotated[
        str | None, typer.Option("--round", metavar="ROUND", show_default=False,
                                 help="This round: TABLE/NUMBER, or an id or its beginning.")
    ] = None,
    last: Annotated[
        int, typer.Option(min=1, max=LAST_MAX, help="The newest so many.")
    ] = GAMES,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partitions: Partitions = None,
    index: IndexPath = None,
) -> None:
    """Show the complete play of the last rounds of a table, a position, a patron or a day.

    Of each round that is over: every step, its outcome, the wagers by kind and the amounts won;
    the newest stands last. Each is derived again on the way. An archive finds them by its index;
    a file or Kafka is read whole.

    Exit 0: shown, each identical; 1: shown, and one differs from what its facts derive; 2: no
    such round, or bad input.
    """
    from services.cli.recalled import Wanted, recalled

    if table is not None:
        table_named(table)
    if patron is not None:
        id_named(patron, "patron")
    if gaming_day is not None:
        moments.gaming_day("--gaming-day", gaming_day)
    wanted = Wanted(table, position, patron, gaming_day, round_, last)
    if wanted.asks_for_nothing:
        fail("recall: say of what: --table, --patron, --gaming-day or --round")
    if wanted.is_contradictory:
        fail("recall: --round names one round; give nothing else with it")
    journal = open_journal(source, partitions)
    found = recalled(journal, wanted, index)
    made_at = moments.utc(time.time_ns() // 1000)
    if as_json:
        say_json(_object(found, journal.name, made_at))
    else:
        for line in _lines(found, journal.name, made_at):
            say(line)
    raise typer.Exit(0 if all(t.report.identical for t in found.transcripts) else 1)


def _object(found: "Recalled", source: str, made_at: str) -> dict[str, Any]:
    from services.cli.transcript import as_object
    from services.runtime.build import build

    return {
        "recall": True,
        "of": found.of,
        "source": source,
        "made_at": made_at,
        "made_by": build(),
        "gone": list(found.gone),
        "rounds": [
            as_object(transcript) | {
                "gaming_day": transcript.report.opened.round_opened.gaming_day,
                "currency": transcript.currency,
                "wagers": list(_wagers(transcript)),
            }
            for transcript in found.transcripts
        ],
    }


def _wagers(transcript: "Transcript") -> Iterator[dict[str, Any]]:
    """Each line that was booked, with who sat there."""
    from pitledger import words

    opened, sums = transcript.report.opened.round_opened, transcript.report.sums
    patrons = {seat.position: seat.patron_id for seat in opened.seats}
    booked = getattr(sums, sums.WhichOneof("body") or "") if sums is not None else None
    for line in booked.lines if booked is not None else ():
        yield {
            "position": line.position,
            "patron": patrons.get(line.position, ""),
            "kind": words.kind_key(line.kind),
            "staked": line.stake_minor,
            "outcome": words.outcome(line.outcome),
            "won": line.profit_minor,
            "returned": line.returned_minor,
        }


def _lines(found: "Recalled", source: str, made_at: str) -> Iterator[str]:
    from services.runtime.build import build

    count = len(found.transcripts)
    yield f"RECALL of {printable(found.of)}: rounds played before, no play"
    yield f"from {printable(source)}, made {moments.said(made_at)} by pitledger {build()}"
    for name in found.gone:
        yield f"{printable(name)}: not recalled, its bytes are gone"
    for number, transcript in enumerate(found.transcripts, 1):
        yield ""
        yield f"RECALL {number} of {count}"
        yield from _round(transcript)


def _round(transcript: "Transcript") -> Iterator[str]:
    from services.cli.transcript_text import heading, step_lines, verdict_lines

    opened = transcript.report.opened
    yield from heading(transcript)
    yield (
        f"{transcript.game}, opened {moments.said(moments.utc(opened.occurred_at))},"
        f" gaming day {printable(opened.round_opened.gaming_day)}"
    )
    for step in transcript.steps:
        yield from step_lines(transcript, step)
    yield ""
    yield f"{transcript.report.state}; wagers by kind and what they won:"
    for wager in _wagers(transcript):
        yield f"  {_told(wager, transcript.currency)}"
    yield from verdict_lines(transcript)


def _told(wager: dict[str, Any], currency: str) -> str:
    from pitledger.words import money

    who = f" ({wager['patron']})" if wager["patron"] else ""
    staked, returned = (money(wager[name], currency) for name in ("staked", "returned"))
    amount = money(abs(wager["won"]), currency)
    return printable(
        f"position {wager['position']}{who} {wager['kind'].replace('_', ' ')}: staked {staked},"
        f" {wager['outcome']}, {'lost' if wager['won'] < 0 else 'won'} {amount},"
        f" returned {returned}"
    )
