"""Faust's consumer, with whole batches for the engine instead of one event at a time for streams.

Faust keeps what it is good at: group, rebalances, lifecycle, commits. Nothing is tracked or
acked; what may be committed is what the engine says. Each override below uses internals of the
pinned faust-streaming, and has a contract test in `tests/broker`.
"""

import asyncio
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, cast

import aiokafka
from aiokafka.errors import KafkaError, NoOffsetForPartitionError, OffsetOutOfRangeError
from faust.transport.drivers import aiokafka as driver
from faust.types import TP
from faust.types.transports import TPorTopicSet

from services.runtime import logs
from services.runtime.fencing import is_replaced
from services.runtime.pace import space_fetches
from services.runtime.passing import PASSING_S, may_pass
from services.runtime.sessions import use_sessions
from services.runtime.shell import BAD_SETTINGS, Shell


class JournalConsumerThread(driver.AIOKafkaConsumerThread):
    """aiokafka's consumer, in the thread that Faust gives it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._member_ids: deque[str] = deque(maxlen=10)

    def _create_worker_consumer(self, transport: driver.Transport) -> aiokafka.AIOKafkaConsumer:
        consumer = super()._create_worker_consumer(transport)
        settings = _shell(self.app).settings
        # Faust hard-codes 1500 ms, and a fetch that waits holds up the one after a seek.
        consumer._fetch_max_wait_ms = settings.fetch_wait_ms
        return consumer

    async def on_start(self) -> None:
        await super().on_start()
        assert self._consumer is not None
        use_sessions(self._consumer)
        space_fetches(self._consumer, _shell(self.app).settings.gather_ms)

    async def seek_to_committed(self) -> Mapping[TP, int]:
        """The group's commits, without a seek: the shell says where each partition begins."""
        committed = await self.call_thread(self._committed)
        return cast(Mapping[TP, int], committed)

    async def crash(self, reason: BaseException) -> None:
        await self.die_if_replaced()
        _shell(self.app).die("the consumer's thread failed", error=repr(reason))

    def note_member(self) -> None:
        """Called with each assignment: the group knows us by this id."""
        if self._consumer is not None:
            self._member_ids.append(self._consumer._coordinator.member_id)

    async def die_if_replaced(self) -> None:
        """Called where we have lost our place in the group, before it is asked for again."""
        shell, consumer = _shell(self.app), self._consumer
        if not shell.settings.instance or consumer is None or consumer._coordinator.member_id:
            return
        if await asyncio.to_thread(is_replaced, shell.settings, tuple(self._member_ids)):
            shell.die(
                "another process has the same PITLEDGER_INSTANCE and has taken over: each needs "
                "its own",
                code=BAD_SETTINGS,
                instance=shell.settings.instance,
                group=shell.settings.group,
            )

    async def _committed(self) -> Mapping[Any, int | None]:
        consumer = self._ensure_consumer()
        tps = list(consumer.assignment())
        known = await consumer._coordinator.fetch_committed_offsets(tps)
        offsets = {tp: known[tp].offset for tp in tps if tp in known}
        return {tp: offset if (offset := offsets.get(tp, -1)) >= 0 else None for tp in tps}


class JournalConsumer(driver.Consumer):
    """Hands batches to the shell, and asks it what to commit."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._has_joined = False
        self._refused_since: float | None = None
        self.shell = _shell(self.app)
        self.shell.seek = self._seek_one
        self.shell.highwater = self._highwater
        self.shell.polled_ms = self._polled_ms
        self.shell.leader = self._leader
        self.shell.group_error = self._group_error

    def _new_consumer_thread(self) -> JournalConsumerThread:
        return JournalConsumerThread(self, loop=self.loop, beacon=self.beacon)

    # Batches

    async def _drain_messages(self, fetcher: Any) -> None:
        """The coroutine that Faust's fetcher runs, until consumer or fetcher is stopped."""
        shell = self.shell
        try:
            while not (self._stopped.is_set() or fetcher._stopped.is_set()):
                records = await self._next_records()
                if self._stopped.is_set() or fetcher._stopped.is_set():
                    return
                if records:
                    await shell.handle({tp.partition: batch for tp, batch in records.items()})
                shell.turn()
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            raise
        except self.consumer_stopped_errors as error:
            if not self.app.should_stop:
                shell.die("the consumer was stopped", error=repr(error))
        except Exception as error:
            shell.die("the batch loop failed", error=repr(error), exc_info=True)

    async def _next_records(self) -> Mapping[TP, Any]:
        try:
            records, _ = await self._wait_next_records(1.0)
        except NoOffsetForPartitionError:
            return {}  # before `perform_seek`, which knows where to begin without a commit
        except OffsetOutOfRangeError as error:
            self._die_where_read(error.args[0])
            return {}
        except KafkaError as error:
            if not may_pass(error):
                raise
            return {}  # `_group_error` finds it, too
        return records or {}

    def _die_where_read(self, offsets: Mapping[TP, int]) -> None:
        """Fetched from an offset that is not there. Only a commit may lie so, before the seek."""
        shell = self.shell
        for tp, offset in offsets.items():
            standing = shell.standings.get(tp.partition)
            if standing and standing.flowing and shell.engine.next_offset(tp.partition) == offset:
                shell.die(
                    "the journal lost its end: what was read last is not there any more",
                    partition=tp.partition,
                    offset=offset,
                )

    # The group

    async def on_partitions_revoked(self, revoked: set[TP]) -> None:
        self.shell.revoke()
        if self._has_joined:
            await cast(JournalConsumerThread, self._thread).die_if_replaced()
        await super().on_partitions_revoked(revoked)

    async def on_partitions_assigned(self, assigned: set[TP], generation_id: int = 0) -> None:
        # State changes before the first await: Faust wakes its recovery, which seeks and lets
        # the records flow, before it tells anybody of the assignment.
        self._has_joined = True
        self._refused_since = None
        cast(JournalConsumerThread, self._thread).note_member()
        self.shell.assign(tp.partition for tp in assigned)
        await super().on_partitions_assigned(assigned, generation_id)

    async def perform_seek(self) -> None:
        """Begin all partitions, with their memories, and seek each to its watermark."""
        committed = await self.seek_to_committed()
        starts = await self.shell.begin({tp.partition: commit for tp, commit in committed.items()})
        if starts is None:
            return
        for tp, commit in committed.items():
            self._committed_offset[TP(tp.topic, tp.partition)] = commit
        await self.seek_wait({tp: starts[tp.partition] for tp in committed})

    async def _seek_one(self, partition: int, offset: int) -> None:
        await self.seek_wait({self._journal(partition): offset})

    # Commits

    def _filter_tps_with_pending_acks(self, topics: TPorTopicSet | None = None) -> Iterator[TP]:
        for partition in self.shell.standings:
            tp = self._journal(partition)
            if topics is None or tp in topics or tp.topic in topics:
                yield tp

    def _new_offset(self, tp: TP) -> int | None:
        return self.shell.committable(tp.partition)

    # Faust's own judgement of progress goes by its streams, which see nothing.

    def verify_event_path(self, now: float, tp: TP) -> None:
        pass

    async def crash(self, reason: BaseException) -> None:
        self.shell.die("the consumer failed", error=repr(reason))

    def _highwater(self, partition: int) -> int | None:
        tp = self._journal(partition)
        consumer = self._thread._consumer
        return consumer.highwater(tp) if consumer and tp in consumer.assignment() else None

    def _polled_ms(self) -> dict[int, int]:
        """When a broker last answered a fetch of each partition; now, where it waits for us to take
        its answer. What it has not answered yet is left out.

        aiokafka asks a broker for nothing more while records of any of its partitions lie here.
        """
        consumer = self._thread._consumer
        subscription = None if consumer is None else consumer._subscription.subscription
        assignment = None if subscription is None else subscription.assignment
        if consumer is None or assignment is None:
            return {}
        leader_of = consumer._client.cluster.leader_for_partition
        waiting = {leader_of(tp) for tp in list(consumer._fetcher._records)}
        now_ms = int(time.time() * 1000)
        polled_ms = {}
        for tp in assignment.tps:
            at = now_ms if leader_of(tp) in waiting else assignment.state_value(tp).timestamp
            if at is not None:
                polled_ms[tp.partition] = at
        return polled_ms

    def _group_error(self) -> BaseException | None:
        """What aiokafka tells whoever polls it, and waits until that is done: nobody does here.

        What may pass is said, and taken from it, so that it joins again; for some time.
        """
        coordinator = getattr(self._thread._consumer, "_coordinator", None)
        error: BaseException | None = getattr(coordinator, "_pending_exception", None)
        if error is None or not may_pass(error):
            return error
        now = time.monotonic()
        self._refused_since = self._refused_since or now
        if now - self._refused_since > PASSING_S:
            return error
        logs.get("consumer").warning(
            "the group's coordinator refuses, which may pass: tried again",
            group=self.shell.settings.group,
            error=str(error.args[0]),
        )
        self._thread.thread_loop.call_soon_threadsafe(_take_error, coordinator)
        return None

    def _leader(self, partition: int) -> int | None:
        """The broker that leads the partition, as far as is known."""
        consumer = self._thread._consumer
        if consumer is None:
            return None
        leader = consumer._client.cluster.leader_for_partition(self._journal(partition))
        return leader if leader is not None and leader >= 0 else None

    def _journal(self, partition: int) -> TP:
        topic = self.shell.settings.connection.topic
        return self._new_topicpartition(topic, partition)


def _take_error(coordinator: Any) -> None:
    """In the consumer's thread."""
    with suppress(KafkaError):
        coordinator.check_errors()


class JournalTransport(driver.Transport):
    Consumer = JournalConsumer


def _shell(app: Any) -> Shell:
    shell: Shell = app.shell
    return shell
