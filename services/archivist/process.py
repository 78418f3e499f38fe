"""The archivist's process: seals the journal as it grows, answers HTTP. It writes no record."""

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
import time
from typing import NoReturn

from pitledger.archive.log import BadArchive
from pitledger.archive.store import StoreError
from pitledger.sources.connection import BrokersAway, ConnectionFailed
from pitledger.sources.environment import SettingError
from services.archivist.archiving import Archiving, JournalUnreadable
from services.archivist.continued import DoesNotContinue
from services.archivist.metrics import Metrics
from services.archivist.settings import ArchiveSettings
from services.runtime import http, logs, start
from services.runtime.settings import ARCHIVIST
from services.runtime.shell import BAD_SETTINGS, EXIT_CODE

TURN_S = 300.0
"""So long without a turn, and the process is not alive; a turn may seal thousands of leaves."""
NAMED_MAX = 20
"""Rounds that `/healthz` names."""


def run() -> None:
    """Archive until told to stop.

    Exit 0: stopped by SIGTERM or SIGINT; 2: settings, login, topics, archive, or a journal that is
    not the archive's, one line on stderr says what; 70: to be started again: brokers that were away
    too long at the start, a store that fails, a journal that cannot be read on, or a fault of this
    process.
    """
    try:
        settings = ArchiveSettings.from_environment()
        process = settings.process
        process.connection.security.ssl_context()
        logs.configure(process.log_format, process.log_level, processor=ARCHIVIST)
        # It warns of every turn of kafka-python's own loop that took a tenth of a second.
        logging.getLogger("kafka.net.selector").setLevel(logging.ERROR)
        for line in process.connection.warnings:
            logs.get("main").warning("settings", reason=line)
        asyncio.run(Process(settings).run())
    except (SettingError, ConnectionFailed, BadArchive, DoesNotContinue) as problem:
        _end(problem, EXIT_CODE if isinstance(problem, BrokersAway) else BAD_SETTINGS)
    except (StoreError, JournalUnreadable) as problem:
        _end(problem, EXIT_CODE)
    except Exception as problem:
        logs.get("main").error("ended", error=str(problem), exc_info=True)
        logs.flush()
        sys.exit(EXIT_CODE)
    logs.get("main").info("stopped")
    logs.flush()


class Process:
    """The archiving in a thread, and what is told of it in the event loop."""

    def __init__(self, settings: ArchiveSettings) -> None:
        self._settings = settings
        self._archiving = Archiving(settings)
        self._metrics = Metrics(self._archiving.standing)
        self._stop = threading.Event()
        self._waits_for = ""

    async def run(self) -> None:
        """Until SIGTERM or SIGINT. Raises what `run` tells in one line."""
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stopped.set)
        process = self._settings.process
        try:
            server = await http.listen(process.http_host, process.http_port, self._page)
        except OSError as problem:
            where = f"PITLEDGER_HTTP_PORT={process.http_port}"
            raise SettingError(f"{where}: {problem.strerror or problem}") from None
        working = asyncio.ensure_future(asyncio.to_thread(self._work))
        stopping = asyncio.ensure_future(stopped.wait())
        try:
            await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
            if not working.done() and not self._archiving.follows:
                _end_now()
            self._stop.set()
            await working
        finally:
            stopping.cancel()
            server.close()

    def _work(self) -> None:
        start.require(self._settings.process, self._wait_for, quarantine=False, checked=False)
        connection = self._settings.process.connection
        logs.get("archivist").info(
            "starting",
            brokers=",".join(connection.bootstrap),
            topic=connection.topic,
            partitions=connection.partitions,
        )
        # What is loaded by now stays: the collector need not look at it again and again.
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000)
        self._archiving.run(self._stop)

    def _wait_for(self, reason: str) -> None:
        self._waits_for = reason

    # ---- HTTP ----

    def _page(self, path: bytes) -> http.Page:
        archiving = self._archiving
        match path:
            case b"/metrics":
                return 200, http.METRICS, self._metrics.text()
            case b"/healthz":
                return self._health()
            case b"/livez":
                turned_s = time.monotonic() - archiving.turned_at
                alive = not archiving.follows or turned_s < TURN_S
                return http.told({"alive": alive}, alive)
            case _:
                return 404, http.TEXT, b"/metrics, /healthz or /livez\n"

    def _health(self) -> http.Page:
        archiving = self._archiving
        reason, standing = self._waits_for or archiving.reason(), archiving.standing()
        named = archiving.named()
        state = {
            "processor": ARCHIVIST,
            "ready": not reason,
            "reason": reason,
            "lag": archiving.lag(),
            "unsealed_s": round(standing.unsealed_s, 1),
            "entries": standing.size,
            "waiting_rounds": len(named),
            "waiting": named[:NAMED_MAX],
        }
        return http.told(state, not reason)


def _end(problem: Exception, code: int) -> NoReturn:
    logs.flush()
    print(f"{ARCHIVIST}: {problem}", file=sys.stderr)
    sys.exit(code)


def _end_now() -> NoReturn:
    """Without waiting for the thread that begins: an archive is whole whenever its writer ends."""
    logs.get("main").info("stopped")
    logs.flush()
    os._exit(0)
