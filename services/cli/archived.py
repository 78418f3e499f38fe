"""What an archive holds of the journal, as a journal to read."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from services.cli.output import Failed, fail

if TYPE_CHECKING:
    from pitledger.archive.log import About
    from pitledger.journal.record import Stored


def is_archive(source: str) -> bool:
    return Path(source).is_dir()


def about(source: str) -> "About":
    """What archive a folder holds. Raises Failed."""
    from pitledger.archive import layout
    from pitledger.archive.log import About, BadArchive
    from pitledger.archive.store import StoreError
    from services.archivist.folder import Folder

    try:
        data = Folder(Path(source)).read(layout.LOG)
        if data is None:
            fail(f"{source}: is no archive: it has no {layout.LOG}")
        return About.parse(data)
    except (BadArchive, StoreError) as problem:
        raise Failed(f"{source}: {problem}") from None


def records(source: str, partitions: Collection[int] | None) -> "Iterator[Stored]":
    """Those of sealed leaves, a partition after the other, each in the order of its offsets.

    Of what is not sealed yet there is nothing. Raises Failed, naming what is missing or damaged;
    whether the archive is the one that was signed is told by pitledger-verify.
    """
    from pitledger.archive.log import BadArchive
    from pitledger.archive.store import StoreError
    from pitledger.journal.stored import BadRecords

    try:
        yield from _records(source, partitions)
    except (BadArchive, StoreError) as problem:
        raise Failed(f"{source}: {problem}") from None
    except BadRecords as problem:
        raise Failed(f"{source}: a leaf is {problem}") from None


def _records(source: str, partitions: Collection[int] | None) -> "Iterator[Stored]":
    from pitledger.archive.log import leaf_data, manifests, newest
    from pitledger.journal.stored import messages_from, stored_of
    from services.archivist.folder import Folder

    store = Folder(Path(source))
    checkpoint = newest(store, about(source).origin)
    leaves: defaultdict[int, list[tuple[bytes, int, int | None]]] = defaultdict(list)
    for manifest in manifests(store, checkpoint.size if checkpoint else 0):
        if manifest.HasField("document"):
            continue
        own = manifest.round if manifest.HasField("round") else manifest.remainder
        copied = manifest.round.copied if manifest.round.HasField("copied") else None
        leaves[own.partition].append((manifest.sha256, manifest.length, copied))
    for partition in sorted(leaves):
        if partitions is not None and partition not in partitions:
            continue
        found = []
        for sha256, length, copied in leaves[partition]:
            messages = messages_from(leaf_data(store, sha256, length))
            found += [message for message in messages if message.offset != copied]
        found.sort(key=lambda message: message.offset)
        yield from map(stored_of, found)
