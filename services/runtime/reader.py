"""The life of a process that follows the journal in no group: set-up, HTTP, its thread, its end."""

import asyncio
import logging
import signal
import threading
from collections.abc import Callable

from pitledger.sources.environment import SettingError
from services.runtime import http, logs, start
from services.runtime.settings import Settings


def prepare(settings: Settings, owner: str) -> None:
    """Logs, and what settings have to say. Raises SettingError."""
    settings.connection.security.ssl_context()
    logs.configure(settings.log_format, settings.log_level, processor=owner)
    # It warns of every turn of kafka-python's own loop that took a tenth of a second.
    logging.getLogger("kafka.net.selector").setLevel(logging.ERROR)
    for line in settings.connection.warnings:
        logs.get("main").warning("settings", reason=line)


async def listen(settings: Settings, page: Callable[[bytes], http.Page]) -> asyncio.Server:
    """Raises SettingError where the port cannot be had."""
    try:
        return await http.listen(settings.http_host, settings.http_port, page)
    except OSError as problem:
        where = f"PITLEDGER_HTTP_PORT={settings.http_port}"
        raise SettingError(f"{where}: {problem.strerror or problem}") from None


def require_journal(
    settings: Settings, owner: str, wait_for: Callable[[str], None], **more: str
) -> None:
    """Wait for the journal, as it must be, and log the start. Raises ConnectionFailed."""
    start.require(settings, wait_for, quarantine=False)
    connection = settings.connection
    logs.get(owner).info(
        "starting",
        brokers=",".join(connection.bootstrap),
        topic=connection.topic,
        partitions=connection.partitions,
        **more,
    )


async def work_in_thread(
    settings: Settings,
    page: Callable[[bytes], http.Page],
    work: Callable[[threading.Event], None],
    has_begun: Callable[[], bool],
) -> None:
    """Until SIGTERM or SIGINT, or `work` ends: it is told to stop by its event.

    Before it has begun it is not waited for. Raises SettingError, and what `work` raises.
    """
    loop, stopped, stop = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    server = await listen(settings, page)
    working = asyncio.ensure_future(asyncio.to_thread(work, stop))
    stopping = asyncio.ensure_future(stopped.wait())
    try:
        await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
        if not working.done() and not has_begun():
            start.end_now()
        stop.set()
        await working
    finally:
        stopping.cancel()
        server.close()
