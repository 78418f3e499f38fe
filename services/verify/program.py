"""The command line of `pitledger-verify`."""

import argparse
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

from services.verify.archive import Report, keys_of, verify
from services.verify.consistency import check_consistency
from services.verify.faults import Bad, BadInput
from services.verify.files import Folder
from services.verify.note import LONGEST, BadNote, Key
from services.verify.packet import PacketReport, verify_packet
from services.verify.signed import check_trusted, checked
from services.verify.zipped import PACKED_MAX

GOOD, NOT_GOOD, BAD_INPUT = 0, 1, 2
_INTERRUPTED = 130
_HUNG_UP = 141
"""As a shell reports a process that SIGPIPE ended."""
_FAULT = 70

_Command = Callable[[argparse.Namespace], "_Found"]
_Found = tuple[dict[str, object], dict[str, object]]
"""Figures, in the order in which they are printed, and words for who reads them."""

_ABOUT = """\
Verify a sealed archive or a packet: signatures, tree, and the bytes of each leaf. It needs no
network, and nothing but the archive or the packet and the public key of the archive.

  pitledger-verify DIR --key PUBLIC                   a whole archive
  pitledger-verify FILE.zip --key PUBLIC              a packet: one round, with what proves it
  pitledger-verify consistency OLD NEW --key PUBLIC   two checkpoints: OLD is the beginning of NEW

An archive that was cut back to an earlier checkpoint is whole as well. So keep a checkpoint where
nobody else can change it: `consistency` proves that a newer one still holds all of it.

Exit 0: good; 1: not, one line names the first bad entry or file; 2: nothing that can be verified.
"""

_SELDOM = {"deleted", "holds", "unreadable_rules", "unnamed_files", "case_records"}
"""What a reader is told of only where there is any."""

_KEEP_IT = (
    "that decisions are what the facts derive: `pitledger verify` derives them again; that this is"
    " the newest tree: keep its checkpoint, and prove by it with `pitledger-verify consistency`"
    " that later ones hold all of this"
)
_ACCOUNT = (
    "that the account tells what the records say, and that nothing was sealed since:"
    " `pitledger replay` derives a round again, the archive knows of later cases"
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what a table is called must not end in a traceback
            stream.reconfigure(errors="backslashreplace")
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        sys.exit(_command(words))
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:
        _write_nowhere()
        sys.exit(_HUNG_UP)
    except OSError as error:
        _write_nowhere()
        sys.exit(_bad_input(f"what was found cannot be written: {error.strerror}"))
    except Exception:
        # A fault of this program: as it ends by itself it would say NOT_GOOD.
        traceback.print_exc()
        sys.exit(_FAULT)


def _write_nowhere() -> None:
    """Nobody reads, or nothing can be written; Python would try again as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bad_input(problem: str) -> int:
    print(_one_line(f"pitledger-verify: {problem}"), file=sys.stderr)
    return BAD_INPUT


def _command(words: list[str]) -> int:
    if sys.stdout is None:
        return _bad_input("what is found cannot be written: stdout is closed")
    if words[:1] == ["consistency"]:
        code = _run(_consistency, _consistency_parser().parse_args(words[1:]))
    else:
        code = _run(_sealed, _archive_parser().parse_args(words))
    sys.stdout.flush()
    return code


def _archive_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="pitledger-verify",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "path", metavar="DIR|FILE.zip", type=Path, help="an archive's folder, or a packet"
    )
    _add_common(parser)
    parser.add_argument(
        "--witness",
        metavar="PUBLIC",
        action="append",
        default=[],
        help="a witness's public key: its cosignature must be there (may be given several times)",
    )
    return parser


def _consistency_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="pitledger-verify consistency",
        description="Prove from the tiles that the entries of OLD are the first ones of NEW.",
    )
    parser.add_argument("old", metavar="OLD", type=Path, help="the file of a signed checkpoint")
    parser.add_argument(
        "new", metavar="NEW", type=Path, help="another, not smaller, such as DIR/checkpoint"
    )
    _add_common(parser)
    parser.add_argument(
        "--tiles",
        metavar="DIR",
        type=Path,
        help="the archive's folder; the one that NEW lies in if not given, or the one above it",
    )
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--key",
        metavar="PUBLIC",
        required=True,
        help="the public key, NAME+HASH+KEY, or a file that holds it",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(command: _Command, options: argparse.Namespace) -> int:
    start = time.monotonic()
    try:
        found, words = command(options)
    except BadInput as problem:
        return _bad_input(str(problem))
    except OSError as error:
        return _bad_input(f"{error.filename}: {error.strerror}")
    except Bad as problem:
        line = _one_line(str(problem))
        print(json.dumps({"good": False, "problem": line}) if options.json else f"BAD: {line}")
        return NOT_GOOD
    found["seconds"] = round(time.monotonic() - start, 3)
    if options.json:
        print(json.dumps({"good": True, **found}))
    else:
        shown = {name: value for name, value in found.items() if value or name not in _SELDOM}
        print(_lines({**shown, **words}))
    return GOOD


def _sealed(options: argparse.Namespace) -> _Found:
    """An archive or a packet."""
    key = _key(options.key, witness=False)
    witnesses = [_key(text, witness=True) for text in options.witness]
    path: Path = options.path
    try:
        if path.is_file():
            return _packet_figures(verify_packet(_head(path, PACKED_MAX), key, witnesses))
        return _archive_figures(verify(Folder(path), key, witnesses))
    except BadInput as problem:
        text = str(problem)
        raise BadInput(text if text.startswith(str(path)) else f"{path}: {text}") from None


def _consistency(options: argparse.Namespace) -> _Found:
    key = _key(options.key, witness=False)
    files = _tiles(options)
    keys = keys_of(files, key)
    old, new = (checked(str(path), _head(path), keys) for path in (options.old, options.new))
    check_trusted(str(options.new), new, keys)
    keys.check(new.origin)
    check_consistency(files, old, new)
    found = {
        "origin": new.origin,
        "old_size": old.size,
        "old_root": old.root.hex(),
        "size": new.size,
        "root": new.root.hex(),
    }
    return found, {}


def _tiles(options: argparse.Namespace) -> Folder:
    """The archive whose tiles prove it. Raises BadInput where there are none."""
    if options.tiles is not None:
        home: Path = options.tiles
    else:
        beside = Path(os.path.realpath(options.new)).parent
        home = beside if (beside / "tile").is_dir() else beside.parent
    files = Folder(home)
    if not files.names("tile"):
        raise BadInput(f"{home}: has no tiles; give the archive's folder: --tiles DIR")
    return files


def _head(path: Path, longest: int = LONGEST) -> bytes:
    """A file; by default no longer than a note or a key may be. Raises BadInput."""
    if Path(os.path.realpath(path)).is_fifo():  # and not one that a shell has opened: /dev/fd/N
        raise BadInput(f"{path}: is a pipe")
    if (path / "checkpoint").is_file():
        raise BadInput(f"{path}: is an archive; its newest checkpoint is {path / 'checkpoint'}")
    try:
        with path.open("rb") as file:
            data = file.read(longest + 1)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    if len(data) > longest:
        raise BadInput(f"{path}: is longer than {longest} bytes")
    return data


def _key(text: str, *, witness: bool) -> Key:
    """A key as it is typed, or from a file. Raises BadInput."""
    typed = text.count("+") >= 2
    name = "the key" if typed else text
    try:
        said = text if typed else _head(Path(text)).decode()
        if said.lstrip().startswith("PRIVATE+KEY+"):
            public = "NAME+HASH+KEY" if typed else f"mostly {text}.pub"
            raise BadInput(f"{name}: is a private key; give the public one, {public}")
        key = Key.parse(said)
    except UnicodeDecodeError:
        raise BadInput(f"{text}: is no text") from None
    except BadNote as problem:
        raise BadInput(f"{name}: {problem}") from None
    if key.is_witness != witness:
        raise BadInput(f"{name}: is the key of a {'log' if witness else 'witness'}")
    return key


def _archive_figures(report: Report) -> _Found:
    found: dict[str, object] = {
        "origin": report.origin,
        "size": report.size,
        "root": report.root.hex(),
        "rounds": report.rounds,
        "remainders": report.remainders,
        "documents": report.documents,
        "records": report.records,
        "offsets": report.offsets,
        "partitions": report.partitions,
        "checkpoints": report.checkpoints,
        "keys": report.keys,
        "deleted": report.deleted,
        "holds": report.holds,
        "unreadable_rules": report.unreadable_rules,
        "unnamed_files": report.unnamed,
    }
    verified = (
        f"each of {report.size:,} entries and the root of each checkpoint over them; each leaf by"
        f" its hash, each offset in one leaf; what explains them, as sealed"
    )
    words: dict[str, object] = {"verified": verified, "not_verified": _KEEP_IT}
    if report.unnamed:
        words["unnamed_files"] = (
            f"{report.unnamed:,} under leaf/, such as {report.unnamed_file}: no entry here names"
            " them, and nothing was read of them; who writes, or was stopped, leaves such"
        )
    return found, words


def _packet_figures(report: PacketReport) -> _Found:
    listing, checkpoint = report.listing, report.checkpoint
    found: dict[str, object] = {
        "origin": listing.origin,
        "round_id": listing.round_id,
        "table_id": listing.table_id,
        "round_number": listing.round_number,
        "gaming_day": report.gaming_day,
        "made_at": listing.made_at,
        "made_by": listing.made_by,
        "signed_by": str(report.signer),
        "entry": report.entry,
        "size": checkpoint.size,
        "root": checkpoint.root.hex(),
        "records": report.records,
        "case_records": report.cases,
    }
    verified = (
        f"each file is as {report.signer.name} signed it; the round, its rules, the schema and"
        f" what log this is lie among the {checkpoint.size:,} entries that {listing.origin} signed"
    )
    return found, {
        "round_number": str(listing.round_number),  # as commands take it: TABLE/NUMBER
        "signed_by": report.signer.handle,
        "verified": verified,
        "not_verified": _ACCOUNT,
    }


def _lines(found: dict[str, object]) -> str:
    width = max(map(len, found))
    lines = [f"{name.replace('_', ' '):{width}}  {_text(value)}" for name, value in found.items()]
    return "\n".join(["good", *lines])


def _text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else _one_line(str(value))


def _one_line(text: str) -> str:
    """What an archive says of itself is not trusted with the terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)
