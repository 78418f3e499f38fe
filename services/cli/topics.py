"""`pitledger topics create` and `pitledger topics check`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.acls import acls_app
from services.cli.kafka import kafka_connection
from services.cli.output import Failed, say, say_json

if TYPE_CHECKING:
    from pitledger.sources.connection import Connection

topics_app = typer.Typer(help="The journal's topics on Kafka.", no_args_is_help=True)
topics_app.add_typer(acls_app, name="acls")

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@topics_app.command("create")
def create(as_json: Json = False) -> None:
    """Make journal and quarantine where they are missing; settings come from PITLEDGER_*."""
    from pitledger.sources.topics import create_topics

    with _connection() as connection:
        created = create_topics(connection)
    if as_json:
        say_json({"topics": [asdict(topic) for topic in created]})
        return
    for topic in created:
        how = f"made, {topic.partitions} partitions" if topic.new else "was there already"
        say(f"{topic.topic}: {how}")


@topics_app.command("check")
def check(as_json: Json = False) -> None:
    """Compare the topics with what they must be. Exit 0: as they must be, 1: not, 2: cannot say."""
    from pitledger.sources.topics import check_topics

    with _connection() as connection:
        problems = check_topics(connection)
    if as_json:
        say_json({"ok": not problems, "problems": problems})
    else:
        for line in problems or ["topics are as they must be"]:
            say(line)
    raise typer.Exit(1 if problems else 0)


@contextmanager
def _connection() -> "Iterator[Connection]":
    from pitledger.sources.connection import ConnectionFailed

    try:
        yield kafka_connection()
    except ConnectionFailed as error:
        raise Failed(str(error)) from None
