"""Our own producer: decisions to the journal, copies to quarantine, and what became of each."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, KafkaTimeoutError, MessageSizeTooLargeError

from pitledger.engine import BUILD_HEADER, Emit, Quarantine
from pitledger.journal.record import JournalRecord, headers_of, partition_of, serialize
from services.runtime.build import build
from services.runtime.settings import Settings

Die = Callable[..., None]

STOP_S = 5
COPIES_MAX = 1000
"""Copies for quarantine that may be on their way at once."""
COPY_BYTES_MAX = 900_000
"""A copy bears more than its original, and must not be too large for the topic."""
HEADER_BYTES = 10
"""At most, of the two lengths that each header has on the wire."""


@dataclass(slots=True)
class Sent:
    """A decision on its way: acknowledged at an offset, or failed, or neither yet."""

    emit: Emit
    at: float = field(default_factory=time.monotonic)
    offset: int | None = None
    acked_at: float = 0.0
    failed: bool = False


class Producer:
    """Sends without waiting for acknowledgements; a fatal error ends the process."""

    def __init__(self, settings: Settings, die: Die, on_ack: Callable[[Sent], None]) -> None:
        self._topic = settings.connection.topic
        self._quarantine_topic = settings.connection.quarantine_topic
        self._die = die
        self._on_ack = on_ack
        self._settings = settings
        self._kafka: AIOKafkaProducer | None = None
        self._copies: set[asyncio.Task[None]] = set()
        self._announcing: asyncio.Task[None] | None = None
        self._build = (BUILD_HEADER, build().encode())

    async def start(self) -> None:
        self._kafka = AIOKafkaProducer(
            client_id=f"pitledger.{self._settings.owner}",
            acks="all",
            enable_idempotence=self._settings.idempotent,
            linger_ms=0,
            request_timeout_ms=10_000,
            **self._settings.connection.client_settings(),
        )
        await self._kafka.start()

    async def stop(self) -> None:
        for task in (*self._copies, *([self._announcing] if self._announcing else ())):
            task.cancel()
        if self._kafka is not None:
            # It would wait for a dead broker; what is not written is written after the restart.
            with suppress(TimeoutError):
                await asyncio.wait_for(self._kafka.stop(), STOP_S)

    async def decision(self, sent: Sent) -> None:
        """To the partition that the facts were read from."""
        emit = sent.emit
        future = await self._send(
            self._topic, emit.value, emit.key, emit.partition, [*emit.headers, self._build]
        )
        if future is None:
            sent.failed = True
        else:
            future.add_done_callback(lambda done: self._settled(sent, done))

    async def has_room(self) -> bool:
        """Whether another copy may be on its way; waited for, a second at most."""
        if len(self._copies) < COPIES_MAX:
            return True
        await asyncio.wait(self._copies, timeout=1, return_when=asyncio.FIRST_COMPLETED)
        return len(self._copies) < COPIES_MAX

    def copy(self, quarantine: Quarantine, done: Callable[[], None]) -> None:
        """Keyed by its position, so that a second copy counts once; again until it is written."""
        task = asyncio.get_running_loop().create_task(self._write_copy(quarantine, done))
        self._copies.add(task)
        task.add_done_callback(self._copies.discard)

    def announce(self, fact: JournalRecord) -> None:
        """Write a fact of our own, the same bytes until it is acknowledged; not waited for."""
        partition = partition_of(fact.table_id, self._settings.connection.partitions)
        key, headers = fact.table_id.encode(), list(headers_of(fact))
        written = self._until_written(self._topic, serialize(fact), key, partition, headers)
        self._announcing = asyncio.get_running_loop().create_task(written)

    async def _write_copy(self, quarantine: Quarantine, done: Callable[[], None]) -> None:
        value, position, headers = copy_of(quarantine)
        await self._until_written(self._quarantine_topic, value, position, None, headers)
        done()

    async def _until_written(
        self,
        topic: str,
        value: bytes,
        key: bytes,
        partition: int | None,
        headers: list[tuple[str, bytes]],
    ) -> None:
        while True:
            future = await self._send(topic, value, key, partition, headers)
            if future is not None:
                await asyncio.wait([future])
                if self._error_of(future) is None:
                    return
            await asyncio.sleep(1)

    async def _send(
        self,
        topic: str,
        value: bytes,
        key: bytes,
        partition: int | None,
        headers: list[tuple[str, bytes]],
    ) -> "asyncio.Future[object] | None":
        """None where there was no room in time: it may be tried again."""
        assert self._kafka is not None
        try:
            future: asyncio.Future[object] = await self._kafka.send(
                topic, value, key, partition, headers=headers
            )
        except KafkaError as error:
            if _is_fatal(error):
                self._die("the producer failed", error=repr(error))
            return None
        return future

    def _settled(self, sent: Sent, done: "asyncio.Future[object]") -> None:
        if self._error_of(done) is not None:
            sent.failed = True
            return
        sent.offset = done.result().offset  # type: ignore[attr-defined]
        sent.acked_at = time.monotonic()
        self._on_ack(sent)

    def _error_of(self, done: "asyncio.Future[object]") -> BaseException | None:
        if done.cancelled():
            return asyncio.CancelledError()
        error = done.exception()
        if error is not None and _is_fatal(error):
            self._die("the producer failed", error=repr(error))
        return error


def copy_of(quarantine: Quarantine) -> tuple[bytes, bytes, list[tuple[str, bytes]]]:
    """Value, key and headers of a copy; cut if it is too large: the journal has the original."""
    value, key = quarantine.value, quarantine.key
    headers = [(name, content or b"") for name, content in quarantine.headers]
    size = len(value) + len(key) + sum(_size_of(*header) for header in headers)
    if size > COPY_BYTES_MAX:
        value, key = value[: COPY_BYTES_MAX // 2], key[:1000]
        headers = [(name[:100], content[:1000]) for name, content in headers[:50]]
        headers.append(("pitledger_cut_from_bytes", str(size).encode()))
    headers.append(("pitledger_key", key))
    headers.append(("pitledger_reason", quarantine.reason.encode()))
    position = f"{quarantine.partition}:{quarantine.offset}".encode()
    return value, position, headers


def _size_of(name: str, content: bytes) -> int:
    return len(name.encode()) + len(content) + HEADER_BYTES


def _is_fatal(error: BaseException) -> bool:
    """What another attempt on the same producer cannot mend."""
    if isinstance(error, KafkaTimeoutError):
        return False
    return isinstance(error, MessageSizeTooLargeError) or not getattr(error, "retriable", False)
