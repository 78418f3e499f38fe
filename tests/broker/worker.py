"""A processor's process on the stand-in engine: `python -m tests.broker.worker [FAULT ...]`.

Faults are injected at the seams between Faust and the shell: see `_FAULTS`.
"""

import asyncio
import sys
import time

from services.runtime import consumer, main, shell
from tests.broker.echo import EchoEngine


def hole(rate: int = 7) -> None:
    """Drop the first record of every seventh batch, as if the broker had shown the next first."""
    handle, count = shell.Shell.handle, 0

    async def holed(self, batches):
        nonlocal count
        count += 1
        if count % rate == 0:
            batches = {p: b[1:] for p, b in batches.items() if len(b) > 1}
        await handle(self, batches)

    shell.Shell.handle = holed


def stale() -> None:
    """Deliver each batch again, three batches later, also into the next assignment."""
    handle, old = shell.Shell.handle, []

    async def repeated(self, batches):
        old.append(batches)
        await handle(self, batches)
        if len(old) > 3:
            await handle(self, old.pop(0))

    shell.Shell.handle = repeated


def lossy() -> None:
    """Every third decision is acknowledged and never written."""
    from services.runtime import producer

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
    from services.runtime import producer

    async def failed(self, sent):
        sent.failed = True

    producer.Producer.decision = failed


def gap() -> None:
    """From offset 20 on the first record of each batch is missing, for ever."""
    handle = shell.Shell.handle

    async def gapped(self, batches):
        await handle(
            self, {p: [r for r in b if r.offset != 20] for p, b in batches.items() if b}
        )

    shell.Shell.handle = gapped


def blocked() -> None:
    """The event loop stands still once a record was read."""
    handle = shell.Shell.handle

    async def block(self, batches):
        await handle(self, batches)
        if any(self.engine.next_offset(p) > 10 for p in batches):
            time.sleep(3600)

    shell.Shell.handle = block


def fatal() -> None:
    """The producer fails as it does when it was fenced off."""
    from aiokafka.errors import ProducerFenced

    from services.runtime import producer

    async def fenced(self, *_, **__):
        raise ProducerFenced("test")

    producer.AIOKafkaProducer.send = fenced


def slow_hook() -> None:
    """Faust's recovery goes on while the hook of the assignment still waits."""
    assigned = consumer.JournalConsumer.on_partitions_assigned

    async def late(self, partitions, generation_id=0):
        await assigned(self, partitions, generation_id)
        await asyncio.sleep(1)

    consumer.JournalConsumer.on_partitions_assigned = late


_FAULTS = {f.__name__: f for f in (hole, stale, lossy, deaf, gap, blocked, fatal, slow_hook)}

if __name__ == "__main__":
    owner, *faults = sys.argv[1:]
    for name in faults:
        _FAULTS[name]()
    main.run(owner, EchoEngine)
