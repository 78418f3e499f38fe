"""`pitledger keys`: those that sign an archive, and those that bear witness to it."""

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from services.cli.output import fail, say

keys_app = typer.Typer(help="Keys of an archive.", no_args_is_help=True)


class Role(StrEnum):
    """What a key is for."""

    LOG = "log"
    WITNESS = "witness"


@keys_app.command("new")
def new(
    name: Annotated[
        str,
        typer.Argument(
            show_default=False,
            help="The key's name, such as casino.example/floor. No blanks, no '+'.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            show_default=False,
            help="The file for the private key; the public one lies beside it, with .pub added.",
        ),
    ],
    role: Annotated[Role, typer.Option(help="Who signs with it.")] = Role.LOG,
) -> None:
    """Make an Ed25519 key pair and print the public key.

    The private key's file can be read by its owner alone. Nothing is written over.

    Exit 0: made; 2: not.
    """
    from pitledger.archive.note import COSIGNATURE, ED25519, BadNote, SecretKey

    try:
        key = SecretKey.new(name, ED25519 if role is Role.LOG else COSIGNATURE)
    except BadNote as problem:
        fail(str(problem))
    public = output.with_name(output.name + ".pub")
    _write_new(public, f"{key.public}\n", 0o644)
    _write_new(output, f"{key.text()}\n", 0o600)
    say(str(key.public))


def _write_new(path: Path, text: str, mode: int) -> None:
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    with os.fdopen(number, "w") as out:
        out.write(text)
