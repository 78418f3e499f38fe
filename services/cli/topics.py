"""`pitledger topics`: make them, check them, delete what is sealed, mirrored and old."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.acls import acls_app
from services.cli.kafka import kafka_connection
from services.cli.output import Failed, fail, say, say_json

if TYPE_CHECKING:
    from pitledger.archive.note import PublicKey
    from pitledger.archive.positions import Positions
    from pitledger.sources.connection import Connection
    from services.retention.trimming import Bound

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


@topics_app.command("trim")
def trim(
    archive: Annotated[str, typer.Option(
        "--archive", metavar="ARCHIVE", show_default=False,
        help="The archive of this journal: a folder, or s3://BUCKET/PREFIX.",
    )],
    mirror: Annotated[str, typer.Option(
        "--mirror", metavar="ARCHIVE", show_default=False, help="Its mirror (pitledger mirror)."
    )],
    key: Annotated[Path, typer.Option(
        "--key", metavar="PUBLIC", show_default=False, help="The archive's public key."
    )],
    older_than: Annotated[str, typer.Option(
        metavar="AGE", help="Only what is older by broker time: 30d, 12h; or than a moment."
    )] = "30d",
    yes: Annotated[bool, typer.Option("--yes", help="Do it; else it is only shown.")] = False,
    as_json: Json = False,
) -> None:
    """Delete records of the journal that are sealed, mirrored, old, and that no start reads again.

    Kafka deletes whole beginnings of partitions. What waits, what any of the four processors has
    not finished, and the fifteen minutes before that, stay.

    Exit 0: deleted, or shown; 2: refused, one line says why.
    """
    from kafka.errors import KafkaError

    from services.cli.keys import public_key
    from services.cli.moments import since
    from services.retention.trimming import NotThisJournal

    signer = public_key(key)
    older_ms = since("--older-than", older_than)
    with _connection() as connection:
        if connection.broker == "embedded":
            fail("the embedded broker deletes no records; it keeps nothing on disk")
        try:
            sealed, mirrored = _positions(connection, archive, mirror, signer)
            found = _bounds(connection, sealed, mirrored, older_ms)
            if yes:
                _delete(connection, found)
        except NotThisJournal as problem:
            fail(f"{archive}: {connection.topic} {problem}; nothing was deleted")
        except KafkaError as error:
            raise connection.failure(error) from None
    _say_trimmed(found, connection.topic, done=yes, as_json=as_json)


def _bounds(
    connection: "Connection", sealed: "Positions", mirrored: "Positions", older_ms: int
) -> "list[Bound]":
    """Raises NotThisJournal, ConnectionFailed, KafkaError."""
    import kafka

    from pitledger.sources.every_record import read_every_record
    from pitledger.sources.topics import require_topics
    from services.cli.checks.groups import read_groups
    from services.retention.trimming import Readers, bounds
    from services.runtime.settings import OWNERS, Settings

    require_topics(connection, 10, quarantine=False)
    names = {owner: Settings.from_environment(owner).group for owner in OWNERS}
    commits = {group.owner: group.committed for group in read_groups(connection, names)}
    read_every_record()
    consumer = connection.consumer()
    try:
        tps = [kafka.TopicPartition(connection.topic, n) for n in range(connection.partitions)]
        return bounds(consumer, tps, Readers(sealed, mirrored, commits), older_ms)
    finally:
        consumer.close()


def _positions(
    connection: "Connection", archive: str, mirror: str, signer: "PublicKey"
) -> "tuple[Positions, Positions]":
    """How far each goes; Failed where the mirror is not the archive's beginning, or a signature
    is not the log's.
    """
    from pitledger.archive import layout
    from pitledger.archive.log import manifests
    from pitledger.archive.log_keys import read_keys
    from pitledger.archive.positions import Positions
    from pitledger.archive.signed import read_signed
    from pitledger.archive.tiles import Tiles
    from services.cli import archived
    from services.retention.all_leaves import require_all_leaves
    from services.storage.stores import open_store

    trees, found = [], []
    for name in (archive, mirror):
        about = archived.about(name)
        if (about.topic, about.partitions) != (connection.topic, connection.partitions):
            fail(f"{name}: is of {about.topic} with {about.partitions} partitions, and not of"
                 f" {connection.topic} with {connection.partitions}")
        with archived.blamed_on(name):
            store = open_store(name)
            # Whoever names one place twice, or a copy beside it, has no second copy.
            if (store.read(layout.MIRROR) is not None) != (name == mirror):
                fail(f"{name}: " + ("is no mirror" if name == mirror else "is a mirror itself"))
            keys = read_keys(store, signer)
            signed = read_signed(store, layout.CHECKPOINT, about.origin)
            if signed is None:
                fail(f"{name}: has no checkpoint yet")
            # A mirror may be from before its key was rotated.
            signed.require_signed_by(keys.line if name == mirror else keys.trusted)
            keys.check(about.origin)
            checkpoint = signed.checkpoint
            trees.append((Tiles(store, checkpoint.size), checkpoint))
            if trees[-1][0].root() != checkpoint.root:
                fail(f"{name}: its tiles have not the root of its checkpoint")
            require_all_leaves(store, checkpoint.size)
            found.append(Positions().take_all(manifests(store, checkpoint.size)))
    (whole, own), (_, copy) = trees
    with archived.blamed_on(archive):
        if copy.origin != own.origin or copy.size > own.size:
            fail(f"{mirror}: is no mirror of {archive}: it is not its beginning")
        if whole.root_of_first(copy.size) != copy.root:
            fail(f"{mirror}: FORK: its {copy.size:,} entries are not the first of {archive}")
    return found[0], found[1]


def _delete(connection: "Connection", found: "list[Bound]") -> None:
    """Raises KafkaError, ConnectionFailed."""
    import kafka

    ends = {
        kafka.TopicPartition(connection.topic, bound.partition): bound.bound
        for bound in found
        if bound.records
    }
    if ends:
        admin = connection.admin()
        try:
            admin.delete_records(ends)
        finally:
            admin.close()


def _say_trimmed(found: "list[Bound]", topic: str, *, done: bool, as_json: bool) -> None:
    total = sum(bound.records for bound in found)
    if as_json:
        partitions = [{**asdict(bound), "records": bound.records} for bound in found]
        say_json({"topic": topic, "deleted": done, "records": total, "partitions": partitions})
        return
    for bound in found:
        if bound.end > bound.begin:
            say(
                f"partition {bound.partition}: {bound.records:,} of"
                f" {bound.end - bound.begin:,} records, below offset {bound.bound}; what follows"
                f" is {bound.why}"
            )
    how = "are deleted" if done else "would be deleted; do it with --yes"
    say(f"{topic}: {total:,} records {how}")


@contextmanager
def _connection() -> "Iterator[Connection]":
    from pitledger.sources.connection import ConnectionFailed

    try:
        yield kafka_connection()
    except ConnectionFailed as error:
        raise Failed(str(error)) from None
