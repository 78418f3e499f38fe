"""`pitledger archive`: seal what a journal holds by now."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.output import fail, say, say_json
from services.cli.source import From, Partitions, open_journal

if TYPE_CHECKING:
    from pitledger.archive.note import SecretKey
    from pitledger.journal.record import Stored
    from services.archivist.sealing import Sealing
    from services.cli.source import Journal


def archive(
    source: From,
    output: Annotated[Path, typer.Option(
        "-o", "--output", show_default=False, help="The archive's folder; made if there is none."
    )],
    key_file: Annotated[Path, typer.Option(
        "--key", show_default=False, help="The private key that signs it (pitledger keys new)."
    )],
    origin: Annotated[str, typer.Option(
        show_default="the key's name", help="What the archive is called in its checkpoints."
    )] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partitions: Partitions = None,
) -> None:
    """Seal each finished round of a journal in an archive, and sign it.

    An archive that is there already is continued: what lies in it is not read again. Rounds that
    are not finished, or that lack a decision, stay outside until they are.

    Exit 0: sealed; 2: not, one line says why.
    """
    from pitledger.archive.collect import Hole
    from pitledger.archive.log import About, BadArchive, LogWriter
    from pitledger.archive.store import StoreError
    from pitledger.journal.record import TOPIC
    from services.archivist.folder import Folder
    from services.archivist.sealing import Sealing

    key = _key(key_file)
    journal = open_journal(source, partitions)
    topic = journal.connection.topic if journal.connection else TOPIC
    about = About(origin or key.name, topic, journal.partitions)
    try:
        writer = LogWriter(Folder(output), key, about)
        sealing = Sealing(writer, journal.partitions)
        _seal(sealing, journal)
    except StoreError as problem:
        fail(str(problem))
    except BadArchive as problem:
        fail(f"{output}: {problem}")
    except Hole as problem:
        fail(f"{journal.name}: {problem}")
    sealed, waiting = sealing.sealed, len(sealing.waiting())
    if as_json:
        say_json(
            {
                "size": writer.size,
                "rounds": sealed.rounds,
                "remainders": sealed.remainders,
                "records": sealed.records,
                "waiting": waiting,
            }
        )
    else:
        say(
            f"{output}: {sealed.rounds:,} rounds and {sealed.remainders:,} remainders sealed,"
            f" {sealed.records:,} records read; {waiting:,} rounds wait;"
            f" the log has {writer.size:,} entries"
        )


def _seal(sealing: "Sealing", journal: "Journal") -> None:
    from pitledger.archive.collect import Memory

    memory: dict[int, list[Stored]] = {}
    begun: set[int] = set()
    for stored in journal.records():
        partition, cut = stored.partition, sealing.position_of(stored.partition).cut
        if cut is not None and stored.offset < cut:
            memory.setdefault(partition, []).append(stored)
            continue
        if partition not in begun:
            begun.add(partition)
            if cut is not None and stored.offset != cut:
                fail(f"{journal.name}: partition {partition} lacks offset {cut}")
            sealing.begin(partition, stored.offset, Memory(memory.pop(partition, ())))
        sealing.take(stored)
    sealing.seal()


def _key(path: Path) -> "SecretKey":
    from pitledger.archive.note import BadNote, SecretKey

    try:
        return SecretKey.parse(path.read_text())
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    except (BadNote, UnicodeDecodeError) as problem:
        fail(f"{path}: {problem}")
