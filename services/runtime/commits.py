"""How far each of the four processors has come: the commits of their groups.

A round may be over for one and not for another: a wrong build of one processor has seen its own
answer, payout or outcome, while the others wait for the true one. So a partition begins at the
earliest commit of the four, and the build that follows derives again what is still missing. It is
never wrong to begin earlier: what is recorded as derived is not written twice.
"""

import asyncio
import time
from collections.abc import Mapping

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError, for_code
from aiokafka.protocol.commit import OffsetFetchRequest

from services.runtime import logs
from services.runtime.history import REQUEST_MS
from services.runtime.settings import Settings

TIMEOUT_S = 5.0
RETRY_S = 0.2
"""A broker that was asked is dead, or has just taken the group over and still reads its commits."""


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
            request_timeout_ms=REQUEST_MS,
            **self._settings.connection.client_settings(),
        )
        await self._admin.start()

    async def stop(self) -> None:
        if self._admin is not None:
            await self._admin.close()

    async def of_all(self, own: Mapping[int, int | None]) -> dict[int, dict[str, int]]:
        """By partition the commits of the four groups, by their names; `own`: that of this one.

        A group that has committed nothing is left out. Where another's cannot be read (rights, no
        coordinator for some seconds) it is said, and it is left out, too.
        """
        mine = self._settings.group
        found = {n: {} if offset is None else {mine: offset} for n, offset in own.items()}
        groups = self._settings.other_groups if own else ()
        answers = await asyncio.gather(*(self._of_group(group, list(own)) for group in groups))
        for group, answer in zip(groups, answers, strict=True):
            for partition, offset in answer.items():
                found[partition][group] = offset
        return found

    async def _of_group(self, group: str, partitions: list[int]) -> dict[int, int]:
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    return await self._ask(group, partitions)
            except (KafkaError, TimeoutError) as error:
                may_succeed = isinstance(error, KafkaError) and error.retriable
                if not may_succeed or time.monotonic() > deadline:
                    reason = repr(error)
                    self._log.warning("a group's commits cannot be read", group=group, error=reason)
                    return {}
            await asyncio.sleep(RETRY_S)

    async def _ask(self, group: str, partitions: list[int]) -> dict[int, int]:
        """Raises KafkaError.

        Not the admin client's own method, which takes an answer that is an error for no commits.
        """
        coordinator = await self._admin.find_coordinator(group)
        # Named one by one: the embedded broker hangs up on whoever asks for all.
        request = OffsetFetchRequest(group, [(self._topic, partitions)])
        answer = await self._admin._send_request(request, coordinator)
        found = [row for topic, rows in answer.topics if topic == self._topic for row in rows]
        codes = [getattr(answer, "error_code", 0), *(code for *_, code in found)]
        errors = [for_code(code) for code in codes if code]
        if errors:
            raise min(errors, key=lambda error: error.retriable)(group)
        return {partition: offset for partition, offset, *_ in found if offset >= 0}
