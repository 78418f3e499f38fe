"""`pitledger hold place|release|list`: a person holds a table, and lets it go."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.desk import By, Command, Id, Json, append, text, utf8
from services.cli.moments import utc
from services.cli.output import fail, printable, say, say_json
from services.cli.source import From, Partitions, open_journal, require_table, table_named

if TYPE_CHECKING:
    from pitledger.journal.holds import Hold, Holds
    from pitledger.journal.record import JournalRecord, Stored
    from pitledger.sources.connection import Connection
    from services.cli.source import Journal

hold_app = typer.Typer(
    help="Hold a table: no round is opened or closed there until it is released. A hold changes no"
    " decision.",
    no_args_is_help=True,
)

TableId = Annotated[str, typer.Argument(metavar="TABLE", show_default=False, help="The table.")]
Reason = Annotated[str, typer.Option(help="Why; it stands on the journal.", show_default=False)]


@hold_app.command("place")
def place(
    table: TableId,
    reason: Reason,
    by: By,
    about: Annotated[
        str, typer.Option(metavar="ID", help="The record or case it is about.", show_default=False)
    ] = "",
    event_id: Id = None,
    as_json: Json = False,
) -> None:
    """Hold a table of Kafka's journal; waits until the broker has it.

    A table may be held more than once, and plays again when every hold is released.

    Exit 0: it is on the journal; 2: bad input, or no broker.
    """
    from pitledger.pb import facts_pb2

    command = Command.of(table, by, event_id)
    reason, about = text("--reason", reason), utf8("--about", about)
    desk = _Desk.at(command.table)
    held = facts_pb2.TableHeld(reason=reason, about_id=about)
    position = desk.write(command.record(table_held=held))
    count = len({*(hold.event_id for hold in desk.in_force), command.event_id})
    said = f"{table} is held" + (f", {count} times" if count > 1 else "")
    _done(command, position, said, as_json)


@hold_app.command("release")
def release(
    table: TableId,
    reason: Reason,
    by: By,
    held: Annotated[
        str | None,
        typer.Option("--held", metavar="ID", show_default=False,
                     help="Which hold, where the table is held more than once."),
    ] = None,
    event_id: Id = None,
    as_json: Json = False,
) -> None:
    """Release a hold of a table; waits until the broker has it.

    Exit 0: it is on the journal; 2: bad input, no such hold, or no broker.
    """
    from pitledger.pb import facts_pb2

    command, reason = Command.of(table, by, event_id), text("--reason", reason)
    desk = _Desk.at(command.table)
    held_id = desk.hold_to_release(held, command.event_id)
    released = facts_pb2.TableReleased(reason=reason, held_id=held_id)
    position = desk.write(command.record(table_released=released))
    left = sum(hold.event_id != held_id for hold in desk.in_force)
    said = f"hold {held_id} is released; {table} " + (
        f"is still held, {left} times" if left else "plays again"
    )
    _done(command, position, said, as_json)


@hold_app.command("list")
def list_(
    source: From,
    table: Annotated[
        str | None, typer.Option(help="Only this table's.", show_default=False)
    ] = None,
    as_json: Json = False,
    partitions: Partitions = None,
) -> None:
    """List the holds in force; the whole journal is read, for a hold may be old.

    Exit 0: listed; 2: the journal cannot be read, or has no such table.
    """
    from pitledger.journal.record import partition_of

    journal = open_journal(source, partitions)
    only = None if table is None else [partition_of(table_named(table), journal.partitions)]
    holds = holds_of(journal.records(only), journal.partitions)
    found = holds.in_force() if table is None else holds.of(table)
    if table is not None and not found:
        require_table(journal, table)
    if as_json:
        rows = [asdict(hold) | {"since": utc(hold.since_us)} for hold in found]
        say_json({"holds": rows})
    else:
        _print(found)


def holds_of(records: "Iterable[Stored]", partitions: int) -> "Holds":
    """The holds after all these records."""
    from pitledger.journal.holds import Holds
    from pitledger.journal.record import TYPE_BYTES

    types = {TYPE_BYTES["table_held"], TYPE_BYTES["table_released"]}
    holds = Holds()
    for stored in records:
        if dict(stored.headers).get("ce_type") in types:
            record = _fact(stored, partitions)
            if record is not None:
                holds.take(record)
    return holds


@dataclass(slots=True)
class _Desk:
    """One table as the journal has it."""

    connection: "Connection"
    table: str
    partition: int
    in_force: "tuple[Hold, ...]"
    written: "dict[str, tuple[JournalRecord, Stored]]"
    """Its holds and releases by event id."""

    @classmethod
    def at(cls, table: str) -> "_Desk":
        """Read the table's partition; Failed for a table that never opened."""
        from pitledger.journal.record import partition_of

        journal = open_journal("kafka", None)
        assert journal.connection is not None
        partition = partition_of(table, journal.partitions)
        desk = cls(journal.connection, table, partition, (), {})
        desk._read(journal)
        return desk

    def hold_to_release(self, held: str | None, event_id: str | None) -> str:
        """The id of the hold that is meant; Failed where none is, or several are."""
        done = self.written.get(event_id or "")
        if done is not None and held is None:
            return done[0].table_released.held_id
        ids = [hold.event_id for hold in self.in_force]
        if done is None and held is not None and held not in ids:
            fail(f"{self.table}: no hold {held} is in force there")
        if held is not None:
            return held
        if not ids:
            fail(f"{self.table}: is not held")
        if len(ids) > 1:
            fail(f"{self.table}: is held {len(ids)} times; name one with --held: {', '.join(ids)}")
        return ids[0]

    def write(self, record: "JournalRecord") -> str:
        """Append a fact, unless it is there; where it lies, as PARTITION:OFFSET."""
        from pitledger.journal.record import serialize

        before = self.written.get(record.event_id)
        if before is not None:
            if before[1].value != serialize(record):
                fail(f"--id {record.event_id}: is on the journal with another content")
            return f"{self.partition}:{before[1].offset}"
        return f"{self.partition}:{append(self.connection, self.partition, record)}"

    def _read(self, journal: "Journal") -> None:
        from pitledger.journal.holds import Holds
        from pitledger.journal.record import TYPE_BYTES

        key, known, holds = self.table.encode(), False, Holds()
        for stored in journal.records([self.partition]):
            if stored.key != key:
                continue
            kind = dict(stored.headers).get("ce_type")
            if kind in (TYPE_BYTES["table_opened"], TYPE_BYTES["round_opened"]):
                known = True
            elif kind in (TYPE_BYTES["table_held"], TYPE_BYTES["table_released"]):
                record = _fact(stored, journal.partitions)
                if record is not None:
                    holds.take(record)
                    self.written.setdefault(record.event_id, (record, stored))
        if not known:
            fail(f"{self.table}: no such table ever opened on {journal.name}")
        self.in_force = holds.of(self.table)


def _fact(stored: "Stored", partitions: int) -> "JournalRecord | None":
    from pitledger.journal.vocabulary import NotAFact, read_fact

    try:
        return read_fact(
            stored.partition, partitions, stored.key, dict(stored.headers), stored.value
        ).record
    except NotAFact:
        return None


def _done(command: Command, position: str, text: str, as_json: bool) -> None:
    if as_json:
        say_json({"table": command.table, "id": command.event_id, "position": position,
                  "text": text})
    else:
        say(printable(f"{text} (id {command.event_id}, on the journal at {position})"))


def _print(holds: "tuple[Hold, ...]") -> None:
    from pitledger.words import hold as told

    for hold in holds:
        say(printable(f"{hold.table_id}: {told(hold)}"))
    if not holds:
        say("no table is held")
