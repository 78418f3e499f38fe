"""The cases' process: answers them as the journal grows, and HTTP."""

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
from services.cases.answering import Answering, JournalUnreadable, LacksBeginning
from services.cases.index import BadIndex
from services.cases.metrics import Metrics
from services.cases.settings import CasesSettings
from services.runtime import http, logs, start
from services.runtime.settings import CASES
from services.runtime.shell import BAD_SETTINGS, EXIT_CODE

TURN_S = 300.0
"""So long without a turn, and the process is not alive."""


def run() -> None:
    """Answer cases until told to stop.

    Exit 0: stopped by SIGTERM or SIGINT; 2: settings, login, topics, index, archive, or a journal
    whose beginning nobody has, one line on stderr says what; 70: to be started again: brokers that
    were away too long at the start, a journal that cannot be read on, or a fault of this process.
    """
    try:
        settings = CasesSettings.from_environment()
        process = settings.process
        process.connection.security.ssl_context()
        logs.configure(process.log_format, process.log_level, processor=CASES)
        # It warns of every turn of kafka-python's own loop that took a tenth of a second.
        logging.getLogger("kafka.net.selector").setLevel(logging.ERROR)
        for line in process.connection.warnings:
            logs.get("main").warning("settings", reason=line)
        asyncio.run(Process(settings).run())
    except (
        SettingError, ConnectionFailed, BadIndex, BadArchive, StoreError, LacksBeginning,
        JournalUnreadable,
    ) as problem:  # fmt: skip
        print(f"{CASES}: {problem}", file=sys.stderr)
        logs.flush()
        again = isinstance(problem, BrokersAway | JournalUnreadable)
        sys.exit(EXIT_CODE if again else BAD_SETTINGS)
    except Exception as problem:
        logs.get("main").error("ended", error=str(problem), exc_info=True)
        logs.flush()
        sys.exit(EXIT_CODE)
    logs.get("main").info("stopped")
    logs.flush()


class Process:
    """The answering in a thread, and what is told of it in the event loop."""

    def __init__(self, settings: CasesSettings) -> None:
        self._settings = settings
        self._answering = Answering(settings)
        self._metrics = Metrics(self._answering.standing)
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
            if not working.done() and not self._answering.follows:
                _end_now()
            self._stop.set()
            await working
        finally:
            stopping.cancel()
            server.close()

    def _work(self) -> None:
        start.require(self._settings.process, self._wait_for, quarantine=False, checked=False)
        connection = self._settings.process.connection
        logs.get("cases").info(
            "starting",
            brokers=",".join(connection.bootstrap),
            topic=connection.topic,
            partitions=connection.partitions,
        )
        # What is loaded by now stays: the collector need not look at it again and again.
        gc.collect()
        gc.freeze()
        self._answering.run(self._stop)

    def _wait_for(self, reason: str) -> None:
        self._waits_for = reason

    # ---- HTTP ----

    def _page(self, path: bytes) -> http.Page:
        answering = self._answering
        match path:
            case b"/metrics":
                return 200, http.METRICS, self._metrics.text()
            case b"/healthz":
                reason, standing = self._waits_for or answering.reason(), answering.standing()
                state = {
                    "processor": CASES,
                    "ready": not reason,
                    "reason": reason,
                    "lag": standing.lag_records,
                    "cases": sum(standing.states.values()),
                    "unanswered": standing.unanswered,
                }
                return http.told(state, not reason)
            case b"/livez":
                turned_s = time.monotonic() - answering.turned_at
                alive = not answering.follows or turned_s < TURN_S
                return http.told({"alive": alive}, alive)
            case _:
                return 404, http.TEXT, b"/metrics, /healthz or /livez\n"


def _end_now() -> NoReturn:
    """Without waiting for the thread that begins: nothing was written."""
    logs.get("main").info("stopped")
    logs.flush()
    os._exit(0)
