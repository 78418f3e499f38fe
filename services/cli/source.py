"""Where a journal is read from: `--from kafka`, `--from FILE`, or the folder of an archive."""

import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli import archived
from services.cli.kafka import kafka_connection
from services.cli.output import Failed, fail

if TYPE_CHECKING:
    from pitledger.journal.record import Stored
    from pitledger.sources.connection import Connection

From = Annotated[
    str,
    typer.Option("--from", metavar="kafka|PATH", show_default=False,
                 help="The journal: kafka (reached by PITLEDGER_* settings), a journal file, or an "
                 "archive: its folder or s3://BUCKET/PREFIX."),
]
Partitions = Annotated[
    int | None,
    typer.Option(min=1, max=10_000, show_default=False,
                 help="Partitions of the topic that a file was taken from; 48 if not given."),
]
Some = Collection[int] | None
"""Which partitions to read; None: all."""
FILE_PARTITIONS = 48
PATIENCE_MS = 10_000
"""How long a decision may be missing on Kafka, after the fact that derives it, and only be due."""


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal that can be read as often as one likes."""

    name: str
    partitions: int
    connection: "Connection | None"  # None: a file or an archive
    archived: bool = False

    @property
    def live(self) -> bool:
        """Whether it may still be written, so that its last decisions are not there yet."""
        return self.connection is not None

    def may_come(self, derived_at: int) -> bool:
        """Whether what was derived at this broker time (ms) may be missing only for now."""
        return self.live and time.time_ns() // 1_000_000 - derived_at < PATIENCE_MS

    def records(self, partitions: Some = None) -> "Iterator[Stored]":
        """All records, or some partitions', in the order of offsets; Failed where one lacks."""
        following: dict[int, int] = {}
        for stored in self.raw(partitions):
            expected = following.get(stored.partition, stored.offset)
            if stored.offset > expected and not self.archived:
                fail(f"{self.name}: partition {stored.partition} lacks offset {expected}")
            if stored.offset >= expected:
                following[stored.partition] = stored.offset + 1
                yield stored

    def raw(self, partitions: Some = None) -> "Iterator[Stored]":
        """The records as they come, holes and all.

        Of a file Failed at the end if most records lie in other partitions than those of a topic
        with `partitions` of them: the number is wrong then, and nearly nothing would be a fact.
        (Kafka's number is compared with the topic's.)
        """
        if self.connection is not None:
            yield from _from_kafka(self.connection, partitions)
        elif self.archived:
            yield from archived.records(self.name, partitions)
        else:
            yield from self._of_file(partitions)

    def _of_file(self, partitions: Some) -> "Iterator[Stored]":
        from pitledger.journal.record import partition_of

        # One partition may hold nothing but what went astray: of its records no number follows.
        only = partitions if partitions is not None and len(partitions) == 1 else None
        found: Counter[tuple[bytes, int]] = Counter()
        for stored in _from_file(Path(self.name), None if only else partitions):
            found[stored.key, stored.partition] += 1
            if only is None or stored.partition in only:
                yield stored
        at_home = sum(
            count
            for (key, partition), count in found.items()
            if partition_of(key.decode(errors="replace"), self.partitions) == partition
        )
        if at_home * 2 < found.total():
            fail(
                f"{self.name}: is not of a topic with {self.partitions} partitions; give the"
                " number with --partitions"
            )


def open_journal(source: str, partitions: int | None) -> Journal:
    """A journal by the values of `--from` and `--partitions`; raises Failed."""
    if archived.is_archive(source):
        if partitions is not None:
            fail("--partitions is for files; an archive says how many its journal has")
        return Journal(source, archived.about(source).partitions, None, archived=True)
    if source != "kafka":
        return Journal(source, partitions or FILE_PARTITIONS, None)
    if partitions is not None:
        fail("--partitions is for files; Kafka's are set by PITLEDGER_PARTITIONS")
    from pitledger.sources.connection import ConnectionFailed
    from pitledger.sources.topics import require_topics

    connection = kafka_connection()
    try:
        require_topics(connection, 10, quarantine=False)
    except ConnectionFailed as error:
        raise Failed(str(error)) from None
    return Journal(connection.topic, connection.partitions, connection)


def require_table(journal: Journal, table: str) -> None:
    """Failed where no record of the journal bears this table's key."""
    from pitledger.journal.record import partition_of

    partition, key = partition_of(table_named(table), journal.partitions), table.encode()
    if not any(stored.key == key for stored in journal.records([partition])):
        fail(f"{journal.name}: has no table {table}")


def table_named(text: str) -> str:
    """A table's id as the command line has it; Failed for what no record could bear."""
    from pitledger.journal.vocabulary import TABLE_ID_MAX

    id_named(text, "table")
    if len(text) > TABLE_ID_MAX:
        fail(f"{text[:20]}...: has {len(text)} characters; a table's id has {TABLE_ID_MAX} at most")
    return text


def id_named(text: str, of: str) -> str:
    """Any id, `of` a patron, say; Failed for what no record could bear."""
    if not text:
        fail(f"a {of}'s id is not empty")
    try:
        text.encode()
    except UnicodeEncodeError:
        fail(f"{text}: is not UTF-8, as every {of}'s id is")
    return text


def _from_file(path: Path, partitions: Some) -> "Iterator[Stored]":
    from pitledger.sources.file import BadJournalFile, read_file

    try:
        yield from read_file(path, partitions)
    except BadJournalFile as error:
        raise Failed(str(error)) from None
    except (OSError, ValueError) as error:
        raise Failed(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _from_kafka(connection: "Connection", partitions: Some) -> "Iterator[Stored]":
    from pitledger.sources.connection import ConnectionFailed
    from pitledger.sources.environment import SettingError
    from pitledger.sources.kafka import HoleInJournal, read_topic

    try:
        yield from read_topic(connection, partitions)
    except (ConnectionFailed, HoleInJournal, SettingError) as error:
        raise Failed(str(error)) from None
