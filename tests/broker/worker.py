"""A processor's process on the stand-in engine: `python -m tests.broker.worker OWNER [FAULT ...]`.

Faults are injected at the seams between Faust, the shell and the producer.
"""

import asyncio
import sys
import time

from aiokafka.consumer.fetcher import Fetcher
from aiokafka.consumer.group_coordinator import CoordinatorGroupRebalance, GroupCoordinator
from aiokafka.errors import KafkaError, ProducerFenced, UnknownError
from faust.tables.recovery import Recovery

from services.runtime import app, history, main, producer, start
from services.runtime.metrics import Measures
from services.runtime.shell import Shell
from tests.broker.echo import EchoEngine


def hole() -> None:
    """Every fifth batch begins one record late, as if the broker had shown the next one first."""
    handle, count = Shell.handle, 0

    async def holed(self, batches):
        nonlocal count
        count += 1
        if count % 5 == 0:
            batches = {p: b[1:] for p, b in batches.items() if len(b) > 1}
        await handle(self, batches)

    Shell.handle = holed


def gap() -> None:
    """Offset 20 is never shown."""
    handle = Shell.handle

    async def gapped(self, batches):
        batches = {p: [r for r in b if r.offset != 20] for p, b in batches.items()}
        await handle(self, {p: b for p, b in batches.items() if b})

    Shell.handle = gapped


def stale() -> None:
    """Each batch comes again, three batches later, also where the next assignment began."""
    handle, old = Shell.handle, []

    async def repeated(self, batches):
        old.append(batches)
        await handle(self, batches)
        if len(old) > 3:
            await handle(self, old.pop(0))

    Shell.handle = repeated


def lossy() -> None:
    """Every third decision is acknowledged and was never written."""
    decision, count = producer.Producer.decision, 0

    async def lost(self, sent):
        nonlocal count
        count += 1
        if count % 3 == 0:
            sent.offset, sent.acked_at = 1 << 60, time.monotonic()
        else:
            await decision(self, sent)

    producer.Producer.decision = lost


def deaf() -> None:
    """Sends fail: nothing is written at all."""

    async def failed(_self, sent):
        sent.failed = True

    producer.Producer.decision = failed


def swapped() -> None:
    """Every decision is written with another id than it was sent with."""
    send = producer.Producer._send

    async def other(self, topic, value, key, partition, headers):
        headers = [(n, b"other-1" if n == "ce_id" else v) for n, v in headers]
        return await send(self, topic, value, key, partition, headers)

    producer.Producer._send = other


def fenced() -> None:
    """The producer fails for good."""

    async def fail(*_, **__):
        raise ProducerFenced("test")

    producer.AIOKafkaProducer.send = fail


def blocked() -> None:
    """The event loop stands still once ten records of a partition were folded."""
    handle = Shell.handle

    async def block(self, batches):
        await handle(self, batches)
        if any(self.engine.next_offset(p) >= 10 for p in batches):
            time.sleep(3600)

    Shell.handle = block


def slow_hook() -> None:
    """What Faust tells of an assignment takes its time, while it lets the records flow."""
    assigned = app.ProcessorApp._on_partitions_assigned

    async def late(self, partitions, generation_id=0):
        await assigned(self, partitions, generation_id)
        await asyncio.sleep(1)

    app.ProcessorApp._on_partitions_assigned = late


def slow_memory() -> None:
    """To read the memory takes longer than Faust waits for a seek."""
    read, wait = history.read_memory, Recovery._wait

    async def late(*arguments):
        await asyncio.sleep(4)
        return await read(*arguments)

    async def hasty(self, coro, timeout=None):
        await wait(self, coro, timeout and 1)

    history.read_memory, Recovery._wait = late, hasty


def refused() -> None:
    """Of each three joins two are answered with an error that says nothing."""
    join, count = CoordinatorGroupRebalance.perform_group_join, 0

    async def third(self):
        nonlocal count
        count += 1
        if count % 3:
            raise KafkaError(repr(UnknownError()))
        return await join(self)

    CoordinatorGroupRebalance.perform_group_join = third


def forgetful() -> None:
    """Its member id is lost once, between the group's answer to a join and the assignment."""
    complete, lost = GroupCoordinator._on_join_complete, False

    async def without_id(self, *arguments):
        nonlocal lost
        if not lost:
            lost = True
            self.reset_generation()
        await complete(self, *arguments)

    GroupCoordinator._on_join_complete = without_id


def unkept() -> None:
    """Copies for quarantine are never acknowledged."""

    producer.Producer.copy = lambda *_: None


def counted() -> None:
    """/metrics tells how many fetches were sent."""
    send, text, count = Fetcher._proc_fetch_request, Measures.text, 0

    async def sent(self, *arguments):
        nonlocal count
        count += 1
        return await send(self, *arguments)

    Fetcher._proc_fetch_request = sent
    Measures.text = lambda self: text(self) + f"test_fetches {count}\n".encode()


def any_topic() -> None:
    """The topic's settings are not looked at: the test wants its own."""
    require = start.require_topics

    def shape_only(*args, settings, **more):
        return require(*args, **more)

    start.require_topics = shape_only


_FAULTS = {
    fault.__name__: fault
    for fault in (
        hole, gap, stale, lossy, deaf, swapped, fenced, blocked, slow_hook, unkept, any_topic,
        counted, slow_memory, refused, forgetful,
    )
}

if __name__ == "__main__":
    owner, *faults = sys.argv[1:]
    for name in faults:
        _FAULTS[name]()
    main.run(owner, EchoEngine)
