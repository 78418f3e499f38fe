"""How far each of the four processors has come: the commits of their groups.

A round may be over for one and not for another: a wrong build of one processor has seen its own
answer, payout or outcome, while the others wait for the true one. So a partition begins at the
earliest commit of the four, and the build that follows derives again what is still missing. It is
never wrong to begin earlier: what is recorded as derived is not written twice.
"""

import asyncio
from collections.abc import Mapping

from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from services.runtime import logs
from services.runtime.settings import Settings

TIMEOUT_S = 5.0


class Commits:
    """Looks up the other groups' commits; one for a process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._topic = settings.connection.topic
        self._admin: AIOKafkaAdminClient = None
        self._log = logs.get("commits")

    async def start(self) -> None:
        self._admin = AIOKafkaAdminClient(
            client_id=f"pitledger.{self._settings.owner}.commits",
            **self._settings.connection.client_settings(),
        )
        await self._admin.start()

    async def stop(self) -> None:
        if self._admin is not None:
            await self._admin.close()

    async def earliest(self, own: Mapping[int, int | None]) -> dict[int, int | None]:
        """By partition the earliest commit of the four groups; None where `own` is None.

        A group that has committed nothing does not count. Where another's cannot be read (rights,
        a coordinator that moves) it is said, and does not count either.
        """
        found = dict(own)
        # Named one by one: the embedded broker hangs up on whoever asks for all.
        asked = [TopicPartition(self._topic, partition) for partition in own]
        groups = self._settings.other_groups
        answers = await asyncio.gather(*(self._of_group(group, asked) for group in groups))
        for answer in answers:
            for partition, offset in answer.items():
                mine = found.get(partition)
                if mine is not None and offset < mine:
                    found[partition] = offset
        return found

    async def _of_group(self, group: str, asked: list[TopicPartition]) -> dict[int, int]:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                offsets: Mapping[TopicPartition, tuple[int, str]]
                offsets = await self._admin.list_consumer_group_offsets(group, partitions=asked)
        except (KafkaError, TimeoutError) as error:
            self._log.warning("a group's commits cannot be read", group=group, error=repr(error))
            return {}
        return {
            tp.partition: offset
            for tp, (offset, _) in offsets.items()
            if tp.topic == self._topic and offset >= 0
        }
