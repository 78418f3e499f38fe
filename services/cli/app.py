"""The commands of `pitledger`, put together. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from services.cli.adjudicate import adjudicate
from services.cli.adjust import adjust_app
from services.cli.archive import archive
from services.cli.audit import audit
from services.cli.case import case_app
from services.cli.doctor import doctor
from services.cli.examples import add_examples
from services.cli.export import export
from services.cli.gaps import gaps
from services.cli.hold import hold_app
from services.cli.keys import keys_app
from services.cli.legal_hold import legal_hold_app
from services.cli.mirror import mirror
from services.cli.output import say
from services.cli.packet import packet
from services.cli.quarantine import quarantine_app
from services.cli.recall import recall
from services.cli.replay import replay
from services.cli.report import report
from services.cli.retention import retention_app
from services.cli.rounds import rounds
from services.cli.rules import rules_app
from services.cli.simulate import simulate
from services.cli.topics import topics_app
from services.cli.verify import verify
from services.cli.whatif import whatif
from services.cli.witness import witness

app = typer.Typer(
    help="Record, adjudicate and prove rounds of carnival table games.\n\n"
    "Settle a round from JSON: adjudicate. Make a journal to look at: simulate. Look into a "
    "journal, from a file, an archive or Kafka: rounds, replay, recall, audit, whatif. See what "
    "waits: doctor. Seal it, verify it, give a round out: keys new, archive, verify, packet. "
    "Settle a claim: case, adjust. Each command's help ends with an example.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(adjudicate)
app.command()(simulate)
app.command()(rounds)
app.command()(replay)
app.command()(recall)
app.command()(gaps)
app.command()(audit)
app.command()(doctor)
app.command()(archive)
app.command()(report)
app.command()(mirror)
app.command()(verify)
app.command()(packet)
app.command()(whatif)
app.command()(export)
app.command()(witness)
app.add_typer(rules_app, name="rules")
app.add_typer(hold_app, name="hold")
app.add_typer(case_app, name="case")
app.add_typer(adjust_app, name="adjust")
app.add_typer(quarantine_app, name="quarantine")
app.add_typer(topics_app, name="topics")
app.add_typer(keys_app, name="keys")
app.add_typer(retention_app, name="retention")
app.add_typer(legal_hold_app, name="legal-hold")
add_examples(app)


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
