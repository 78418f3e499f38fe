"""`pitledger witness`: a second party signs that the log only grew."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.files import write_whole
from services.cli.keys import Archive
from services.cli.output import Failed, fail, say, say_json, warn

if TYPE_CHECKING:
    from pitledger.archive.note import Checkpoint

_FORK = 1


def witness(
    archive: Archive,
    key_file: Annotated[Path, typer.Option(
        "--key", show_default=False,
        help="The witness's private key (pitledger keys new NAME --role witness).",
    )],
    log_key: Annotated[Path, typer.Option(
        "--log-key", show_default=False, help="The archive's public key."
    )],
    state: Annotated[Path, typer.Option(
        show_default=False,
        help="The witness's own memory: the checkpoint that it signed last. Made the first time.",
    )],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Sign the newest checkpoint of an archive as a witness, if it continues the one signed last.

    A witness is somebody else than the house. What it signed it remembers in its own file, so that
    a log that was shortened or told anew is noticed: then nothing is signed.

    Exit 0: signed; 1: the log is not what it was, one line says how; 2: bad input.
    """
    from pitledger.archive.log_keys import read_keys
    from pitledger.archive.store import BadArchive, StoreError
    from pitledger.archive.witness import Fork, cosigned, examine, publish
    from services.cli import archived
    from services.cli.keys import public_key, secret_key
    from services.storage.stores import open_store

    key, signer = secret_key(key_file, witness=True), public_key(log_key)
    last = _last(state)
    origin = archived.about(archive).origin
    try:
        store = open_store(archive)
        examined = examine(store, origin, read_keys(store, signer), last)
        note = cosigned(examined, key, time.time_ns() // 1_000_000_000)
        # Remembered before anybody has it: what was signed once is never contradicted.
        write_whole(state, note)
        publish(store, examined, note)
    except Fork as fork:
        warn(f"pitledger: {archive}: FORK: {fork}")
        raise typer.Exit(_FORK) from None
    except (BadArchive, StoreError) as problem:
        raise Failed(f"{archive}: {problem}") from None
    size, root = examined.checkpoint.size, examined.checkpoint.root.hex()
    before = last.size if last else None
    if as_json:
        say_json({"origin": origin, "size": size, "root": root, "continues": before})
    else:
        since = f"continues the one of {before:,}" if last else "is the first that it signs"
        handle = key.public.handle
        say(f"{handle} has signed the checkpoint of {size:,} entries of {origin}; it {since}")


def _last(state: Path) -> "Checkpoint | None":
    from pitledger.archive.signed import Signed
    from pitledger.archive.store import BadArchive

    try:
        return Signed.parse(str(state), state.read_bytes()).checkpoint
    except FileNotFoundError:
        return None
    except OSError as error:
        fail(f"{state}: {error.strerror}")
    except BadArchive as problem:
        fail(f"{problem}; it is the witness's memory, and nothing is signed without it")
