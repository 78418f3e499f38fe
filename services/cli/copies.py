"""Copies in quarantine: what is no fact, and decisions that no fact derives, with their place."""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from services.cli.kafka import kafka_connection
from services.cli.output import Failed, fail

if TYPE_CHECKING:
    from pitledger.journal.record import Headers, Stored
    from pitledger.sources.connection import Connection

_POSITION = re.compile(rb"([0-9]{1,5}):([0-9]{1,18})")
_REASON, _KEY, _CUT = "pitledger_reason", "pitledger_key", "pitledger_cut_from_bytes"


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy: where the original lies, when the copy was written (ms), why, and what it holds."""

    partition: int
    offset: int
    kept_at: int
    reason: str
    key: bytes
    headers: "Headers"
    value: bytes
    cut_from: int | None  # bytes of the original, where the copy holds less

    @property
    def position(self) -> str:
        return f"{self.partition}:{self.offset}"

    @property
    def code(self) -> str:
        """The reason without its detail."""
        return self.reason.partition(":")[0]

    def header(self, name: str) -> str:
        """The original's, "" if it has none."""
        return (dict(self.headers).get(name) or b"").decode(errors="replace")


def connect(source: str) -> "Connection":
    """The connection, its topics there; Failed where they are not, or for another source."""
    from pitledger.sources.connection import ConnectionFailed
    from pitledger.sources.topics import require_topics

    if source != "kafka":
        fail(f"--from {source}: quarantine is a topic; --from kafka reads it")
    connection = kafka_connection()
    try:
        require_topics(connection, 10, quarantine=True)
    except ConnectionFailed as error:
        raise Failed(str(error)) from None
    return connection


def read_copies(connection: "Connection", last: int | None = None) -> Iterator[Copy]:
    """The copies in the order in which they were written, each position once, as they are read.

    `last`: of the last so many alone. What bears no position was written by a stranger: left out.
    """
    seen: dict[int, set[int]] = {}
    for stored in _read(connection, last):
        copy = _copy(stored)
        if copy is None or copy.offset in seen.setdefault(copy.partition, set()):
            continue
        seen[copy.partition].add(copy.offset)
        yield copy


def _read(connection: "Connection", last: int | None) -> "Iterator[Stored]":
    from pitledger.sources.connection import ConnectionFailed
    from pitledger.sources.follow import from_the_beginning
    from pitledger.sources.kafka import HoleInJournal, read_topic

    topic = replace(connection, topic=connection.quarantine_topic)
    begins = from_the_beginning if last is None else partial(_near_the_end, last)
    records = read_topic(topic, begins=begins)
    try:
        if last is None:
            yield from records
        else:
            yield from deque(records, maxlen=last)
    except (ConnectionFailed, HoleInJournal) as error:
        raise Failed(str(error)) from None


def _near_the_end(last: int, consumer: Any, tps: list[Any]) -> Mapping[Any, int]:
    """So many before each partition's end; the embedded broker tells an earlier end than it is."""
    begins, ends = consumer.beginning_offsets(tps), consumer.end_offsets(tps)
    return {tp: max(begins[tp], ends[tp] - last) for tp in tps}


def _copy(stored: "Stored") -> Copy | None:
    """What its writer added stands last; the original's own headers may bear any name."""
    position = _POSITION.fullmatch(stored.key)
    if position is None or [name for name, _ in stored.headers[-2:]] != [_KEY, _REASON]:
        return None
    *headers, (_, key), (_, reason) = stored.headers
    cut = None
    if headers and headers[-1][0] == _CUT and headers[-1][1].isdigit():
        cut = int(headers.pop()[1])
    return Copy(
        partition=int(position[1]),
        offset=int(position[2]),
        kept_at=stored.broker_time,
        reason=reason.decode(errors="replace"),
        key=key,
        headers=tuple(headers),
        value=stored.value,
        cut_from=cut,
    )
