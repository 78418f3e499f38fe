"""Lets records gather between a consumer's fetches.

A fetch of 48 partitions costs about as much as a hundred records, on both sides: one for each
record that arrives would keep two cores busy at any rate. So the next fetch goes out some
milliseconds after the one before. After a lull a fetch waits at the broker already, and the first
record is answered at once.
"""

import asyncio
import time
from typing import Any

from aiokafka import AIOKafkaConsumer


def space_fetches(consumer: AIOKafkaConsumer, gather_ms: int) -> None:
    """Send a started consumer's fetches to one broker at least so far apart; 0: as they come."""
    if not gather_ms:
        return
    fetcher = consumer._fetcher
    fetch = fetcher._proc_fetch_request
    sent: dict[int, float] = {}

    async def spaced(assignment: Any, node_id: int, request: Any) -> bool:
        early = sent.get(node_id, 0.0) + gather_ms / 1000 - time.monotonic()
        if early > 0:
            try:
                await asyncio.sleep(early)
            except asyncio.CancelledError:
                return False  # as the fetcher's own does: the partitions are no longer ours
        sent[node_id] = time.monotonic()
        done: bool = await fetch(assignment, node_id, request)
        return done

    fetcher._proc_fetch_request = spaced
