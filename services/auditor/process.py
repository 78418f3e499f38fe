"""The auditor's process: reads the journal, lets it be judged, answers HTTP. It writes nothing."""

import asyncio
import gc
import signal
import sys
import time
from collections.abc import Mapping
from typing import Any

from kafka.errors import KafkaError, OffsetOutOfRangeError

from pitledger.engine import LOOK_BACK_MS
from pitledger.journal.record import Stored
from pitledger.sources.connection import Connection, ConnectionFailed
from pitledger.sources.environment import SettingError
from pitledger.sources.follow import Begins, Follower, from_the_beginning
from pitledger.sources.topics import require_topics
from services.auditor.judge import Judge
from services.auditor.metrics import Metrics, Standing
from services.auditor.settings import DAY, AuditSettings
from services.runtime import http, logs
from services.runtime.settings import AUDITOR
from services.runtime.shell import BAD_SETTINGS, EXIT_CODE, SILENT_S

DAY_MS = 24 * 60 * 60 * 1000
LOOK_EVERY_S = 1.0
TURN_S = 60.0
"""So long without a turn of the loop, and the process is not alive."""
SLICE_S = 0.05
"""So long records are judged before HTTP has its turn."""
RETRY_S = 1.0


class JournalUnreadable(Exception):
    """One line: why it makes no sense to read on."""


def run() -> None:
    """Audit until told to stop.

    Exit 0: stopped by SIGTERM or SIGINT; 2: settings or broker, one line on stderr says what;
    70: the journal cannot be read on, or a fault of this process: to be started again.
    """
    try:
        settings = AuditSettings.from_environment()
        process = settings.process
        process.connection.security.ssl_context()
        logs.configure(process.log_format, process.log_level, processor=AUDITOR)
        require_topics(process.connection, process.connect_s, quarantine=False, settings=False)
        auditing = Auditing(settings)
    except (SettingError, ConnectionFailed) as problem:
        print(f"{AUDITOR}: {problem}", file=sys.stderr)
        sys.exit(BAD_SETTINGS)
    gc.collect()
    gc.freeze()
    try:
        asyncio.run(auditing.run())
    except OSError as problem:
        print(f"{AUDITOR}: {process.http_host}:{process.http_port}: {problem}", file=sys.stderr)
        sys.exit(BAD_SETTINGS)
    except Exception as problem:
        logs.get("main").error("ended", error=str(problem), exc_info=True)
        logs.flush()
        sys.exit(EXIT_CODE)
    logs.get("main").info("stopped")
    logs.flush()


class Auditing:
    """One reader and one judge. All but the reading runs in the event loop."""

    def __init__(self, settings: AuditSettings) -> None:
        self._settings = settings
        self._connection = settings.process.connection
        since = _now_ms() - DAY_MS if settings.begin == DAY else 0
        self._follower = _follower(self._connection, since)
        self.judge = Judge(self._connection.partitions, since)
        self._metrics = Metrics(self.judge.tally, self._standing)
        self._stop = asyncio.Event()
        self._turned_at = time.monotonic()
        self._problem = ""  # why the last poll failed
        self._log = logs.get("auditor")
        self._log.info(
            "starting",
            brokers=",".join(self._connection.bootstrap),
            topic=self._connection.topic,
            partitions=self._connection.partitions,
            begin=settings.begin,
        )

    async def run(self) -> None:
        """Until SIGTERM or SIGINT. Raises OSError (HTTP), JournalUnreadable."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        process = self._settings.process
        server = await http.listen(process.http_host, process.http_port, self._page)
        looked_at = time.monotonic()
        try:
            while not self._stop.is_set():
                await self._judge(await self._poll())
                self._turned_at = now = time.monotonic()
                if now - looked_at > LOOK_EVERY_S:
                    looked_at = now
                    self._look()
        finally:
            server.close()
            await asyncio.to_thread(self._follower.close)

    async def _poll(self) -> list[Stored]:
        """What is there now; a broker that is away is waited for."""
        try:
            records = await asyncio.to_thread(self._follower.poll)
        except OffsetOutOfRangeError as error:
            raise JournalUnreadable(f"the journal lost what lay ahead: {error}") from error
        except KafkaError as error:
            told = self._connection.explain(error)
            if told != self._problem:
                self._log.error("unreadable", error=told)
            self._problem = told
            await asyncio.sleep(RETRY_S)
            return []
        self._problem = ""
        return records

    async def _judge(self, records: list[Stored]) -> None:
        until = time.monotonic() + SLICE_S
        for stored in records:
            self.judge.take(stored)
            if time.monotonic() > until:
                await asyncio.sleep(0)
                until = time.monotonic() + SLICE_S

    def _look(self) -> None:
        hole = self._follower.hole()
        if hole is not None and hole[2] > self._settings.process.hole_s:
            raise JournalUnreadable(f"partition {hole[0]}: offset {hole[1]} is not to be had")
        if not self._follower.is_caught_up():
            return
        if not self.judge.caught_up:
            self.judge.caught_up = True
            self._log.info("ready", records=sum(self.judge.records.values()))
        self.judge.look(_now_ms(), self._follower.behind(), self._settings.wait_s)

    def _standing(self) -> Standing:
        judge = self.judge
        return Standing(
            records=judge.records,
            caught_up=judge.caught_up,
            silent_s=self._follower.silent_s(),
            lag_records=self._follower.lag() or 0,
            open_rounds=judge.open_rounds,
            oldest_unsettled_s=judge.oldest_unsettled_s(_now_ms()),
            held_tables=judge.held_tables,
            conservation_broken=judge.conservation_broken,
        )

    def _page(self, path: bytes) -> http.Page:
        match path:
            case b"/metrics":
                return 200, http.METRICS, self._metrics.text()
            case b"/healthz":
                reason = self._reason()
                return http.told(self._health(reason), not reason)
            case b"/livez":
                alive = time.monotonic() - self._turned_at < TURN_S
                return http.told({"alive": alive}, alive)
            case _:
                return 404, http.TEXT, b"/metrics, /healthz or /livez\n"

    def _health(self, reason: str) -> dict[str, object]:
        return {
            "processor": AUDITOR,
            "ready": not reason,
            "reason": reason,
            "silent_s": round(self._follower.silent_s(), 1),
            "lag": self._follower.lag(),
        }

    def _reason(self) -> str:
        """Why what is shown cannot be relied on, in one line; "" if it can."""
        if self._problem:
            return self._problem
        silent_s = self._follower.silent_s()
        if silent_s > SILENT_S:
            return f"a broker has not answered for {silent_s:.0f} s"
        hole = self._follower.hole()
        if hole is not None:
            return f"partition {hole[0]}: waits for offset {hole[1]}, since {hole[2]:.0f} s"
        if not self.judge.caught_up:
            lag = self._follower.lag()
            return f"catching up: {'unknown' if lag is None else lag} records behind"
        return ""


def _follower(connection: Connection, since: int) -> Follower:
    """Raises ConnectionFailed."""
    # The embedded broker looks nothing up by time, and keeps no yesterday.
    by_time = since and connection.broker != "embedded"
    try:
        return Follower(connection, _before(since) if by_time else from_the_beginning)
    except KafkaError as error:
        raise ConnectionFailed(connection.explain(error)) from None


def _before(since: int) -> Begins:
    """Offsets of a quarter of an hour before a broker time (ms): what round numbers need."""

    def begins(consumer: Any, tps: list[Any]) -> Mapping[Any, int]:
        found = consumer.offsets_for_times(dict.fromkeys(tps, since - LOOK_BACK_MS))
        ends = consumer.end_offsets(tps)
        return {tp: ends[tp] if at is None else at.offset for tp, at in found.items()}

    return begins


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
