"""The floor on a broker: facts out at a steady rate, decisions in, latencies measured.

One task a table: it sends the facts of a step (each lane one after the other, lanes side by side),
steps again when all are acknowledged, and waits where the table waits. A send that failed is sent
again with the very same bytes, by another producer if this one is of no use any more.
"""

import asyncio
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError, KafkaTimeoutError

from pitledger.journal.holds import Hold
from pitledger.journal.record import DECISION_TYPES, TYPE_BYTES, JournalRecord, partition_of
from pitledger.sources.connection import Connection, quiet
from services.floor.floor import Floor
from services.floor.pen import OutgoingFact
from services.floor.receipts import Receipt, ReceiptFile, digest_of
from services.floor.table import TableScript
from services.runtime.every_record import read_every_record
from services.runtime.pace import space_fetches
from services.runtime.sessions import use_sessions

_PAYOUT, _SETTLED = TYPE_BYTES["payout_due"], TYPE_BYTES["round_settled"]
_VOIDED = TYPE_BYTES["round_voided"]
_RESEND_S = 0.2
_GIVE_UP_S = 120.0
_HOLE_TRIES = 40
_STOP_S = 5.0
_TELL_S = 20.0
"""So often at most it is said that tables wait in vain."""


@dataclass(slots=True)
class Spans:
    """Seconds from facts of one kind until the decision that they led to was read back.

    From the send, and from the acknowledgement (0 where the decision was read before it).
    """

    from_send: list[float] = field(default_factory=list)
    from_ack: list[float] = field(default_factory=list)
    _sent: dict[bytes, float] = field(default_factory=dict)
    _acked: dict[bytes, float] = field(default_factory=dict)

    def sent(self, round_id: bytes) -> None:
        self._sent[round_id] = time.monotonic()

    def acked(self, round_id: bytes) -> None:
        if round_id in self._sent:
            self._acked[round_id] = time.monotonic()

    def read(self, round_id: bytes) -> None:
        now = time.monotonic()
        since = self._sent.pop(round_id, None)
        if since is not None:
            self.from_send.append(now - since)
            self.from_ack.append(now - self._acked.pop(round_id, now))


@dataclass(slots=True)
class Measured:
    """What was counted, and how long the decisions took on which a table waits.

    Only what was sent from `since` (monotonic) on is measured.
    """

    since: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    exposed_to_payout: Spans = field(default_factory=Spans)
    closed_to_settled: Spans = field(default_factory=Spans)
    _open: set[bytes] = field(default_factory=set)

    def sending(self, fact: OutgoingFact) -> None:
        """Start the clock of a DealerExposed or a RoundClosed."""
        if fact.record is None:
            return
        if fact.record.HasField("round_opened"):
            self._open.add(fact.record.round_id.encode())
        spans = self._spans(fact.record)
        if spans is not None and time.monotonic() >= self.since:
            spans.sent(fact.record.round_id.encode())

    def acknowledged(self, fact: OutgoingFact) -> None:
        """The broker has it."""
        if fact.record is None:
            return
        spans = self._spans(fact.record)
        if spans is not None:
            spans.acked(fact.record.round_id.encode())

    def read(self, type_: bytes, round_id: bytes) -> None:
        """Stop it with the first PayoutDue, with the outcome."""
        if type_ == _PAYOUT:
            self.exposed_to_payout.read(round_id)
        elif type_ in (_SETTLED, _VOIDED) and round_id in self._open:
            self._open.discard(round_id)
            self.counts["settled" if type_ == _SETTLED else "voided"] += 1
            self.closed_to_settled.read(round_id)

    def _spans(self, record: JournalRecord) -> Spans | None:
        match record.WhichOneof("body"):
            case "dealer_exposed":
                return self.exposed_to_payout
            case "round_closed":
                return self.closed_to_settled
            case _:
                return None


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One send of a fact: by which producer, and what becomes of it."""

    producer: AIOKafkaProducer
    future: "asyncio.Future[Any] | KafkaError"


class LiveFloor:
    """Drives a floor against a broker until its rounds are played or `finish` is called.

    `think_s`: what people take between two stages of a round. `receipts`: where to note what the
    broker acknowledged.
    """

    def __init__(
        self, floor: Floor, connection: Connection, *, idempotent: bool, fetch_wait_ms: int,
        gather_ms: int,
        think_s: float = 0.0,
        receipts: ReceiptFile | None = None,
    ) -> None:
        self.measured = Measured()
        self._floor = floor
        self._connection = connection
        self._idempotent = idempotent
        self._fetch_wait_ms, self._gather_ms = fetch_wait_ms, gather_ms
        self._think_s = think_s
        self._receipts = receipts
        self._renewing = asyncio.Lock()
        self._wake = {script: asyncio.Event() for script in floor.scripts}
        self._producer: AIOKafkaProducer
        self._consumer: AIOKafkaConsumer
        self._expected: dict[TopicPartition, int] = {}
        self._looks_back = True
        self._holes: Counter[TopicPartition] = Counter()
        self._told_at = -_TELL_S
        self._told_holds: set[str] = set()

    async def run(self, seconds: float | None = None) -> None:
        """Play once connected; raise KafkaError where the broker is of no use for two minutes."""
        if seconds:
            asyncio.get_running_loop().call_later(seconds, self.finish)
        try:
            async with asyncio.TaskGroup() as group:
                reading = group.create_task(self._read())
                async with asyncio.TaskGroup() as tables:
                    for script in self._floor.scripts:
                        tables.create_task(self._play(script))
                reading.cancel()
        except ExceptionGroup as failures:
            raise _first(failures) from None
        finally:
            await self._producer.stop()
            await self._consumer.stop()

    def finish(self) -> None:
        """Let each table play its round to the end and close."""
        for script, wake in self._wake.items():
            script.finish()
            wake.set()

    async def connect(self) -> None:
        """Connect, and read the whole journal for holds that are in force. Raises KafkaError."""
        settings = self._connection.client_settings()
        self._producer = self._new_producer()
        read_every_record()
        self._consumer = AIOKafkaConsumer(
            client_id="pitledger.floor", group_id=None, enable_auto_commit=False,
            auto_offset_reset="latest", check_crcs=False, fetch_max_wait_ms=self._fetch_wait_ms,
            **settings,
        )
        await self._start_clients()
        use_sessions(self._consumer)
        space_fetches(self._consumer, self._gather_ms)
        topic = self._connection.topic
        partitions = [TopicPartition(topic, n) for n in range(self._connection.partitions)]
        self._consumer.assign(partitions)
        try:
            await self._read_what_is_there(partitions)
        except BaseException:
            await self._stop_clients()
            raise
        self._looks_back = False

    async def _read_what_is_there(self, partitions: list[TopicPartition]) -> None:
        """Raises KafkaTimeoutError where a partition has given nothing for two minutes."""
        with suppress(TimeoutError):  # of which partition is said below
            async with asyncio.timeout(_GIVE_UP_S):
                await self._consumer.seek_to_beginning()
        for partition in partitions:
            try:
                async with asyncio.timeout(_GIVE_UP_S):
                    self._expected[partition] = await self._consumer.position(partition)
            except TimeoutError:
                raise KafkaTimeoutError(f"no answer for partition {partition.partition}") from None
        moved = time.monotonic()
        while not all(self._is_at_end(partition) for partition in partitions):
            batches = await self._consumer.getmany(timeout_ms=200)
            for partition, records in batches.items():
                self._take(partition, records)
            if batches:
                moved = time.monotonic()
            elif time.monotonic() - moved > _GIVE_UP_S:
                left = min(p.partition for p in partitions if not self._is_at_end(p))
                raise KafkaTimeoutError(f"no answer for partition {left}")

    async def _start_clients(self) -> None:
        """What aiokafka would log of it is in the error that is raised."""
        with quiet("aiokafka"):
            try:
                await self._producer.start()
                await self._consumer.start()
            except KafkaError:
                await self._stop_clients()
                raise

    async def _stop_clients(self) -> None:
        """They would wait for a broker that does not answer."""
        for client in (self._producer, self._consumer):
            with suppress(TimeoutError):
                await asyncio.wait_for(client.stop(), _STOP_S)

    def _new_producer(self) -> AIOKafkaProducer:
        # A terminal sends one small fact at a time: compressing it costs all readers more than
        # it saves.
        return AIOKafkaProducer(
            client_id="pitledger.floor", acks="all", enable_idempotence=self._idempotent,
            linger_ms=0, request_timeout_ms=10_000, **self._connection.client_settings(),
        )

    def _is_at_end(self, partition: TopicPartition) -> bool:
        """By the end that a fetch tells: the embedded broker's other answer is short of it."""
        end = self._consumer.highwater(partition)
        return end is not None and self._expected[partition] >= end

    # ---- tables ------------------------------------------------------------------------------

    async def _play(self, script: TableScript) -> None:
        wake = self._wake[script]
        while True:
            wake.clear()
            before = script.waited_in_vain
            facts = script.step(time.time_ns() // 1000)
            if script.waited_in_vain > before:
                self._tell_of_waiting(script)
            for hold in script.held_by:
                self._tell_of(hold)
            if script.done:
                return
            if facts:
                await self._send_stage(facts)
                if self._think_s:
                    await asyncio.sleep(self._think_s)
            else:
                await self._wait(wake, script.wake_us)

    def _tell_of_waiting(self, script: TableScript) -> None:
        if time.monotonic() - self._told_at >= _TELL_S:
            self._told_at = time.monotonic()
            what = f"{script.terms.table_id} waited in vain for a decision"
            print(f"floor: {what}; do all four processors run?", file=sys.stderr, flush=True)

    def _tell_of(self, hold: Hold) -> None:
        if hold.event_id not in self._told_holds:
            self._told_holds.add(hold.event_id)
            table, who = hold.table_id, repr(hold.actor) if hold.actor else "nobody named"
            held = f"{table} is held by {who} ({hold.reason!r})"
            until = f"opens and closes no round before `pitledger hold release {table}`"
            print(f"floor: {held} and {until}", file=sys.stderr, flush=True)

    async def _wait(self, wake: asyncio.Event, until_us: int) -> None:
        """For a decision of the table, at most until a time."""
        delay = max(until_us - time.time_ns() // 1000, 0) / 1_000_000
        timer = asyncio.get_running_loop().call_later(delay, wake.set)
        await wake.wait()
        timer.cancel()

    async def _send_stage(self, facts: list[OutgoingFact]) -> None:
        lanes: dict[str, list[OutgoingFact]] = {}
        for fact in facts:
            lanes.setdefault(fact.lane, []).append(fact)
        for wave in zip_longest(*lanes.values()):
            sent = [(fact, await self._send(fact)) for fact in wave if fact is not None]
            for fact, future in sent:
                await self._delivered(fact, future)
        self.measured.counts["facts"] += len(facts)

    async def _send(self, fact: OutgoingFact) -> _Attempt:
        self.measured.sending(fact)
        if self._receipts is not None and dict(fact.headers).get("ce_type") in DECISION_TYPES:
            self._receipts.foul(digest_of(fact.key, fact.headers, fact.value))
        producer = self._producer
        count = self._connection.partitions
        partition = (partition_of(fact.table_id, count) + fact.astray) % count
        try:
            future: asyncio.Future[Any] = await producer.send(
                self._connection.topic, fact.value, fact.key, partition, headers=list(fact.headers)
            )
        except KafkaError as error:
            return _Attempt(producer, error)
        return _Attempt(producer, future)

    async def _delivered(self, fact: OutgoingFact, attempt: _Attempt) -> None:
        """Wait for the acknowledgement; without it send the same bytes again."""
        begun = time.monotonic()
        while True:
            try:
                if isinstance(attempt.future, KafkaError):
                    raise attempt.future
                self._acknowledged(fact, await attempt.future)
                return
            except KafkaError as error:
                if time.monotonic() - begun > _GIVE_UP_S:
                    raise
                self.measured.counts["resent"] += 1
                await asyncio.sleep(_RESEND_S)
                if not (error.retriable or isinstance(error, KafkaTimeoutError)):
                    await self._renew(attempt.producer)
                attempt = await self._send(fact)

    def _acknowledged(self, fact: OutgoingFact, place: Any) -> None:
        self.measured.acknowledged(fact)
        if self._receipts is not None:
            digest = digest_of(fact.key, fact.headers, fact.value)
            self._receipts.acknowledged(Receipt(place.partition, place.offset, digest))

    async def _renew(self, failed: AIOKafkaProducer) -> None:
        """An idempotent producer that lost a batch numbers all later ones wrong, for ever."""
        async with self._renewing:
            if self._producer is not failed:
                return  # another table did it
            producer = self._new_producer()
            with suppress(KafkaError):  # else the next attempt fails as this one did
                await producer.start()
                self._producer = producer
                self.measured.counts["producers_renewed"] += 1
        with suppress(TimeoutError, KafkaError):
            await asyncio.wait_for(failed.stop(), _STOP_S)

    # ---- the journal -------------------------------------------------------------------------

    async def _read(self) -> None:
        while True:
            batches = await self._consumer.getmany(timeout_ms=1000)
            for partition, records in batches.items():
                self._take(partition, records)

    def _take(self, partition: TopicPartition, records: list[ConsumerRecord]) -> None:
        """Show records to their tables. At a hole seek back: the embedded broker fills it later."""
        for record in records:
            expected = self._expected[partition]
            if record.offset < expected:
                continue
            if record.offset > expected and self._holes[partition] < _HOLE_TRIES:
                self._holes[partition] += 1
                self.measured.counts["holes"] += 1
                self._consumer.seek(partition, expected)
                return
            self._holes[partition] = 0
            self._expected[partition] = record.offset + 1
            self._show(record)

    def _show(self, record: ConsumerRecord) -> None:
        key, value = record.key or b"", record.value or b""
        if self._looks_back:
            self._floor.remember(key, record.headers, value, record.timestamp)
            return
        script = self._floor.observe(key, record.headers, value)
        if script is None:
            return
        self._wake[script].set()
        attributes = dict(record.headers)
        if attributes["ce_type"] in DECISION_TYPES:
            self.measured.counts["decisions"] += 1
            self.measured.read(attributes["ce_type"], attributes.get("ce_subject", b""))


def _first(failure: Exception) -> Exception:
    return _first(failure.exceptions[0]) if isinstance(failure, ExceptionGroup) else failure
