"""The Faust app of a processor: its settings, and what starts before the group is joined."""

import asyncio
import socket
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, NoReturn, cast

import faust
from aiokafka.errors import GroupAuthorizationFailedError
from faust.app.base import BootStrategy
from faust.auth import Credentials, SASLCredentials, SSLCredentials
from faust.tables import TableManager
from faust.tables.recovery import Recovery
from faust.types.transports import TransportT
from yarl import URL

from services.runtime import http, watchdog
from services.runtime.consumer import JournalTransport
from services.runtime.every_record import read_every_record
from services.runtime.fencing import SESSION_S
from services.runtime.made_anew import end_if_made_anew
from services.runtime.settings import Settings
from services.runtime.shell import BAD_SETTINGS, Shell
from services.runtime.silence import tell_of_silence

REBALANCE_S = 3.0
HEARTBEAT_S = 1.0
COMMIT_S = 0.5
TOPIC_S = 3.0
"""So long at most a start waits for the topic's id; a broker that hangs may keep it."""


class _Boot(BootStrategy):
    """Without Faust's producer: the shell has its own, and Faust's waits twenty minutes for the
    first server that it asks.
    """

    enable_kafka_producer = False


class ProcessorApp(faust.App):
    """Starts producer, HTTP and clock of the shell, then Faust's consumer."""

    BootStrategy = _Boot

    shell: Shell
    listener: socket.socket

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._http: asyncio.Server | None = None
        self._at_work: list[asyncio.Task[None]] = []

    async def on_first_start(self) -> None:
        """Faust would make a folder for tables here; there are none."""

    async def on_start(self) -> None:
        # Before the consumer, which is a child: an engine that is live can send, always.
        self._http = await http.serve(self.shell, self.listener)
        topic_known = asyncio.Event()
        self._begin(end_if_made_anew(self.shell, topic_known))
        await self.shell.start()
        self._begin(_tick(self.shell))
        self._begin(tell_of_silence(self.shell))
        # Which topic it is that the first record is read of.
        with suppress(TimeoutError):
            await asyncio.wait_for(topic_known.wait(), TOPIC_S)
        watchdog.watch(self.shell)
        await super().on_start()

    async def on_shutdown(self) -> None:
        """After the consumer, which committed and left the group."""
        for task in self._at_work:
            task.cancel()
        if self._http is not None:
            self._http.close()
        await self.shell.stop()
        await super().on_shutdown()

    async def crash(self, reason: BaseException) -> None:
        self.shell.die("the worker failed", error=repr(reason))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """A task until the end; if it fails, the process does."""
        task = asyncio.create_task(work)
        task.add_done_callback(self._ended)
        self._at_work.append(task)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self.shell.die("a task failed", error=repr(error))

    def _new_transport(self) -> TransportT:
        return JournalTransport(self.conf.broker_consumer, self)


def make_app(settings: Settings, shell: Shell, listener: socket.socket) -> ProcessorApp:
    """An app that is subscribed to the journal and ready for a worker."""
    read_every_record()
    connection = settings.connection
    app = ProcessorApp(
        settings.group,
        broker=[URL(f"kafka://{server}") for server in connection.bootstrap],
        broker_client_id=f"pitledger.{settings.owner}",
        broker_credentials=_credentials(settings),
        broker_session_timeout=SESSION_S,
        broker_rebalance_timeout=REBALANCE_S,
        broker_heartbeat_interval=HEARTBEAT_S,
        broker_request_timeout=max(10.0, SESSION_S),
        broker_commit_interval=COMMIT_S,
        consumer_auto_offset_reset="none",
        consumer_group_instance_id=settings.instance or None,
        topic_disable_leader=True,
        topic_allow_declare=False,
        stream_wait_empty=False,
        web_enabled=False,
        TableManager=_NoTables,
    )
    app.shell, app.listener = shell, listener
    shell.measures.watch(shell)
    journal = app.topic(connection.topic, key_type=bytes, value_type=bytes)

    async def unreachable(stream: Any) -> None:
        # An agent makes Faust subscribe to the topic; its records go another way.
        async for _ in stream:
            shell.die("a record reached Faust's streams")

    app.agent(journal, name=f"pitledger.{settings.owner}")(unreachable)
    return app


class _NoTables(TableManager):
    """Faust's waits a second for tables to be added; there are none, and it delays the start."""

    async def on_start(self) -> None:
        await self._update_channels()
        await self.recovery.start()

    @property
    def recovery(self) -> Recovery:
        if self._recovery is None:
            self._recovery = _Recovery(self.app, self, beacon=self.beacon, loop=self.loop)
        return self._recovery


class _Recovery(Recovery):
    """Faust's ends for good, and says nothing, where a seek takes longer than a request may.

    Ours reads the memory before; what ends it is a rebalance, or an error.
    """

    async def _wait(self, coro: Any, timeout: Any = None) -> None:  # noqa: ARG002 (ignored)
        await super()._wait(coro)

    async def crash(self, reason: BaseException) -> None:
        """Faust's would end the worker in good order, as if it had been told to stop."""
        shell = cast(ProcessorApp, self.app).shell
        shell.die("no start could be found", error=str(reason) or repr(reason))


async def _tick(shell: Shell) -> None:
    while True:
        await asyncio.sleep(1)
        if (refused := shell.group_error()) is not None:
            _end_of_group(shell, refused)
        try:
            await shell.tick()
        except Exception as error:
            shell.die("the clock failed", error=repr(error), exc_info=True)


def _end_of_group(shell: Shell, error: BaseException) -> NoReturn:
    group = shell.settings.group
    if isinstance(error, GroupAuthorizationFailedError):
        shell.die(
            "this user may not join its group (needs Read on it: pitledger topics acls)",
            code=BAD_SETTINGS,
            group=group,
            user=shell.settings.connection.security.username,
        )
    shell.die("no place in the group", group=group, error=repr(error))


def _credentials(settings: Settings) -> Credentials | None:
    security = settings.connection.security
    if security.logs_in:
        return SASLCredentials(
            username=security.username,
            password=security.password,
            mechanism=security.mechanism,
            ssl_context=security.ssl_context(),
        )
    context = security.ssl_context()
    return SSLCredentials(context) if context else None
