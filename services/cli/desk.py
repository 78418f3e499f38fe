"""What a person at a desk writes to Kafka's journal: one fact, acknowledged, by a command's id."""

import secrets
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.output import fail
from services.cli.source import table_named

if TYPE_CHECKING:
    from pitledger.journal.record import JournalRecord
    from pitledger.sources.connection import Connection

SOURCE = "desk"
ACKNOWLEDGED_S = 15

By = Annotated[
    str, typer.Option(metavar="ACTOR", show_default=False,
                      help="Who: the opaque id of a person, never a name."),
]
Id = Annotated[
    str | None,
    typer.Option("--id", metavar="UUIDV7", show_default=False,
                 help="The command's id. The same id and text again write nothing twice."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(slots=True)
class Command:
    """What a person asks for; the same id and text give the same bytes, whenever it is tried."""

    table: str
    by: str
    event_id: str

    @classmethod
    def of(cls, table: str, by: str, event_id: str | None) -> "Command":
        """Failed for what no record could bear."""
        from pitledger.journal.ids import fact_id, is_fact_id

        table_named(text("TABLE", table))
        if len(text("--by", by).split()) > 1:
            fail(f"--by {by}: has blanks; give the opaque id of a person, not a name")
        if event_id is None:
            event_id = fact_id(time.time_ns() // 1_000_000, secrets.randbits(74))
        elif not is_fact_id(event_id):
            fail(f"--id {event_id}: is no UUIDv7 in lower case")
        return cls(table, by, event_id)

    def beside(self, name: str) -> "Command":
        """The command of another fact that is written with this one; its id follows from this."""
        from pitledger.journal.ids import fact_id, time_of_fact_id

        digest = sha256(f"{name}/{self.event_id}".encode()).digest()
        bits = int.from_bytes(digest[:10], "big") >> 6
        return Command(self.table, self.by, fact_id(time_of_fact_id(self.event_id), bits))

    def record(self, *, case_id: str = "", **body: Any) -> "JournalRecord":
        from pitledger.journal.ids import time_of_fact_id
        from pitledger.journal.record import JournalRecord

        return JournalRecord(
            event_id=self.event_id,
            table_id=self.table,
            case_id=case_id,
            occurred_at=1000 * time_of_fact_id(self.event_id),
            source=SOURCE,
            actor=self.by,
            **body,
        )


def append(connection: "Connection", partition: int, record: "JournalRecord") -> int:
    """Write to the table's partition and wait for the acknowledgement; the offset."""
    from kafka.errors import KafkaError

    from pitledger.journal.record import headers_of, serialize
    from pitledger.sources.connection import ConnectionFailed

    again = f"the same again, with --id {record.event_id}, writes nothing twice"
    try:
        producer = connection.producer(idempotent=connection.broker == "apache")
    except ConnectionFailed as problem:
        fail(str(problem))
    try:
        sent = producer.send(
            connection.topic, serialize(record), key=record.table_id.encode(),
            partition=partition, headers=list(headers_of(record)),
        )
        return int(sent.get(ACKNOWLEDGED_S).offset)
    except KafkaError as error:
        fail(f"{connection.explain(error)}; {again}")
    finally:
        producer.close(timeout=1)


def text(name: str, said: str) -> str:
    """An option's text without blanks around it; Failed where nothing is left."""
    said = utf8(name, said).strip()
    if not said:
        fail(f"{name}: is empty")
    return said


def utf8(name: str, said: str) -> str:
    try:
        said.encode()
    except UnicodeEncodeError:
        fail(f"{name}: is not UTF-8")
    return said
