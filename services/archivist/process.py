"""The archivist's process: seals the journal as it grows, answers HTTP. It writes no record."""

import asyncio
import gc
import sys
import time
from threading import Event
from typing import NoReturn

from pitledger.archive.store import BadArchive, StoreError
from pitledger.sources.connection import BrokersAway, ConnectionFailed
from pitledger.sources.environment import SettingError
from services.archivist.archiving import Archiving
from services.archivist.metrics import Metrics
from services.archivist.same_journal import DoesNotContinue
from services.archivist.settings import ArchiveSettings
from services.runtime import http, logs, reader
from services.runtime.following import JournalUnreadable
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
        reader.prepare(settings.process, ARCHIVIST)
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
        self._waits_for = ""

    async def run(self) -> None:
        """Until SIGTERM or SIGINT. Raises what `run` tells in one line."""
        await reader.work_in_thread(
            self._settings.process, self._page, self._work, lambda: self._archiving.follows
        )

    def _work(self, stop: Event) -> None:
        reader.require_journal(self._settings.process, ARCHIVIST, self._wait_for)
        # What is loaded by now stays: the collector need not look at it again and again.
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000)
        self._archiving.run(stop)

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
