"""The commands of `pitledger`, put together. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from services.cli.adjudicate import adjudicate
from services.cli.archive import archive
from services.cli.audit import audit
from services.cli.doctor import doctor
from services.cli.hold import hold_app
from services.cli.keys import keys_app
from services.cli.output import say
from services.cli.packet import packet
from services.cli.quarantine import quarantine_app
from services.cli.replay import replay
from services.cli.rounds import rounds
from services.cli.rules import rules_app
from services.cli.simulate import simulate
from services.cli.topics import topics_app
from services.cli.whatif import whatif
from services.cli.witness import witness

app = typer.Typer(
    help="Record, adjudicate and prove rounds of carnival table games.\n\n"
    "Settle a round from JSON: adjudicate. Make a journal to look at: simulate. Look into a "
    "journal, from a file or from Kafka: rounds, replay, audit. See what waits: doctor.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(adjudicate)
app.command()(simulate)
app.command()(rounds)
app.command()(replay)
app.command()(audit)
app.command()(doctor)
app.command()(archive)
app.command()(packet)
app.command()(whatif)
app.command()(witness)
app.add_typer(rules_app, name="rules")
app.add_typer(hold_app, name="hold")
app.add_typer(quarantine_app, name="quarantine")
app.add_typer(topics_app, name="topics")
app.add_typer(keys_app, name="keys")


def _version(wanted: bool) -> None:
    if wanted:
        from pitledger import __version__

        say(f"pitledger {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True,
                           help="Print the version and exit.")
    ] = False,
) -> None:
    """Options before the command."""
