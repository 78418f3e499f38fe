"""Before a processor begins: a broker that answers, topics as they must be.

Only brokers that are away are waited for, and `/healthz` says so meanwhile. Whatever else is wrong
stays so until somebody mends it.
"""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable
from typing import NoReturn

from pitledger.sources.connection import BrokersAway
from pitledger.sources.topics import require_topics
from services.runtime import http, logs
from services.runtime.settings import Settings
from services.runtime.shell import QUARANTINE_WRITER, Shell

_TELL_S = 3.0
"""How often it is said that brokers are waited for."""

_PAUSE_S = 0.5
"""Between two attempts: one may fail at once."""


def wait_for_topics(shell: Shell, listener: socket.socket) -> None:
    """Return when a processor may begin. Raises ConnectionFailed; BrokersAway after `connect_s`.

    From now on until Faust's worker does something else about them, SIGTERM and SIGINT end the
    process. (The handlers of a loop of uvloop outlive it, and do nothing any more.)
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: end_now())
    asyncio.run(_wait(shell, listener))


async def _wait(shell: Shell, listener: socket.socket) -> None:
    server = await http.serve(shell, listener)
    try:
        await asyncio.to_thread(_require, shell)
    finally:
        server.close()


def _require(shell: Shell) -> None:
    def waits(reason: str) -> None:
        shell.waits_for = reason

    writes = shell.settings.owner == QUARANTINE_WRITER
    require(shell.settings, waits, quarantine=writes)


def require(settings: Settings, waits: Callable[[str], None], *, quarantine: bool) -> None:
    """As `wait_for_topics`; `waits` is told the reason, "" at the end."""
    log = logs.get("start")
    deadline = time.monotonic() + settings.connect_s
    waits("waits for Kafka")
    while True:
        left_s = deadline - time.monotonic()
        try:
            unseen = require_topics(
                settings.connection,
                min(left_s, _TELL_S),
                quarantine=quarantine,
                settings=True,
            )
        except BrokersAway as away:
            if time.monotonic() >= deadline:
                raise
            waits(f"waits for Kafka: {away}")
            log.warning("waits for Kafka", reason=str(away), seconds_left=round(left_s))
            time.sleep(_PAUSE_S)
        else:
            for line in unseen:
                log.warning("not checked", reason=line)
            waits("")
            return


def end_now() -> NoReturn:
    """Without waiting for anything: nothing is half done whenever a process ends."""
    try:
        logs.get("main").info("stopped")
        logs.flush()
    finally:
        os._exit(0)  # also where a signal came in the middle of another line
