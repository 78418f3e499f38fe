"""The shell around the engine: batches in, sends out, commits, and when to give up.

It knows the clock, the producer and the metrics, and nothing of Faust; the consumer
(`consumer.py`) tells it of assignments and hands it whole batches. The offsets alone decide what
is folded: a record is the same whoever fetched it, and when.
"""

import asyncio
import os
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, assert_never

from pitledger.engine import Alarm, Effect, Emit, Engine, Hole, Quarantine, Refold
from services.runtime import logs
from services.runtime.commits import Commits
from services.runtime.history import History, Start
from services.runtime.metrics import Measures
from services.runtime.producer import Producer, Sent
from services.runtime.settings import Settings
from services.runtime.started import started
from services.runtime.status import Noted

CHUNK = 500
"""Records that are folded in one turn: no partition's backlog holds up another, nor the sends."""

TURN_S = 0.5
"""The same for records of which each takes long: a forged round may hold thousands of them."""

SILENT_S = 10.0
"""So long without an answer to a fetch, and nobody can say that we have caught up."""

LAST_WORDS_S = 5.0
"""So long at most a process that ends tries to say why."""

EXIT_CODE = 70
BAD_SETTINGS = 2
QUARANTINE_WRITER = "wagers"
EngineFactory = Callable[[str, int], Engine]
Seek = Callable[[int, int], Awaitable[None]]


@dataclass(slots=True)
class Standing:
    """What the shell knows of one partition since its assignment. Times are monotonic."""

    begun_at: float = field(default_factory=time.monotonic)
    flowing: bool = True
    """False from a revocation on: nothing more is folded, but it may still be committed."""
    live_at: float | None = None
    hole_at: float | None = None
    sent: dict[str, Sent] = field(default_factory=dict)
    copies: set[int] = field(default_factory=set)
    """Offsets whose copies quarantine has not acknowledged."""
    open_since: tuple[int, float] = (-1, 0.0)
    """The committable offset, and since when it has not moved."""
    waits_for: str = ""
    """The decision, whoever's, that is derived longest and not on the journal."""
    waits_since: float = 0.0
    told: bool = False
    """That it is long in coming."""


@dataclass(slots=True)
class _Folded:
    """A partition's part of a turn, and the hole that it ran into."""

    partition: int
    standing: Standing
    hole: Hole | None


class Shell:
    """One for a process."""

    def __init__(self, settings: Settings, make_engine: EngineFactory = Engine) -> None:
        self.settings = settings
        self.standings: dict[int, Standing] = {}
        self.assigned: frozenset[int] | None = None
        """The assignment; a new object for each, None before the first and while it changes."""
        self.counts: Counter[tuple[str, str]] = Counter()
        """Those of engines that were replaced."""
        self.measures = Measures()
        self.noted = Noted()
        self.seek: Seek = _no_seek
        self.highwater: Callable[[int], int | None] = lambda _partition: None
        self.polled_ms: Callable[[], Mapping[int, int]] = dict
        self.leader: Callable[[int], int | None] = lambda _partition: None
        self.group_error: Callable[[], BaseException | None] = lambda: None
        self.waits_for = ""
        """What the process cannot begin without, in one line; "" once it has begun."""
        self.found_wrong = ""
        """What was found out about brokers that do not answer."""
        self.turned_at = time.monotonic()
        self._make_engine = make_engine
        self.engine = self._new_engine()
        self._commits = Commits(settings)
        self._history = History(settings)
        self._producer = Producer(settings, self.die, self.measures.acknowledged)
        self._log = logs.get("shell")

    async def start(self) -> None:
        """Connect; before any partition is assigned, so that what is live can send."""
        try:
            # Side by side: at a broker that hangs, each waits as long as a request may take.
            await asyncio.gather(
                self._producer.start(), self._commits.start(), self._history.start()
            )
        except Exception as error:
            self.die("no connection to Kafka", error=repr(error))
        if isinstance(self.engine, Engine):  # a stand-in is nothing that the journal records
            self._producer.announce(started(self.settings))

    async def stop(self) -> None:
        await self._producer.stop()
        await self._commits.stop()
        await self._history.stop()

    # What the consumer tells of the group

    def revoke(self) -> None:
        """A rebalance begins. The engine stays until the next assignment, for the last commit."""
        self.assigned = None
        for standing in self.standings.values():
            standing.flowing = False

    def assign(self, partitions: Iterable[int]) -> None:
        """A rebalance ended: whatever was known is dropped, of partitions kept as well."""
        self.standings = {}
        self.counts += self.engine.counts
        self.engine = self._new_engine()
        self.assigned = frozenset(partitions)
        self.noted.assigned()
        self.measures.rebalances.inc()
        self.turn()  # the batch loop stood still for the rebalance, however long that took
        self._log.info("assigned", partitions=sorted(self.assigned))

    async def begin(self, committed: Mapping[int, int | None]) -> dict[int, int] | None:
        """Begin every partition; where to seek each, or None if the assignment changed."""
        assigned = self.assigned
        new = [partition for partition, commit in committed.items() if commit is None]
        starts = await self._history.starts(await self._commits.of_all(committed), new=new)
        for partition, start in starts.items():
            if assigned is None or self.assigned is not assigned:
                return None
            if partition in assigned:
                await self._begin(partition, start)
        return {partition: start.watermark for partition, start in starts.items()}

    def lag(self, partition: int) -> int:
        """Records that are on the journal and not folded; 0 while the end is unknown."""
        return max(0, (self.highwater(partition) or 0) - self.engine.next_offset(partition))

    def committable(self, partition: int) -> int | None:
        """The offset to commit; nothing whose copy for quarantine is still on its way."""
        standing = self.standings.get(partition)
        if standing is None:
            return None
        offset = self.engine.committable(partition)
        return min(offset, *standing.copies) if standing.copies else offset

    def is_ready(self) -> bool:
        """Whether every assigned partition is live, and its broker answers."""
        return self._all_live() and not self.silent_partitions()

    def silent_s(self) -> float:
        """Of the partition whose broker has been silent longest; 0 without partitions."""
        return max(self.silences().values(), default=0.0)

    def silences(self) -> dict[int, float]:
        """By partition, seconds since a broker answered a fetch of it, or since it was begun."""
        polled_ms = self.polled_ms()
        now, now_s = time.monotonic(), time.time()
        return {
            partition: max(0.0, now_s - polled_ms[partition] / 1000)
            if partition in polled_ms
            else now - self.standings[partition].begun_at
            for partition in self._flowing()
        }

    def silent_partitions(self) -> list[int]:
        """Those of which nobody can say whether they are caught up."""
        return sorted(each for each, silent_s in self.silences().items() if silent_s >= SILENT_S)

    # Batches

    async def handle(self, batches: Mapping[int, Sequence[Any]]) -> None:
        """Fold batches of aiokafka's records, by turns, and send what each turn makes due.

        What comes due is sent together: a request to the broker costs more than what is in it.
        """
        waiting = deque(
            (partition, self.standings.get(partition), records, 0)
            for partition, records in batches.items()
        )
        while waiting:
            folded: list[_Folded] = []
            effects: list[Effect] = []
            room, until = CHUNK, time.perf_counter() + TURN_S
            while waiting and room > 0:
                partition, standing, records, begin = waiting.popleft()
                if standing is None or self.standings.get(partition) is not standing:
                    continue  # begun anew meanwhile
                if not standing.flowing:
                    continue  # not sought yet: what is fetched now is fetched again
                chunk = records[begin : begin + room] if begin or len(records) > room else records
                hole, count = self._fold(partition, standing, chunk, effects, until)
                room = room - count if count == len(chunk) else 0
                folded.append(_Folded(partition, standing, hole))
                if hole is None and begin + count < len(records):
                    waiting.append((partition, standing, records, begin + count))
            await self._carry_out(effects)
            for each in folded:
                await self._after(each)
            await asyncio.sleep(0)
            self.turn()

    def turn(self) -> None:
        """The batch loop goes on; what the watchdog looks at."""
        self.turned_at = time.monotonic()

    async def tick(self) -> None:
        """Once a second: what is due again, and what is too old."""
        now = time.monotonic()
        for partition, standing in list(self.standings.items()):
            if not standing.flowing:
                continue
            if standing.hole_at is not None and now - standing.hole_at > self.settings.hole_s:
                self.die(
                    "a hole in the journal does not heal",
                    partition=partition,
                    offset=self.engine.next_offset(partition),
                )
            self._note_oldest(partition, standing, now)
            self._note_waiting(partition, standing, now)
            await self._send_again(partition, standing, now)

    def die(self, reason: str, *, code: int = EXIT_CODE, **fields: object) -> NoReturn:
        """End the process at once, without a commit: a start from the watermark mends it."""
        # A loop that is blocked in writing to the log holds its lock.
        ender = threading.Timer(LAST_WORDS_S, os._exit, (code,))
        ender.daemon = True
        ender.start()
        logs.get("shell").critical(reason, **fields)
        logs.flush()
        if code == BAD_SETTINGS:
            print(f"{self.settings.owner}: {reason}", file=sys.stderr, flush=True)
        os._exit(code)

    # Below

    async def _after(self, folded: "_Folded") -> None:
        """What a partition's turn leaves to do, unless it was assigned anew meanwhile."""
        partition, standing = folded.partition, folded.standing
        if self.standings.get(partition) is standing:
            self._note_live(partition, standing)
            if folded.hole is not None:
                await self._heal(partition, standing, folded.hole)

    def _all_live(self) -> bool:
        return self.assigned is not None and all(
            (standing := self.standings.get(partition)) is not None
            and standing.live_at is not None
            for partition in self.assigned
        )

    def _flowing(self) -> list[int]:
        return [partition for partition, each in self.standings.items() if each.flowing]

    def _new_engine(self) -> Engine:
        return self._make_engine(self.settings.owner, self.settings.connection.partitions)

    async def _begin(self, partition: int, start: Start) -> None:
        standing = self.standings[partition] = Standing()
        effects = self.engine.on_assigned(
            partition,
            watermark=start.watermark,
            end=start.end,
            memory=start.memory,
            memory_since=start.memory_since,
        )
        self._note_live(partition, standing)
        await self._carry_out(effects)

    def _fold(
        self,
        partition: int,
        standing: Standing,
        records: Sequence[Any],
        effects: list[Effect],
        until: float,
    ) -> tuple[Hole | None, int]:
        """The one loop over records; returns the hole that it ran into, and how many it took.

        Of the records, all are taken that fit in the time, and one at least.
        """
        began = now = time.perf_counter()
        on_record = self.engine.on_record
        count = 0
        for record in records:
            try:
                due = on_record(
                    partition,
                    record.offset,
                    record.timestamp,
                    record.key,
                    record.headers,
                    record.value,
                )
            except Hole as hole:
                return hole, count
            if due:
                effects += due
            count += 1
            now = time.perf_counter()
            if now > until:
                break
        if self.engine.next_offset(partition) > records[count - 1].offset:
            standing.hole_at = None
        self.measures.folded(count, now - began)
        return None, count

    async def _carry_out(self, effects: Sequence[Effect]) -> None:
        # All are noted before the first wait, in which the clock may look for what is not sent.
        for effect in effects:
            if isinstance(effect, Emit):
                self.standings[effect.partition].sent[effect.event_id] = Sent(effect)
        for effect in effects:
            match effect:
                case Emit():
                    standing = self.standings.get(effect.partition)
                    sent = standing.sent.get(effect.event_id) if standing else None
                    if sent is not None:
                        await self._producer.decision(sent)
                        self.turn()  # a broker that hangs may hold up each for some seconds
                case Quarantine():
                    await self._keep_copy(effect)
                case Alarm():
                    self.measures.alarm(effect.kind)
                    self.noted.alarm(effect)
                    self._log.warning(
                        "alarm",
                        kind=effect.kind,
                        detail=effect.detail,
                        table_id=effect.table_id,
                        round_id=effect.round_id,
                        event_id=effect.event_id,
                        partition=effect.partition,
                        offset=effect.offset,
                    )
                case Refold():
                    await self._refold(effect)
                case _:
                    assert_never(effect)

    async def _keep_copy(self, quarantine: Quarantine) -> None:
        """All processors see what is no fact; wagers alone keeps it, also before it is live."""
        standing = self.standings.get(quarantine.partition)
        if self.settings.owner != QUARANTINE_WRITER or standing is None:
            return
        copies = standing.copies
        copies.add(quarantine.offset)
        while not await self._producer.has_room():
            self.turn()  # quarantine may be away for long; nothing stands still for another reason
        self._producer.copy(quarantine, lambda: copies.discard(quarantine.offset))

    async def _heal(self, partition: int, standing: Standing, hole: Hole) -> None:
        self.measures.holes.inc()
        if standing.hole_at is None:
            standing.hole_at = time.monotonic()
            self._log.warning("hole", partition=partition, offset=hole.expected, got=hole.got)
        else:
            await asyncio.sleep(0.02)
        if self.standings.get(partition) is standing:
            await self.seek(partition, hole.expected)

    async def _refold(self, refold: Refold) -> None:
        """The broker's clock went back: the same partition, with an earlier memory."""
        partition, old = refold.partition, self.standings.get(refold.partition)
        if old is None:
            return  # a rebalance came between
        old.flowing = False
        watermark = self.committable(partition)
        assert watermark is not None
        self._log.warning("refold", partition=partition, offset=watermark, to=refold.before_ms)
        committed = {partition: {self.settings.group: watermark}}
        found = await self._history.starts(committed, refold.before_ms)
        if self.standings.get(partition) is old:
            await self._begin(partition, found[partition])
            await self.seek(partition, found[partition].watermark)

    def _note_live(self, partition: int, standing: Standing) -> None:
        if standing.live_at is not None or not self.engine.is_live(partition):
            return
        standing.live_at = time.monotonic()
        seconds = standing.live_at - standing.begun_at
        self.measures.catch_up.observe(seconds)
        self._log.debug("live", partition=partition, seconds=round(seconds, 3))
        if self._all_live():
            first = min(each.begun_at for each in self.standings.values())
            self._log.info(
                "ready",
                partitions=len(self.standings),
                seconds=round(standing.live_at - first, 3),
            )

    def _note_oldest(self, partition: int, standing: Standing, now: float) -> None:
        offset = self.engine.committable(partition)
        if offset != standing.open_since[0] or offset == self.engine.next_offset(partition):
            standing.open_since = (offset, now)

    def _note_waiting(self, partition: int, standing: Standing, now: float) -> None:
        """Alarm where a decision does not come: a processor is down, or derives other bytes."""
        table_id, waited = self.engine.oldest_unseen(partition) or ("", None)
        if waited is None or waited.event_id != standing.waits_for:
            standing.waits_for = waited.event_id if waited else ""
            standing.waits_since, standing.told = now, False
        elif now - standing.waits_since > self.settings.wait_s and not standing.told:
            standing.told = True
            self.measures.alarm("long_in_coming")
            self._log.warning(
                "a decision is long in coming",
                of=waited.owner,
                question=waited.question,
                event_id=waited.event_id,
                table_id=table_id,
                round_id=waited.round_id,
                partition=partition,
                offset=self.engine.committable(partition),
            )

    async def _send_again(self, partition: int, standing: Standing, now: float) -> None:
        """Send what failed or was not read back, and forget what was."""
        due: list[Sent] = []
        kept: dict[str, Sent] = {}
        past = self.engine.next_offset(partition)
        for emit in self.engine.outstanding(partition):
            sent = standing.sent.get(emit.event_id)
            if sent is not None and sent.offset is not None and 0 <= sent.offset < past:
                self.die(
                    "an own decision was read past without being seen",
                    partition=partition,
                    offset=sent.offset,
                    event_id=emit.event_id,
                    round_id=emit.round_id,
                    table_id=emit.table_id,
                )
            if sent is None or sent.failed or self._is_overdue(partition, sent, now):
                sent = Sent(emit)
                due.append(sent)
            kept[emit.event_id] = sent
        standing.sent = kept
        for sent in due:
            self.measures.resent.inc()
            await self._producer.decision(sent)

    def _is_overdue(self, partition: int, sent: Sent, now: float) -> bool:
        if sent.offset is None or now - sent.acked_at <= self.settings.resend_s:
            return False
        # What lies ahead is not lost: to write it again would put us further behind.
        return not 0 <= sent.offset < (self.highwater(partition) or 0)


async def _no_seek(_partition: int, _offset: int) -> None:
    raise AssertionError("no consumer yet")
