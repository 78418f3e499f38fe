"""`pitledger keys`: those that sign an archive, and what is said of them in it."""

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from services.cli.output import fail, say, say_json, warn

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitledger.archive.note import PublicKey, SecretKey
    from pitledger.archive.statements import Statement

Key = TypeVar("Key")

keys_app = typer.Typer(help="Keys of an archive, and what is said of them.", no_args_is_help=True)

Archive = Annotated[
    str, typer.Argument(metavar="ARCHIVE", show_default=False, help="The archive.")
]
Signer = Annotated[
    Path, typer.Option("--key", show_default=False, help="The archive's private key.")
]
Officer = Annotated[
    Path, typer.Option("--packets", metavar="PUBLIC", show_default=False,
                       help="The public key of who makes dispute packets."),
]


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

    The private key's file can be read by its owner alone. Nothing is written over. A log's key
    signs an archive: pitledger archive --key; a witness's countersigns it: pitledger witness --key.

    Exit 0: made; 2: not.
    """
    from pitledger.archive.note import COSIGNATURE, ED25519, BadNote
    from services.cli.new_key import new_key

    try:
        key = new_key(name, ED25519 if role is Role.LOG else COSIGNATURE)
    except BadNote as problem:
        fail(str(problem))
    public = output.with_name(output.name + ".pub")
    for path in (output, public):
        if os.path.lexists(path):
            fail(f"{path}: is there already; no key is written over")
    _write_new(public, f"{key.public}\n", 0o644)
    _write_new(output, f"{key.text()}\n", 0o600)
    say(str(key.public))
    warn(
        f"pitledger: {output} signs: keep it secret, and a copy of it apart, for it cannot be made"
        f" again; {public} verifies: give it to whoever asks"
    )


@keys_app.command("rotate")
def rotate(
    archive: Archive,
    old: Annotated[Path, typer.Option(
        "--key", show_default=False, help="The private key that has signed until now."
    )],
    new: Annotated[Path, typer.Option(
        "--to", show_default=False, help="The private key that signs from now on."
    )],
) -> None:
    """Let another key sign an archive from now on; both keys say so.

    Start the archivist with the new key then. Whoever has either public key can verify the whole.

    Exit 0: it stands in the archive; 2: not.
    """
    from pitledger.archive.statements import rotate as rotation

    before, after = secret_key(old), secret_key(new)
    _say_in(archive, before, lambda origin: rotation(origin, before, after))
    say(
        f"{after.public.handle} signs {archive} from now on: the next `pitledger archive --key"
        f" {new}`, or the archivist with it, seals that; an officer's key that signs packets must"
        " be authorised by it anew"
    )


@keys_app.command("authorise")
def authorise(archive: Archive, key_file: Signer, officer_file: Officer) -> None:
    """Let somebody's key sign dispute packets of an archive.

    One that was revoked cannot be let again: make another key for whoever had it.

    Exit 0: it stands in the archive; 2: not.
    """
    from pitledger.archive.statements import packets

    key, officer = secret_key(key_file), public_key(officer_file)
    _say_in(archive, key, lambda origin: packets(origin, key, officer), may_sign=officer)
    say(f"{officer.handle} may sign packets of {archive}")


@keys_app.command("revoke")
def revoke(archive: Archive, key_file: Signer, officer_file: Officer) -> None:
    """Take back, for good, that a key may sign dispute packets of an archive.

    Exit 0: it stands in the archive; 2: not.
    """
    from pitledger.archive.statements import revoke_packets

    key, officer = secret_key(key_file), public_key(officer_file)
    _say_in(archive, key, lambda origin: revoke_packets(origin, key, officer))
    say(f"{officer.handle} may sign no more packets of {archive}")


@keys_app.command("list")
def list_(
    archive: Archive,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List what is said of keys in an archive. Signatures are checked by pitledger-verify.

    Exit 0: listed; 2: not.
    """
    found = _statements(archive)
    if as_json:
        say_json(
            [
                {
                    "about": s.about,
                    "key": str(s.subject),
                    "follows": str(s.follows) if s.follows else None,
                    "signed_by": [signature.name for signature in s.note.signatures],
                }
                for s in found
            ]
        )
        return
    for s in found:
        by = ", ".join(signature.handle for signature in s.note.signatures)
        follows = f" follows {s.follows.handle}" if s.follows else ""
        say(f"{s.about:14}  {s.subject.handle}{follows}, said by {by}")
    if not found:
        say("nothing is said of keys")


def secret_key(path: Path, *, witness: bool = False) -> "SecretKey":
    """A private key from its file. Raises Failed."""
    from pitledger.archive.note import COSIGNATURE, SecretKey

    key = _parsed(path, SecretKey.parse)
    if (key.kind == COSIGNATURE) != witness:
        if witness:
            fail(
                f"{path}: is the key of a log; make a witness's with"
                " `pitledger keys new NAME --role witness`"
            )
        fail(f"{path}: is the key of a witness; make a log's with `pitledger keys new NAME`")
    return key


def public_key(path: Path) -> "PublicKey":
    """A log's public key from its file. Raises Failed."""
    from pitledger.archive.note import ED25519, PublicKey

    key = _parsed(path, PublicKey.parse)
    if key.kind != ED25519:
        fail(f"{path}: is the key of a witness")
    return key


def _statements(archive: str) -> "list[Statement]":
    """What is said of keys in an archive. Raises Failed."""
    from pitledger.archive.statements import read_statements
    from services.cli import archived

    archived.about(archive)
    with archived.blamed_on(archive):
        return read_statements(archived.store_of(archive))


def _say_in(
    archive: str,
    key: "SecretKey",
    say_it: "Callable[[str], bytes]",
    may_sign: "PublicKey | None" = None,
) -> None:
    """Put what the key in force says into the archive. `say_it`: of the origin, the statement.

    `may_sign`: the officer's key that it is to let sign packets.
    """
    from pitledger.archive import layout
    from pitledger.archive.log_keys import LogKeys, read_keys
    from pitledger.archive.note import BadNote
    from pitledger.archive.signed import read_signed
    from pitledger.archive.statements import Statement, put
    from services.cli import archived

    origin = archived.about(archive).origin
    with archived.blamed_on(archive):
        store = archived.store_of(archive)
        keys = read_keys(store, key.public)
        newest = read_signed(store, layout.CHECKPOINT, origin)
        keys.check_in_force(origin, newest.note if newest else None)
        try:
            statement = say_it(origin)
        except BadNote as problem:
            fail(f"{archive}: {problem}")
        # A key that had its place before cannot have it again.
        after = LogKeys.of([*keys.statements, Statement.parse(statement)], key.public)
        if may_sign is not None and not after.let_sign_packets(may_sign):
            fail(f"{may_sign.handle}: was taken back for good; authorise another key")
        put(store, statement)


def _parsed(path: Path, parse: "Callable[[str], Key]") -> "Key":
    from pitledger.archive.note import BadNote

    try:
        return parse(path.read_text())
    except FileNotFoundError as error:
        fail(f"{path}: {error.strerror}; `pitledger keys new` makes a key, and its public one")
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    except UnicodeDecodeError:
        fail(f"{path}: is no key: it is no text")
    except BadNote as problem:
        fail(f"{path}: {problem}")


def _write_new(path: Path, text: str, mode: int) -> None:
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    with os.fdopen(number, "w") as out:
        out.write(text)
