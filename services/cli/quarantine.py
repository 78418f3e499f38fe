"""`pitledger quarantine list|show`: what was no fact, and what nobody derived."""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.moments import said, utc
from services.cli.moments import since as moment_of
from services.cli.output import fail, printable, say, say_json, write
from services.cli.source import table_named

if TYPE_CHECKING:
    from services.cli.copies import Copy

SHOWN_BYTES = 2048
_POSITION = re.compile("([0-9]{1,5}):([0-9]{1,18})")

quarantine_app = typer.Typer(
    help="Records that changed nothing: what is no fact, and decisions that the facts do not"
    " derive.",
    no_args_is_help=True,
)

FromKafka = Annotated[
    str, typer.Option("--from", metavar="kafka", help="Kafka, reached by PITLEDGER_* settings.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@quarantine_app.command("list")
def list_(
    source: FromKafka = "kafka",
    reason: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Only this reason's, as foreign_decision.",
                     show_default=False),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="Only what bears this table's key.", show_default=False)
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="TIME", show_default=False,
                     help="Only copies from this time on: 2026-11-30T12:00, or 2h, 30m, 7d ago."),
    ] = None,
    last: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", show_default=False,
                     help="Look at the last N copies only; a quarantine may be long."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List copies in the order in which they were written, each position once.

    POSITION is the original's, PARTITION:OFFSET on the journal. Lines come as they are read.

    Exit 0: listed; 2: bad input, or no broker.
    """
    from services.cli.copies import connect, read_copies

    _known(reason)
    from_ms = None if since is None else moment_of("--since", since)
    key = None if table is None else table_named(table).encode()
    chosen = (
        copy
        for copy in read_copies(connect(source), last)
        if (reason is None or copy.code == reason)
        and (key is None or copy.key == key)
        and (from_ms is None or copy.kept_at >= from_ms)
    )
    _list_json(chosen) if as_json else _list(chosen)


@quarantine_app.command("show")
def show(
    position: Annotated[
        str, typer.Argument(metavar="PARTITION:OFFSET", show_default=False,
                            help="Where the original lies on the journal.")
    ],
    source: FromKafka = "kafka",
    whole: Annotated[
        bool, typer.Option("--whole", help=f"Print all bytes, not the first {SHOWN_BYTES:,}.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show one copy: why it is there, its headers, its bytes, and what of them can be read.

    Exit 0: shown; 2: bad input, no such copy, or no broker.
    """
    from services.cli.copies import connect, read_copies

    found = _POSITION.fullmatch(position)
    if found is None:
        fail(f"{position}: is no position; give PARTITION:OFFSET, as 3:1204")
    partition, offset = int(found[1]), int(found[2])
    connection = connect(source)
    if partition >= connection.partitions:
        fail(f"{position}: {connection.topic} has the partitions 0 to {connection.partitions - 1}")
    for copy in read_copies(connection):
        if (copy.partition, copy.offset) == (partition, offset):
            break
    else:
        fail(f"{position}: no copy of it is in {connection.quarantine_topic}")
    if as_json:
        say_json(_object(copy) | {"journal": connection.topic, "headers": _headers(copy),
                                  "value": copy.value.hex(), "decoded": list(_decoded(copy))})
    else:
        for line in _shown(copy, connection.topic, whole):
            say(printable(line))


def _known(reason: str | None) -> None:
    from pitledger.words import NO_FACTS

    if reason is not None and reason not in NO_FACTS:
        fail(f"--reason {reason}: is none of {', '.join(NO_FACTS)}")


def _list(copies: "Iterator[Copy]") -> None:
    from pitledger.words import no_fact

    count = 0
    for copy in copies:
        count += 1
        parts = [
            f"{copy.position:>10}",
            said(utc(1000 * copy.kept_at)[:23] + "Z"),
            copy.header("ce_type").rpartition(".")[2] or "(no type)",
            copy.header("ce_id") or "(no id)",
            _size(copy),
            f"of {copy.key.decode(errors='replace') or '(no key)'}: {no_fact(copy.reason)}",
        ]
        say(printable("  ".join(parts)))
    say(f"{count:,} copies" if count != 1 else "1 copy")


def _list_json(copies: "Iterator[Copy]") -> None:
    """One object, written as it is read."""
    write('{"copies": [')
    for number, copy in enumerate(copies):
        write((",\n" if number else "\n") + json.dumps(_object(copy)))
    say("\n]}")


def _object(copy: "Copy") -> dict[str, Any]:
    from pitledger.words import no_fact

    return {
        "position": copy.position,
        "partition": copy.partition,
        "offset": copy.offset,
        "kept_at": utc(1000 * copy.kept_at),
        "reason": copy.reason,
        "text": no_fact(copy.reason),
        "table": copy.key.decode(errors="replace"),
        "type": copy.header("ce_type"),
        "id": copy.header("ce_id"),
        "subject": copy.header("ce_subject"),
        "bytes": len(copy.value),
        "cut_from_bytes": copy.cut_from,
    }


def _shown(copy: "Copy", topic: str, whole: bool) -> Iterator[str]:
    from pitledger.words import no_fact

    yield f"{copy.position}: {no_fact(copy.reason)}"
    yield f"kept {said(utc(1000 * copy.kept_at))}, {_size(copy)}"
    yield (
        f"the original lies on {topic}, partition {copy.partition}, offset {copy.offset}; it"
        " changes nothing"
    )
    yield f"key: {copy.key.decode(errors='backslashreplace') or '(none)'}"
    yield "headers:"
    for name, content in _headers(copy):
        yield f"  {name}: {content}"
    yield "what can be read:"
    for line in _decoded(copy):
        yield f"  {line}"
    yield "bytes:"
    end = len(copy.value) if whole else SHOWN_BYTES
    for at in range(0, min(end, len(copy.value)), 16):
        yield _hex_line(at, copy.value[at : at + 16])
    if len(copy.value) > end:
        yield f"  {len(copy.value) - end:,} more; --whole prints them"


def _headers(copy: "Copy") -> list[tuple[str, str]]:
    """Names may stand twice."""
    return [(name, content.decode(errors="backslashreplace")) for name, content in copy.headers]


def _decoded(copy: "Copy") -> Iterator[str]:
    """The envelope and what it tells, if the bytes are a record; else the fields up to the fault.

    A table's facts name no currency: amounts stand without one.
    """
    from google.protobuf.message import DecodeError

    from pitledger.journal.record import JournalRecord
    from pitledger.story import told
    from services.cli.wire import told as fields_told

    try:
        record = JournalRecord.FromString(copy.value)
    except DecodeError:
        names = {field.number: field.name for field in JournalRecord.DESCRIPTOR.fields}
        yield from fields_told(copy.value, names)
        return
    for field, value in record.ListFields():
        if field.message_type is None:
            yield f"{field.name}: {utc(value) if field.name == 'occurred_at' else value}"
    body = record.WhichOneof("body")
    yield f"body: {body}" if body else "it holds no body that this build knows"
    for line in told(record, ""):
        yield f"  {line}"


def _size(copy: "Copy") -> str:
    size = f"{len(copy.value):,} bytes"
    return size + (f", cut from {copy.cut_from:,}" if copy.cut_from is not None else "")


def _hex_line(at: int, data: bytes) -> str:
    text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data)
    return f"  {at:08x}  {data.hex(' '):47}  {text}"
