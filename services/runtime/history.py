"""Where reading starts: at the watermark, with the memory of what lies before it.

A consumer of its own, outside the group, so that looking back disturbs no fetch of the journal.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaTimeoutError, OffsetOutOfRangeError

from pitledger.engine import LOOK_BACK_MS
from pitledger.journal.record import Stored
from services.runtime import logs
from services.runtime.memory import read_memory
from services.runtime.settings import Settings

NEW_GROUP_MS = 24 * 60 * 60 * 1000
"""How far back a group begins that has no commit (any more); further, if another is behind it."""

LOOK_TIMEOUT_S = 45.0

REQUEST_MS = 3_000
"""A leader that does not answer for so long is looked up anew: it may be another by now."""


class LostJournal(Exception):
    """One line: a commit lies past the end of the journal, which was lost or made anew; or what
    lies before a commit is not there.
    """


@dataclass(frozen=True, slots=True)
class Start:
    """Of one partition; broker time in ms; `end` as ListOffsets has it."""

    first: int
    """Where the memory begins."""
    watermark: int
    memory_since: int | None
    """None: `first` is where the partition begins."""
    end: int
    memory: Sequence[Stored] = ()
    """The RoundOpened from `first` up to the watermark."""


class History:
    """Looks up starts; one for a process, used by one task at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._topic = settings.connection.topic
        self._lock = asyncio.Lock()
        self._consumer: AIOKafkaConsumer = None
        self._log = logs.get("history")

    async def start(self) -> None:
        self._consumer = AIOKafkaConsumer(
            client_id=f"pitledger.{self._settings.owner}.history",
            group_id=None,
            enable_auto_commit=False,
            auto_offset_reset="none",
            fetch_max_wait_ms=self._settings.fetch_wait_ms,
            max_partition_fetch_bytes=64 * 1024,
            request_timeout_ms=REQUEST_MS,
            **self._settings.connection.client_settings(),
        )
        await self._consumer.start()

    async def stop(self) -> None:
        if self._consumer is not None:
            await self._consumer.stop()

    async def starts(
        self,
        committed: Mapping[int, Mapping[str, int]],
        before_ms: int | None = None,
        new: Collection[int] = (),
    ) -> dict[int, Start]:
        """Starts by partition, each from the earliest of its commits by group.

        `before_ms`: the memory ends at this broker time, not at that of the record below the
        watermark. `new`: partitions of which the own group has no commit; they begin a day back
        at the latest. Raises LostJournal, CannotBeRead, KafkaError.
        """
        async with self._lock:
            deadline = time.monotonic() + LOOK_TIMEOUT_S
            while True:
                try:
                    starts = await self._bounds(committed, before_ms, new)
                    return await self._with_memory(starts)
                except OffsetOutOfRangeError as error:  # its beginning was trimmed meanwhile
                    if time.monotonic() > deadline:
                        raise LostJournal(f"{self._topic}: no memory: {error}") from None

    async def _bounds(
        self,
        committed: Mapping[int, Mapping[str, int]],
        before_ms: int | None,
        new: Collection[int],
    ) -> dict[int, Start]:
        tps = [TopicPartition(self._topic, partition) for partition in committed]
        begins = await self._ask(lambda: self._consumer.beginning_offsets(tps))
        ends = await self._ask(lambda: self._consumer.end_offsets(tps))
        ends = {tp: max(ends[tp], begins[tp]) for tp in tps}
        await self._require_within(ends, committed)
        watermarks = await self._watermarks(committed, new, begins, ends)
        behind = [tp for tp in tps if watermarks[tp] > begins[tp]]
        memory = await self._since(behind, watermarks, before_ms)
        return {
            tp.partition: self._start(begins[tp], watermarks[tp], ends[tp], memory.get(tp))
            for tp in tps
        }

    async def _require_within(
        self, ends: Mapping[TopicPartition, int], committed: Mapping[int, Mapping[str, int]]
    ) -> None:
        """Raises LostJournal for a commit past the end, whichever group's."""
        latest = {tp: max(committed[tp.partition].values(), default=0) for tp in ends}
        doubtful = {tp: end for tp, end in ends.items() if latest[tp] > end}
        # The embedded broker answers ListOffsets short by a batch; an answer to a fetch is right.
        for tp, end in (await self._highwaters(doubtful)).items():
            for group, offset in committed[tp.partition].items():
                if offset > end:
                    raise LostJournal(
                        f"{self._topic} partition {tp.partition}: ends at offset {end}, before "
                        f"the commit {offset} of {group}"
                    )

    async def _with_memory(self, starts: Mapping[int, Start]) -> dict[int, Start]:
        began = time.monotonic()
        spans = {n: (start.first, start.watermark) for n, start in starts.items()}
        memory = await read_memory(self._consumer._client, self._topic, spans)
        self._log.info(
            "memory",
            records=sum(end - first for first, end in spans.values()),
            openings=sum(map(len, memory.values())),
            seconds=round(time.monotonic() - began, 3),
        )
        return {n: replace(start, memory=memory[n]) for n, start in starts.items()}

    async def _watermarks(
        self,
        committed: Mapping[int, Mapping[str, int]],
        new: Collection[int],
        begins: Mapping[TopicPartition, int],
        ends: Mapping[TopicPartition, int],
    ) -> dict[TopicPartition, int]:
        since = int(time.time() * 1000) - NEW_GROUP_MS
        recent = [tp for tp in begins if tp.partition in new or not committed[tp.partition]]
        found = await self._offsets_at(dict.fromkeys(recent, since))
        day_back = {tp: found.get(tp, ends[tp]) for tp in recent}
        watermarks = {}
        for tp, begin in begins.items():
            known = set(committed[tp.partition].values())
            if tp in day_back:
                known.add(day_back[tp])
            watermarks[tp] = max(min(known), begin)
        return watermarks

    async def _since(
        self,
        tps: Iterable[TopicPartition],
        watermarks: Mapping[TopicPartition, int],
        before_ms: int | None,
    ) -> dict[TopicPartition, tuple[int, int]]:
        """Of each: the time from which its memory is read, and the first offset of that time."""
        if before_ms is None:
            records = await self._records_at({tp: watermarks[tp] - 1 for tp in tps})
            since = {tp: record.timestamp - LOOK_BACK_MS for tp, record in records.items()}
        else:
            since = dict.fromkeys(tps, before_ms - LOOK_BACK_MS)
        since = {tp: max(0, time_ms) for tp, time_ms in since.items()}
        found = await self._offsets_at(since)
        return {tp: (time_ms, found.get(tp, watermarks[tp])) for tp, time_ms in since.items()}

    async def _records_at(
        self, offsets: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, ConsumerRecord]:
        found = await self._fetched(offsets, lambda _, records: records[0] if records else None)
        for tp, offset in offsets.items():
            if tp not in found:
                raise LostJournal(
                    f"{self._topic} partition {tp.partition}: offset {offset}, the last below "
                    "the commit, cannot be read"
                )
        return found

    async def _highwaters(self, offsets: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """As the answers to fetches from these offsets say."""
        found = await self._fetched(offsets, lambda tp, _: self._consumer.highwater(tp))
        if missing := offsets.keys() - found.keys():
            raise KafkaTimeoutError(f"the end of {missing} cannot be read")
        return found

    async def _fetched(
        self,
        offsets: Mapping[TopicPartition, int],
        take: Callable[[TopicPartition, Sequence[ConsumerRecord]], Any],
    ) -> dict[TopicPartition, Any]:
        """What `take` makes of each partition's fetch, once that is not None; for some time."""
        found: dict[TopicPartition, Any] = {}
        if not offsets:
            return found
        consumer = self._consumer
        consumer.assign(list(offsets))
        for tp, offset in offsets.items():
            consumer.seek(tp, offset)
        deadline = time.monotonic() + LOOK_TIMEOUT_S
        try:
            while len(found) < len(offsets) and time.monotonic() < deadline:
                missing = [tp for tp in offsets if tp not in found]
                fetched = await consumer.getmany(*missing, timeout_ms=500)
                if not fetched:
                    self._look_up_leaders()
                taken = {tp: take(tp, fetched.get(tp, ())) for tp in missing}
                found |= {tp: value for tp, value in taken.items() if value is not None}
        finally:
            consumer.unsubscribe()
            # aiokafka's fetcher misses a stop that comes before it has let go of its fetches.
            while consumer._fetcher._pending_tasks:
                await asyncio.sleep(0.01)
        return found

    async def _offsets_at(self, times: dict[TopicPartition, int]) -> dict[TopicPartition, int]:
        if not times:
            return {}
        found = await self._ask(lambda: self._consumer.offsets_for_times(times))
        return {tp: answer.offset for tp, answer in found.items() if answer is not None}

    async def _ask(
        self, request: Callable[[], Awaitable[dict[TopicPartition, Any]]]
    ) -> dict[TopicPartition, Any]:
        """Again while a leader does not answer: one that hangs is replaced, and stays connected."""
        deadline = time.monotonic() + LOOK_TIMEOUT_S
        while True:
            try:
                return await request()
            except KafkaTimeoutError:
                if time.monotonic() > deadline:
                    raise
                self._look_up_leaders()

    def _look_up_leaders(self) -> None:
        self._consumer._client.force_metadata_update()

    def _start(self, begin: int, watermark: int, end: int, memory: tuple[int, int] | None) -> Start:
        if memory is None or memory[1] <= begin:
            return Start(begin, watermark, None, end)
        since, first = memory
        return Start(min(first, watermark), watermark, since, end)
