"""`pitledger topics acls apply` and `pitledger topics acls check`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.kafka import kafka_connection
from services.cli.output import Failed, say, say_json

if TYPE_CHECKING:
    from pitledger.sources.acls import AccessList
    from pitledger.sources.connection import Connection

acls_app = typer.Typer(
    help="Access lists: who may read and write the topics, and join the groups. Needs the "
    "operator's login.",
    no_args_is_help=True,
)

File = Annotated[
    Path, typer.Argument(metavar="FILE", show_default=False, help="As deploy/kafka/acls.toml.")
]
Profile = Annotated[
    list[str] | None,
    typer.Option("--profile", metavar="NAME", show_default=False,
                 help="Also whom the file grants something in this profile only: demo, load."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@acls_app.command("apply")
def apply(file: File, profile: Profile = None, as_json: Json = False) -> None:
    """Grant what the file says; take back the rest of journal, quarantine and the file's groups.

    Exit 0: done; 1: done, but somebody has wider rights that are left alone; 2: cannot.
    """
    from pitledger.sources.acls import apply_acls
    from pitledger.sources.connection import ConnectionFailed

    connection, wanted = _wanted(file, profile or [])
    try:
        before = apply_acls(connection, wanted)
    except ConnectionFailed as error:
        raise Failed(str(error)) from None
    if as_json:
        say_json(
            {
                "granted": [str(right) for right in before.missing],
                "taken_back": [str(right) for right in before.superfluous],
                "too_wide": [str(right) for right in before.wider],
            }
        )
    else:
        for right in before.missing:
            say(f"granted: {right}")
        for right in before.superfluous:
            say(f"taken back: {right}")
        for right in before.wider:
            say(f"too wide, left alone: {right}")
        say(f"access lists are as {file} says: {len(wanted.rights)} entries")
    raise typer.Exit(1 if before.wider else 0)


@acls_app.command("check")
def check(file: File, profile: Profile = None, as_json: Json = False) -> None:
    """Compare what the broker has with the file. Exit 0: the same, 1: not, 2: cannot say."""
    from pitledger.sources.acls import check_acls
    from pitledger.sources.connection import ConnectionFailed

    connection, wanted = _wanted(file, profile or [])
    try:
        found = check_acls(connection, wanted)
    except ConnectionFailed as error:
        raise Failed(str(error)) from None
    if as_json:
        say_json({"ok": not found, "problems": found.lines()})
    else:
        as_it_says = f"access lists are as {file} says: {len(wanted.rights)} entries"
        for line in found.lines() or [as_it_says]:
            say(line)
    raise typer.Exit(1 if found else 0)


def _wanted(file: Path, profiles: list[str]) -> "tuple[Connection, AccessList]":
    from pitledger.sources.acls import BadAcls, read_acls
    from pitledger.sources.environment import Environment
    from services.runtime.settings import group_prefix

    connection, group = kafka_connection(), group_prefix(Environment())
    try:
        return connection, read_acls(file, connection, group, profiles)
    except BadAcls as error:
        raise Failed(str(error)) from None
