"""Reads the memory: the RoundOpened of some minutes of journal before each watermark.

With fetches of its own, large ones, whose answers are taken apart as they come; a consumer would
make an object of every record.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from aiokafka import TopicPartition
from aiokafka.errors import KafkaError, NoError, for_code
from aiokafka.protocol.fetch import FetchRequest

from pitledger.journal.record import Stored
from services.runtime.openings import take_openings

REQUEST_BYTES = 8 << 20
"""Of one answer; there is one at a time of each broker, and so much memory is used."""
PARTITION_BYTES = 1 << 20
STANDSTILL_S = 45.0
_PAUSE_S = 0.1
_WAIT_MS = 100
_UNCOMMITTED_TOO = 0


class CannotBeRead(Exception):
    """One line: for too long, nothing more of the memory could be read."""


async def read_memory(
    client: Any, topic: str, spans: Mapping[int, tuple[int, int]]
) -> dict[int, list[Stored]]:
    """By partition, the openings from an offset up to another, in the journal's order.

    `client`: aiokafka's. A broker that does not answer and a hole are asked again. Raises
    CannotBeRead; KafkaError for what another attempt does not mend, OffsetOutOfRangeError if the
    journal's beginning was trimmed meanwhile.
    """
    found: dict[int, list[Stored]] = {partition: [] for partition in spans}
    at = {partition: first for partition, (first, end) in spans.items() if first < end}
    moved_at = time.monotonic()
    while at:
        moved = False
        for partition, data in await _fetched(client, topic, at):
            end = spans[partition][1]
            begin = at.pop(partition)
            reached = take_openings(data, partition, begin, end, found[partition])
            moved |= reached > begin
            if reached < end:
                at[partition] = reached  # behind the others: an answer is filled from the front
        if moved:
            moved_at = time.monotonic()
        elif time.monotonic() - moved_at > STANDSTILL_S:
            where = ", ".join(f"partition {n} at offset {offset}" for n, offset in at.items())
            raise CannotBeRead(f"{topic}: the memory cannot be read: {where}")
        else:
            await asyncio.sleep(_PAUSE_S)
    return found


async def _fetched(client: Any, topic: str, at: Mapping[int, int]) -> Iterable[tuple[int, bytes]]:
    """One answer of every leader, by partition; nothing of those that gave none."""
    leaders: dict[int, list[tuple[int, int, int]]] = {}
    for partition, leader in (await _leaders(client, topic, at)).items():
        leaders.setdefault(leader, []).append((partition, at[partition], PARTITION_BYTES))
    answers = await asyncio.gather(
        *(_fetched_of(client, leader, topic, asked) for leader, asked in leaders.items())
    )
    return chain.from_iterable(answers)


async def _leaders(client: Any, topic: str, partitions: Iterable[int]) -> dict[int, int]:
    """Those that are known; the others are looked up for the next time."""
    known = client.cluster.partitions_for_topic(topic)
    if known is None:
        await client._wait_on_metadata(topic)
    found = {}
    for partition in partitions:
        leader = client.cluster.leader_for_partition(TopicPartition(topic, partition))
        if leader is None or leader < 0:
            client.force_metadata_update()
        else:
            found[partition] = leader
    return found


async def _fetched_of(
    client: Any, node: int, topic: str, asked: list[tuple[int, int, int]]
) -> list[tuple[int, bytes]]:
    request = FetchRequest(_WAIT_MS, 1, REQUEST_BYTES, _UNCOMMITTED_TOO, [(topic, asked)])
    try:
        answer = await client.send(node, request)
    except KafkaError as error:
        _look_up_if_that_mends(client, error)
        return []
    fetched = []
    for _, partitions in answer.topics:
        for partition, code, *_, data in partitions:
            if (refusal := for_code(code)) is NoError:
                fetched.append((partition, data or b""))
            else:
                _look_up_if_that_mends(client, refusal(f"{topic} partition {partition}"))
    return fetched


def _look_up_if_that_mends(client: Any, error: KafkaError) -> None:
    if not error.retriable:
        raise error
    client.force_metadata_update()
