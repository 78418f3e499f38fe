"""`pitledger topics create` and `pitledger topics check`."""

import json
from dataclasses import asdict
from typing import Annotated, NoReturn

import typer

from pitledger.sources.connection import Connection, ConnectionFailed
from pitledger.sources.environment import SettingError
from pitledger.sources.topics import check_topics, create_topics

topics_app = typer.Typer(help="The journal's topics on Kafka.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@topics_app.command("create")
def create(as_json: Json = False) -> None:
    """Make journal and quarantine where they are missing; settings come from PITLEDGER_*."""
    try:
        created = create_topics(Connection.from_environment())
    except (SettingError, ConnectionFailed) as error:
        _fail(str(error))
    if as_json:
        typer.echo(json.dumps({"topics": [asdict(topic) for topic in created]}))
        return
    for topic in created:
        how = f"made, {topic.partitions} partitions" if topic.new else "was there already"
        typer.echo(f"{topic.topic}: {how}")


@topics_app.command("check")
def check(as_json: Json = False) -> None:
    """Compare the topics with what they must be. Exit 0: as they must be, 1: not, 2: cannot say."""
    try:
        problems = check_topics(Connection.from_environment())
    except (SettingError, ConnectionFailed) as error:
        _fail(str(error))
    if as_json:
        typer.echo(json.dumps({"ok": not problems, "problems": problems}))
    else:
        for line in problems or ["topics are as they must be"]:
            typer.echo(line)
    raise typer.Exit(1 if problems else 0)


def _fail(message: str) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(2)
