"""What an archive holds of the journal, as a journal to read."""

import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.output import Failed, fail, progress

if TYPE_CHECKING:
    from pitledger.archive.log import About
    from pitledger.archive.store import Store
    from pitledger.journal.record import Stored
    from services.storage.index import Index

INDEX = "index.sqlite"
IndexPath = Annotated[
    Path | None,
    typer.Option("--index", metavar="PATH", show_default="in the archive's folder",
                 help="Where an archive's index lies or is made."),
]


def is_archive(source: str) -> bool:
    from services.storage.stores import is_bucket

    return is_bucket(source) or Path(source).is_dir()


def store_of(source: str) -> "Store":
    from services.storage.stores import open_store

    return open_store(source)


def about(source: str) -> "About":
    """What archive lies there. Raises Failed."""
    from pitledger.archive import layout
    from pitledger.archive.log import About

    with blamed_on(source):
        data = store_of(source).read(layout.LOG)
        if data is None:
            fail(f"{source}: is no archive: it has no {layout.LOG}")
        return About.parse(data)


def size(source: str) -> int:
    """How many entries its newest tree has. Raises Failed."""
    from pitledger.archive.log import newest

    origin = about(source).origin
    with blamed_on(source):
        checkpoint = newest(store_of(source), origin)
    return checkpoint.size if checkpoint else 0


def records(source: str, partitions: Collection[int] | None) -> "Iterator[Stored]":
    """Those of sealed leaves, each partition's in the order of its offsets, partitions by turns.

    Of what is not sealed yet there is nothing. Raises Failed, naming what is missing or damaged;
    whether the archive is the one that was signed is told by pitledger-verify.
    """
    from pitledger.archive.deletions import Deleted, read_deletions
    from pitledger.archive.in_order import in_order
    from pitledger.archive.log import manifests

    entries = size(source)
    with blamed_on(source):
        store = store_of(source)
        deleted = Deleted(read_deletions(store, manifests(store, entries)))
        yield from in_order(store, manifests(store, entries), partitions, deleted)


@contextmanager
def index_of(source: str, path: Path | None) -> "Iterator[Index]":
    """Its index, up to date: at `path`; None: in the archive's folder, or a copy of that one in a
    temporary place, where it may not be written. Raises Failed.
    """
    from services.storage.index import Index

    about(source)
    with ExitStack() as closing, blamed_on(source):
        if path is None:
            path = Path(source) / INDEX
            if not _may_write(path):
                aside = closing.enter_context(TemporaryDirectory(prefix="pitledger-"))
                there, path = path, Path(aside) / INDEX
                Index.copy(there, path)
        index = Index.open(store_of(source), path)
        closing.callback(index.close)
        index.update(lambda count: progress(f"{source}: {count:,} entries taken into its index"))
        progress("")
        yield index


def refuse_index(path: Path | None) -> None:
    """For what is read from a file or from Kafka. Raises Failed."""
    if path is not None:
        fail("--index is for archives")


def _may_write(path: Path) -> bool:
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


@contextmanager
def blamed_on(source: str) -> Iterator[None]:
    """What is wrong with an archive, as Failed."""
    from pitledger.archive.store import BadArchive, StoreError

    try:
        yield
    except StoreError as problem:
        raise Failed(str(problem)) from None
    except BadArchive as problem:
        raise Failed(f"{source}: {problem}") from None
