"""The auditor's process: reads the journal, lets it be judged, answers HTTP. It writes nothing."""

import asyncio
import gc
import signal
import sys
import time
from collections.abc import Mapping
from typing import Any

from kafka.errors import KafkaError, LogTruncationError, OffsetOutOfRangeError

from pitledger.engine import LOOK_BACK_MS
from pitledger.journal.record import Stored
from pitledger.sources.connection import BrokersAway, Connection, ConnectionFailed
from pitledger.sources.environment import SettingError
from pitledger.sources.follow import Begins, Follower, from_the_beginning
from services.auditor.judge import Judge
from services.auditor.metrics import Metrics, Standing
from services.auditor.settings import DAY, AuditSettings
from services.runtime import following, http, logs, reader, start
from services.runtime.following import JournalUnreadable
from services.runtime.same_topic import SameTopic
from services.runtime.settings import AUDITOR
from services.runtime.shell import BAD_SETTINGS, EXIT_CODE, SILENT_S
from services.runtime.silence import TELL_S

DAY_MS = 24 * 60 * 60 * 1000
LOOK_EVERY_S = 1.0
TOPIC_EVERY_S = 5.0
"""So often it is asked whether the topic is still the one that it was."""
TURN_S = 60.0
"""So long without a turn of the loop, and the process is not alive."""
SLICE_S = 0.05
"""So long records are judged before HTTP has its turn."""


def run() -> None:
    """Audit until told to stop.

    Exit 0: stopped by SIGTERM or SIGINT; 2: settings, login or topics, one line on stderr says
    what; 70: to be started again: brokers that were away too long at the start, a journal that
    cannot be read on, or a fault of this process.
    """
    try:
        settings = AuditSettings.from_environment()
        reader.prepare(settings.process, AUDITOR)
        asyncio.run(Auditing(settings).run())
    except (SettingError, ConnectionFailed) as problem:
        print(f"{AUDITOR}: {problem}", file=sys.stderr)
        sys.exit(EXIT_CODE if isinstance(problem, BrokersAway) else BAD_SETTINGS)
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
        self._since = _now_ms() - DAY_MS if settings.begin == DAY else 0
        self._follower: Follower | None = None  # until the journal was found
        self._topic: SameTopic | None = None
        self._judge = Judge(self._connection.partitions, self._since)
        self._metrics = Metrics(self._judge.tally, self._standing)
        self._stop = asyncio.Event()
        self._turned_at = time.monotonic()
        self._waits_for = ""
        self._told_at: float | None = None  # that no broker answers; None: one does
        self._log = logs.get("auditor")

    async def run(self) -> None:
        """Until SIGTERM or SIGINT. Raises SettingError (HTTP), ConnectionFailed (the start's),
        JournalUnreadable.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        server = await reader.listen(self._settings.process, self._page)
        try:
            await self._follow(await self._begin())
        finally:
            server.close()

    # ---- Reading ----

    async def _begin(self) -> Follower:
        """The reader, once there is a journal. Told to stop before, the process ends."""
        connecting = asyncio.ensure_future(asyncio.to_thread(self._connect))
        stopping = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait((connecting, stopping), return_when=asyncio.FIRST_COMPLETED)
        if not connecting.done():
            start.end_now()
        stopping.cancel()
        return await connecting

    def _connect(self) -> Follower:
        """In a thread. Raises ConnectionFailed."""
        reader.require_journal(
            self._settings.process, AUDITOR, self._wait_for, begin=self._settings.begin
        )
        beginning = _Beginning()
        self._topic = SameTopic(self._connection)
        follower = _follower(self._connection, self._since, beginning)
        if beginning.deleted_until_ms:
            # Of a round that opened before, the journal has only the end.
            self._judge.begin_at(beginning.deleted_until_ms + LOOK_BACK_MS)
        return follower

    def _wait_for(self, reason: str) -> None:
        self._waits_for = reason

    async def _follow(self, follower: Follower) -> None:
        self._follower = follower
        # What is loaded by now stays: the collector need not look at it again and again.
        gc.collect()
        gc.freeze()
        looked_at = asked_at = time.monotonic()
        assert self._topic is not None
        try:
            while not self._stop.is_set():
                await self._take(await self._poll(follower))
                self._turned_at = now = time.monotonic()
                if now - looked_at > LOOK_EVERY_S:
                    looked_at = now
                    self._look(follower)
                    self._tell_of_silence(follower, now)
                if now - asked_at > TOPIC_EVERY_S:
                    asked_at = now
                    await asyncio.to_thread(self._topic.is_known)
        finally:
            await asyncio.to_thread(follower.close)

    async def _poll(self, follower: Follower) -> list[Stored]:
        """What is there now; a broker that is away is waited for."""
        try:
            records = await asyncio.to_thread(follower.poll)
        except (OffsetOutOfRangeError, LogTruncationError) as error:
            raise JournalUnreadable(f"the journal lost what lay ahead: {error}") from error
        except KafkaError as error:
            told = self._connection.explain(error)
            if told != self._waits_for:
                self._log.error("unreadable", error=told)
            self._waits_for = told
            await asyncio.sleep(following.RETRY_S)
            return []
        self._waits_for = ""
        return records

    async def _take(self, records: list[Stored]) -> None:
        until = time.monotonic() + SLICE_S
        for stored in records:
            self._judge.take(stored)
            if time.monotonic() > until:
                await asyncio.sleep(0)
                until = time.monotonic() + SLICE_S

    def _look(self, follower: Follower) -> None:
        following.require_no_hole(follower, self._settings.process.hole_s)
        if not follower.is_caught_up():
            return
        if not self._judge.caught_up:
            self._judge.caught_up = True
            self._log.info("ready", records=sum(self._judge.records.values()))
        self._judge.look(_now_ms(), follower.behind(), self._settings.wait_s)

    def _tell_of_silence(self, follower: Follower, now: float) -> None:
        if follower.silent_s() <= SILENT_S:
            if self._told_at is not None:
                self._log.info("Kafka answers again")
            self._told_at = None
        elif self._told_at is None or now - self._told_at >= TELL_S:
            self._told_at = now
            self._log.warning("no answer from Kafka", reason=self._reason())

    # ---- HTTP ----

    def _page(self, path: bytes) -> http.Page:
        match path:
            case b"/metrics":
                return 200, http.METRICS, self._metrics.text()
            case b"/healthz":
                reason = self._reason()
                return http.told(self._health(reason), not reason)
            case b"/livez":
                follows = self._follower is not None
                alive = not follows or time.monotonic() - self._turned_at < TURN_S
                return http.told({"alive": alive}, alive)
            case _:
                return 404, http.TEXT, b"/metrics, /healthz or /livez\n"

    def _standing(self) -> Standing:
        judge, follower = self._judge, self._follower
        return Standing(
            records=judge.records,
            caught_up=judge.caught_up,
            silent_s=follower.silent_s() if follower else 0.0,
            lag_records=(follower.lag() or 0) if follower else 0,
            open_rounds=judge.open_rounds,
            oldest_unsettled_s=judge.oldest_unsettled_s(_now_ms()),
            held_tables=judge.held_tables,
            conservation_broken=judge.conservation_broken,
            rounds_lacking=judge.rounds_lacking,
        )

    def _health(self, reason: str) -> dict[str, object]:
        follower = self._follower
        return {
            "processor": AUDITOR,
            "ready": not reason,
            "reason": reason,
            "silent_s": round(follower.silent_s(), 1) if follower else None,
            "lag": follower.lag() if follower else None,
        }

    def _reason(self) -> str:
        """Why what is shown cannot be relied on, in one line; "" if it can."""
        follower = self._follower
        if self._waits_for or follower is None:
            return self._waits_for or "begins"
        return following.reason(follower, self._judge.caught_up)


def _follower(
    connection: Connection, since: int, beginning: Begins = from_the_beginning
) -> Follower:
    """Raises ConnectionFailed; BrokersAway where another attempt may succeed."""
    # The embedded broker looks nothing up by time, and keeps no yesterday.
    by_time = since and connection.broker != "embedded"
    return following.follow(connection, _before(since) if by_time else beginning)


class _Beginning:
    """Begins with what is there. `deleted_until_ms`: broker time up to which a partition's records
    were deleted (pitledger topics trim); 0: none were."""

    def __init__(self) -> None:
        self.deleted_until_ms = 0

    def __call__(self, consumer: Any, tps: list[Any]) -> Mapping[Any, int]:
        begins = from_the_beginning(consumer, tps)
        trimmed = [tp for tp in tps if begins[tp] > 0]
        firsts = consumer.offsets_for_times(dict.fromkeys(trimmed, 0)) if trimmed else {}
        found = [first.timestamp for first in firsts.values() if first is not None]
        self.deleted_until_ms = max(found, default=0)
        return begins


def _before(since: int) -> Begins:
    """Offsets of a quarter of an hour before a broker time (ms): what round numbers need."""

    def begins(consumer: Any, tps: list[Any]) -> Mapping[Any, int]:
        found = consumer.offsets_for_times(dict.fromkeys(tps, since - LOOK_BACK_MS))
        ends = consumer.end_offsets(tps)
        return {tp: ends[tp] if at is None else at.offset for tp, at in found.items()}

    return begins


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
