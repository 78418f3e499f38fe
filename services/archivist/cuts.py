"""Where the journal on Kafka is read on: at the cut of each partition, as the archive has it.

What is known of before is as an engine has it after a restart: the openings of the fifteen minutes
of broker time before the last record below the cut.
"""

import time
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from kafka.errors import KafkaTimeoutError

from pitledger.archive.collect import NOTHING_BEFORE, Memory
from pitledger.archive.positions import Position
from pitledger.engine import LOOK_BACK_MS
from pitledger.journal.record import TYPE_BYTES, Stored
from pitledger.pb.archive_pb2 import ArchivedRound
from pitledger.sources.connection import Connection
from pitledger.sources.in_order import InOrder
from pitledger.sources.letting_go import let_go
from services.archivist.same_journal import DoesNotContinue, opens

PATIENCE_S = 45.0
"""So long nothing comes of what is asked for, and the look fails."""
_OPENED = ("ce_type", TYPE_BYTES["round_opened"])


class Begun(Protocol):
    """Who takes what lies behind the cuts."""

    def position_of(self, partition: int) -> Position:
        """What the archive has of a partition."""

    def begin(self, partition: int, first: int, memory: Memory) -> None:
        """Before the partition's first record."""


class Cuts:
    """Begins all partitions of `begun`, as a `Begins` of whoever reads on.

    `before_ms`: of partitions whose broker's clock went back, the broker time before which openings
    are looked up. Raises DoesNotContinue, KafkaError.
    """

    def __init__(
        self, begun: Begun, connection: Connection, before_ms: Mapping[int, int]
    ) -> None:
        self._begun = begun
        self._topic = connection.topic
        # The embedded broker looks nothing up by time, and keeps no yesterday. Where a partition
        # ends, it says too low by a batch.
        self._exact = connection.broker != "embedded"
        self._before_ms = before_ms

    def __call__(self, consumer: Any, tps: list[Any]) -> Mapping[Any, int]:
        begins = consumer.beginning_offsets(tps)
        firsts = self._firsts(consumer, begins)
        memories = self._memories(consumer, begins, firsts)
        for tp, first in firsts.items():
            self._begun.begin(tp.partition, first, memories[tp])
        consumer.assign(tps)
        return firsts

    def without_memory(self, consumer: Any, tps: list[Any]) -> Mapping[Any, int]:
        """The same for who folds nothing: what lies before the cuts is not looked up."""
        firsts = self._firsts(consumer, consumer.beginning_offsets(tps))
        for tp, first in firsts.items():
            self._begun.begin(tp.partition, first, NOTHING_BEFORE)
        consumer.assign(tps)
        return firsts

    def _firsts(self, consumer: Any, begins: Mapping[Any, int]) -> dict[Any, int]:
        positions = {tp: self._begun.position_of(tp.partition) for tp in begins}
        self._require_continued(consumer, begins, positions)
        return {tp: begins[tp] if at.cut is None else at.cut for tp, at in positions.items()}

    # ---- Is it the journal that the archive holds? ----

    def _require_continued(
        self, consumer: Any, begins: Mapping[Any, int], positions: Mapping[Any, Position]
    ) -> None:
        ends = consumer.end_offsets(list(positions))
        short = {tp: at.end - 1 for tp, at in positions.items() if at.end > ends[tp]}
        there = {} if self._exact else _records_at(consumer, short)
        for tp in short.keys() - there.keys():
            raise self._broken(
                tp,
                f"ends at offset {ends[tp]}, and the archive has records up to {short[tp]}: the"
                " topic lost its end, or was made anew",
            )
        for tp, at in positions.items():
            sealed = at.taken.ranges()
            needed = sealed[0][0] if at.cut is None and sealed else at.cut
            if needed is not None and begins[tp] > needed:
                raise self._broken(
                    tp,
                    f"begins at offset {begins[tp]}, and what follows {needed} is not sealed: it"
                    " was deleted too early, or the topic was made anew",
                )
        self._require_same(consumer, begins, positions)

    def _require_same(
        self, consumer: Any, begins: Mapping[Any, int], positions: Mapping[Any, Position]
    ) -> None:
        """The opening of the round that was sealed last must lie where it lay."""
        for tp, round_ in other_openings(consumer, begins, positions):
            raise self._broken(
                tp,
                f"offset {round_.offsets[0]} is not the opening of {round_.table_id}/"
                f"{round_.round_number}, which the archive has from there: the topic was made anew",
            )

    def _broken(self, tp: Any, why: str) -> DoesNotContinue:
        return DoesNotContinue(
            f"the journal does not continue the archive: {self._topic} partition {tp.partition}"
            f" {why}; bring back that journal, or begin another archive"
        )

    # ---- Round numbers of before ----

    def _memories(
        self, consumer: Any, begins: Mapping[Any, int], firsts: Mapping[Any, int]
    ) -> dict[Any, Memory]:
        below = {tp: first for tp, first in firsts.items() if first > begins[tp]}
        since = self._since(consumer, below)
        from_ = self._offsets_at(consumer, since, below)
        read_from = {tp: max(begins[tp], from_.get(tp, begins[tp])) for tp in below}
        openings = _openings(consumer, read_from, below)
        return {
            tp: Memory(
                openings=openings.get(tp, ()),
                since=since[tp] if read_from.get(tp, begins[tp]) > begins[tp] else None,
                forgets=tp.partition not in self._before_ms,
            )
            for tp in firsts
        }

    def _since(self, consumer: Any, below: Mapping[Any, int]) -> dict[Any, int]:
        """Of each: the broker time (ms) from which openings are read."""
        if not self._exact:
            return {}
        asked = {tp: first - 1 for tp, first in below.items()}
        last = {tp: record.timestamp for tp, record in must_read(consumer, asked).items()}
        return {
            tp: max(0, self._before_ms.get(tp.partition, at) - LOOK_BACK_MS)
            for tp, at in last.items()
        }

    def _offsets_at(
        self, consumer: Any, since: Mapping[Any, int], below: Mapping[Any, int]
    ) -> dict[Any, int]:
        found = consumer.offsets_for_times(dict(since)) if since else {}
        return {
            tp: below[tp] if at is None else min(at.offset, below[tp]) for tp, at in found.items()
        }


def _openings(
    consumer: Any, firsts: Mapping[Any, int], ends: Mapping[Any, int]
) -> dict[Any, list[Stored]]:
    """The RoundOpened from an offset up to another. Assigns the consumer."""
    left = {tp for tp, first in firsts.items() if first < ends[tp]}
    found: dict[Any, list[Stored]] = {tp: [] for tp in left}
    consumer.assign(list(left))
    in_order = InOrder(consumer, {tp: firsts[tp] for tp in left})
    moved_at = time.monotonic()
    while left:
        for tp, messages in consumer.poll(timeout_ms=200).items():
            for stored in in_order.take(tp, messages):
                moved_at = time.monotonic()
                if stored.offset < ends[tp] and _OPENED in stored.headers:
                    found[tp].append(stored)
        for tp in [tp for tp in left if in_order.next[tp] >= ends[tp]]:
            left.discard(tp)
            let_go(consumer, tp)
        _be_patient(moved_at, {tp: in_order.next[tp] for tp in left})
    return found


def other_openings(
    consumer: Any, begins: Mapping[Any, int], positions: Mapping[Any, Position]
) -> Iterator[tuple[Any, ArchivedRound]]:
    """By partition the round that was sealed last, where another record lies than its opening.

    Nothing is known of one whose opening was trimmed. Assigns the consumer. Raises KafkaError.
    """
    newest = {
        tp: at.newest
        for tp, at in positions.items()
        if at.newest is not None and at.newest.offsets[0] >= begins[tp]
    }
    openings = {tp: round_.offsets[0] for tp, round_ in newest.items()}
    for tp, record in must_read(consumer, openings).items():
        if not opens(newest[tp], record.headers, record.timestamp):
            yield tp, newest[tp]


def must_read(consumer: Any, offsets: Mapping[Any, int]) -> dict[Any, Any]:
    """The messages that lie there, by partition. Raises KafkaTimeoutError."""
    found = _records_at(consumer, offsets)
    if missing := {tp: offset for tp, offset in offsets.items() if tp not in found}:
        raise _not_to_be_had(missing)
    return found


def _records_at(consumer: Any, offsets: Mapping[Any, int]) -> dict[Any, Any]:
    """The messages that lie there; for some time it is waited for them. Assigns the consumer."""
    found: dict[Any, Any] = {}
    if not offsets:
        return found
    consumer.assign(list(offsets))
    for tp, offset in offsets.items():
        consumer.seek(tp, offset)
    until = time.monotonic() + PATIENCE_S
    while len(found) < len(offsets) and time.monotonic() < until:
        for tp, messages in consumer.poll(timeout_ms=200).items():
            if messages[0].offset == offsets[tp]:
                found[tp] = messages[0]
                let_go(consumer, tp)
            elif tp not in found:
                consumer.seek(tp, offsets[tp])
    return found


def _be_patient(since: float, left: Mapping[Any, int]) -> None:
    if left and time.monotonic() - since > PATIENCE_S:
        raise _not_to_be_had(left)


def _not_to_be_had(offsets: Mapping[Any, int]) -> KafkaTimeoutError:
    where = ", ".join(_named(tp, offset) for tp, offset in list(offsets.items())[:5])
    return KafkaTimeoutError(f"not to be had for {PATIENCE_S:.0f} s: {where}")


def _named(tp: Any, offset: int) -> str:
    return f"partition {tp.partition} offset {offset}"
