"""`pitledger packet`: a round of an archive, with what proves it, in one zip."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.archived import IndexPath
from services.cli.files import require_place, write_whole
from services.cli.output import fail, say, say_json, warn

if TYPE_CHECKING:
    from services.packet.making import Packet


def packet(
    round_: Annotated[
        str,
        typer.Argument(metavar="ROUND", show_default=False,
                       help="TABLE/NUMBER, or a round's id, or its first 8 characters or more."),
    ],
    source: Annotated[
        str, typer.Option("--from", metavar="ARCHIVE", show_default=False, help="The archive.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", show_default=False, help="The zip.")
    ],
    key_file: Annotated[
        Path | None,
        typer.Option("--key", show_default="PITLEDGER_PACKET_KEY",
                     help="The private key that signs: the archive's, or one that it authorised"
                          " (pitledger keys authorise)."),
    ] = None,
    log_key: Annotated[
        Path | None,
        typer.Option(show_default=False,
                     help="The archive's public key, where the key that signs is not its own."),
    ] = None,
    index: IndexPath = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make the dispute packet of a round: transcript, account as HTML and PDF, proof, signatures.

    Before it is written its evidence is checked: hashes, inclusion in the signed tree, and each
    decision derived again. pitledger-verify FILE.zip needs the file and the public key alone.

    Exit 0: written; 1: written, and the account says that the round's record is not what its facts
    derive; 2: not written, one line says why.
    """
    key_file = key_file or _key_of_setting()
    keys = [key_file, log_key] if log_key else [key_file]
    require_place(output, force=force, keys=keys)
    made = _made(source, index, round_, key_file, log_key)
    write_whole(output, made.data)
    if as_json:
        say_json(
            {
                "round_id": made.round_id,
                "table": made.table_id,
                "number": made.round_number,
                "bytes": len(made.data),
                "identical": made.identical,
            }
        )
    else:
        verdict = "identical" if made.identical else "NOT as its facts derive: see the account"
        say(f"{output}: round {made.round_id}, {len(made.data):,} bytes; replay: {verdict}")
    raise typer.Exit(0 if made.identical else 1)


def _key_of_setting() -> Path:
    from pitledger.sources.environment import Environment, SettingError

    environment = Environment()
    try:
        path = environment.private_file("PACKET_KEY")
    except SettingError as error:
        fail(str(error))
    for warning in environment.warnings:
        warn(f"pitledger: {warning}")
    if path is None:
        fail("packet: name the key that signs: --key FILE, or PITLEDGER_PACKET_KEY")
    return path


def _made(
    source: str, index_path: Path | None, round_: str, key_file: Path, log_key: Path | None
) -> "Packet":
    from pitledger.archive.store import BadArchive, StoreError
    from services.cli import archived
    from services.cli.keys import public_key, secret_key
    from services.packet.faults import NoPacket
    from services.packet.making import make_packet
    from services.runtime.build import build

    key = secret_key(key_file)
    signer = public_key(log_key) if log_key else None
    with archived.index_of(source, index_path) as index:
        try:
            store = archived.store_of(source)
            now_us = time.time_ns() // 1_000
            return make_packet(store, index, round_, key, signer, now_us, build())
        except (BadArchive, StoreError, NoPacket) as problem:
            fail(f"{source}: {problem}")
