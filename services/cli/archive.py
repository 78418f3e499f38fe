"""`pitledger archive`: seal what a journal holds by now."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.output import counted, fail, printable, say, say_json
from services.cli.source import From, Partitions, open_journal

if TYPE_CHECKING:
    from pitledger.archive.collect import Waiting
    from pitledger.archive.log import LogWriter
    from services.archivist.at_once import File
    from services.archivist.sealing import Sealed
    from services.cli.source import Journal


def archive(
    source: From,
    output: Annotated[str, typer.Option(
        "-o", "--output", show_default=False,
        help="The archive: a folder, or s3://BUCKET/PREFIX; made if there is none.",
    )],
    key_file: Annotated[Path, typer.Option(
        "--key", show_default=False, help="The private key that signs it (pitledger keys new)."
    )],
    origin: Annotated[str, typer.Option(
        show_default="the archive's; of a new one, the key's name",
        help="What the archive is called in its checkpoints.",
    )] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partitions: Partitions = None,
) -> None:
    """Seal each finished round of a journal in an archive, and sign it.

    An archive that is there already is continued, by the same journal and no other: of Kafka only
    what is not sealed is read. Rounds that are not finished stay outside until they are; one that
    is over and lacks a decision, or that this build does not judge, is named.

    Exit 0: sealed; 2: not, one line says why.
    """
    from pitledger.archive.log import About, LogWriter
    from pitledger.archive.store import BadArchive, StoreError
    from pitledger.journal.record import TOPIC
    from services.cli.keys import secret_key
    from services.storage.stores import open_store

    key = secret_key(key_file)
    journal = open_journal(source, partitions)
    topic = journal.connection.topic if journal.connection else TOPIC
    about = About(origin, topic, journal.partitions)
    file = None if journal.live or journal.archived else _file(journal)
    try:
        writer = LogWriter(open_store(output), key, about)
        sealed, waiting = _seal(writer, journal, file)
    except StoreError as problem:
        fail(str(problem))
    except BadArchive as problem:
        fail(f"{output}: {problem}")
    told = _told(writer, sealed, waiting)
    if as_json:
        say_json(told)
        return
    say(
        f"{output}: {counted(told['rounds'], 'round')} and"
        f" {counted(told['remainders'], 'remainder')} sealed,"
        f" {counted(told['records'], 'record')} read; {counted(told['open'], 'round')} still open;"
        f" the log has {told['size']:,} entries"
    )
    for waits in told["waiting"]:
        say(printable("waits: {table}/{number} {round}: {why}".format(**waits)))


def _file(journal: "Journal") -> "File":
    from pitledger.sources.file import BadJournalFile
    from services.archivist.at_once import File, require_partitions
    from services.archivist.same_journal import DoesNotContinue

    file = File(Path(journal.name), journal.partitions)
    try:
        require_partitions(file)
    except BadJournalFile as problem:
        fail(str(problem))
    except DoesNotContinue as problem:
        fail(f"{journal.name}: {problem}")
    except (OSError, ValueError) as problem:
        fail(f"{journal.name}: {getattr(problem, 'strerror', None) or problem}")
    return file


def _seal(
    writer: "LogWriter", journal: "Journal", file: "File | None"
) -> "tuple[Sealed, list[Waiting]]":
    from pitledger.archive.collect import Hole
    from pitledger.archive.saved_positions import read_positions
    from pitledger.sources.connection import ConnectionFailed
    from pitledger.sources.file import BadJournalFile
    from pitledger.sources.kafka import HoleInJournal
    from services.archivist.at_once import seal, seal_topic
    from services.archivist.by_partition import seal_records
    from services.archivist.same_journal import DoesNotContinue, require_continued

    try:
        if journal.connection is not None:
            return seal_topic(writer, journal.connection)
        if writer.size:
            positions = read_positions(writer.store, writer.size)
            require_continued(journal.records(), writer.store, positions)
        if file is not None:
            return seal(writer, file)
        sealing = seal_records(writer, journal.partitions, journal.records())
        return sealing.sealed, sealing.waiting()
    except (Hole, DoesNotContinue) as problem:
        fail(f"{journal.name}: {problem}")
    except (ConnectionFailed, HoleInJournal, BadJournalFile) as problem:
        fail(str(problem))


def _told(
    writer: "LogWriter", sealed: "Sealed", waiting: "list[Waiting]"
) -> dict[str, Any]:
    """What was done; of the rounds that are not sealed those that are not simply open by name."""
    from services.archivist.waiting import told

    named = [told(each) for each in waiting if each.over or each.unjudged]
    return {
        "size": writer.size,
        "rounds": sealed.rounds,
        "remainders": sealed.remainders,
        "records": sealed.records,
        "open": len(waiting) - len(named),
        "waiting": named,
    }
