"""The cases' process: answers them as the journal grows, and HTTP."""

import asyncio
import gc
import sys
import time
from threading import Event

from pitledger.archive.store import BadArchive, StoreError
from pitledger.sources.connection import BrokersAway, ConnectionFailed
from pitledger.sources.environment import SettingError
from services.cases.answering import Answering, LacksBeginning
from services.cases.index import BadIndex
from services.cases.metrics import Metrics
from services.cases.settings import CasesSettings
from services.runtime import http, logs, reader
from services.runtime.following import JournalUnreadable
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
        reader.prepare(settings.process, CASES)
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
        self._waits_for = ""

    async def run(self) -> None:
        """Until SIGTERM or SIGINT. Raises what `run` tells in one line."""
        await reader.work_in_thread(
            self._settings.process, self._page, self._work, lambda: self._answering.follows
        )

    def _work(self, stop: Event) -> None:
        reader.require_journal(self._settings.process, CASES, self._wait_for)
        # What is loaded by now stays: the collector need not look at it again and again.
        gc.collect()
        gc.freeze()
        self._answering.run(stop)

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
