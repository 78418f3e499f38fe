"""`pitledger mirror`: a second copy of an archive, verified as it is made."""

import time
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.output import Failed, fail, say, say_json, warn

if TYPE_CHECKING:
    from services.mirror.copying import Copied, Mirror
    from services.mirror.metrics import Metrics

_NOT_GOOD = 1


def mirror(
    source: Annotated[str, typer.Argument(
        metavar="SOURCE", show_default=False, help="The archive: a folder, or s3://BUCKET/PREFIX."
    )],
    dest: Annotated[str, typer.Argument(
        metavar="DEST", show_default=False,
        help="The copy: another folder or bucket; made if there is none.",
    )],
    key: Annotated[Path, typer.Option(
        "--key", metavar="PUBLIC", show_default=False, help="The archive's public key."
    )],
    follow_s: Annotated[float | None, typer.Option(
        "--follow", metavar="SECONDS", min=0.1, show_default=False,
        help="Go on for ever, and look for more so often.",
    )] = None,
    deletions: Annotated[bool, typer.Option(
        "--with-deletions",
        help="Delete in the copy, too, what the log says was deleted; not what is on hold.",
    )] = False,
    again: Annotated[bool, typer.Option(
        "--again", help="First verify each leaf of the copy; replace what is damaged or missing."
    )] = False,
    metrics_port: Annotated[int | None, typer.Option(
        min=1, max=65535, show_default=False,
        help="With --follow: serve metrics for Prometheus there, on all addresses.",
    )] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Copy an archive and verify it: signature, growth, entries, bytes of each leaf.

    The copy is an archive of its own, which only grows: where the source is not the beginning that
    it was, nothing is taken, and both checkpoints are kept under forks/. No private key is needed.
    What was copied before is not read again, but with --again.

    Exit 0: copied; 1: a fork, a roll-back, or damage, one line says what; 2: bad input.
    """
    from pitledger.archive import layout
    from pitledger.archive.store import StoreError
    from services.cli.keys import public_key
    from services.mirror.copying import Mirror
    from services.storage.stores import open_store

    if metrics_port is not None and follow_s is None:
        fail("--metrics-port: is for --follow")
    signer = public_key(key)
    _require_apart(source, dest)
    try:
        found = open_store(source)
        if found.read(layout.LOG) is None:
            fail(f"{source}: is no archive: it has no {layout.LOG}")
        copying = Mirror(found, open_store(dest), signer, deletions=deletions, again=again)
    except StoreError as problem:
        raise Failed(str(problem)) from None
    if follow_s is None:
        copied = _update(copying, source)
        _say(copied, source, dest, as_json)
        if not (again or as_json):
            _say_what_was_not_read(copied)
        return
    metrics = _served(metrics_port)
    while True:
        try:
            copied = _update(copying, source)
        except Failed as problem:  # a store that may be there again later
            warn(f"pitledger: {problem}")
        else:
            metrics.note(copied)
            if copied.entries:
                _say(copied, source, dest, as_json)
        time.sleep(follow_s)


def _require_apart(source: str, dest: str) -> None:
    of, to = _place(source), _place(dest)
    if of == to:
        fail(f"{dest}: is the source")
    if to.is_relative_to(of):
        fail(f"{dest}: lies in the source")
    if of.is_relative_to(to):
        fail(f"{dest}: the source lies in it")


def _place(name: str) -> PurePath:
    """Whatever way leads there."""
    from services.storage.stores import is_bucket

    return PurePosixPath(name) if is_bucket(name) else Path(name).resolve()


def _update(copying: "Mirror", source: str) -> "Copied":
    """Exit 1 for what is wrong with the source; Failed where a store cannot be used."""
    from pitledger.archive.store import BadArchive, StoreError
    from services.mirror.alarm import Alarm

    try:
        return copying.update()
    except (Alarm, BadArchive) as problem:
        warn(f"pitledger: {source}: {problem}")
        raise typer.Exit(_NOT_GOOD) from None
    except StoreError as problem:
        raise Failed(str(problem)) from None


def _served(port: int | None) -> "Metrics":
    from prometheus_client import start_http_server

    from services.mirror.metrics import Metrics

    metrics = Metrics()
    if port is not None:
        try:
            start_http_server(port, registry=metrics.registry)
        except OSError as error:
            fail(f"--metrics-port {port}: {error.strerror}")
    return metrics


def _say(copied: "Copied", source: str, dest: str, as_json: bool) -> None:
    if as_json:
        say_json(
            {
                "size": copied.size,
                "root": copied.root.hex(),
                "entries": copied.entries,
                "leaves": copied.leaves,
                "bytes": copied.bytes,
                "deleted": copied.deleted,
            }
        )
    else:
        gone = f", {copied.deleted:,} leaves were deleted there" if copied.deleted else ""
        say(
            f"{dest}: {copied.entries:,} entries copied from {source} and verified,"
            f" {copied.leaves:,} leaves of {copied.bytes:,} bytes{gone};"
            f" the log has {copied.size:,} entries"
        )


def _say_what_was_not_read(copied: "Copied") -> None:
    if copied.entries < copied.size:
        say("What was copied before was not read again: that is done with --again.")
