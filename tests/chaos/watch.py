"""When every partition is live for every processor and has a leader, and when not: a time line."""

import asyncio
import json
import threading
import time
from bisect import bisect_left, bisect_right

from services.broker.cluster import KafkaCluster, partitions_of
from services.runtime.settings import OWNERS
from tests.chaos.workers import Worker, Workers

LOOK_S = 0.25
_ANSWER_S = 0.6


class Watch:
    """Looks four times a second; a context manager.

    All is live if, for each processor, workers that answer `/healthz` hold all partitions live
    between them, and every partition's leader is a broker that runs.
    """

    def __init__(
        self, workers: Workers, cluster: KafkaCluster, topic: str, partitions: int
    ) -> None:
        self.down: set[int] = set()
        """Brokers that are killed or stopped now, or not yet back; the injector keeps it."""
        self.why = "nothing was looked at yet"
        self._workers = workers
        self._cluster = cluster
        self._topic = topic
        self._partitions = partitions
        self._times: list[float] = []
        self._live: list[bool] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._look_on()), daemon=True)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def wait_live(self, timeout_s: float) -> bool:
        """Wait until all is live, seen by a look that began after this call."""
        begun = time.monotonic()
        while time.monotonic() - begun < timeout_s:
            if self._live and self._live[-1] and self._times[-1] > begun:
                return True
            time.sleep(LOOK_S / 2)
        return False

    def live_again_s(self, since: float, until: float) -> float | None:
        """Seconds from `since` until all was live again; 0.0 if it was never not, up to `until`.

        None if it never was again.
        """
        begin = bisect_left(self._times, since)
        end = bisect_right(self._times, until)
        gone = next((i for i in range(begin, end) if not self._live[i]), None)
        if gone is None:
            return 0.0
        back = next((i for i in range(gone, len(self._live)) if self._live[i]), None)
        return None if back is None else self._times[back] - since

    async def _look_on(self) -> None:
        while not self._over.is_set():
            begun = time.monotonic()
            is_live = await self._is_live()
            self._times.append(begun)
            self._live.append(is_live)
            await asyncio.sleep(max(0.0, begun + LOOK_S - time.monotonic()))

    async def _is_live(self) -> bool:
        states = await asyncio.gather(*(_state(each) for each in self._workers.wanted()))
        live = dict.fromkeys(OWNERS, 0)
        for state in states:
            if state:
                live[state["processor"]] += state["live"] - len(state["silent_partitions"])
        short = [owner for owner, count in live.items() if count < self._partitions]
        self.why = f"not all partitions live: {', '.join(short)}" if short else ""
        if not short and self.down and not await asyncio.to_thread(self._has_leaders):
            self.why = "partitions without a leader that runs"
        return not self.why

    def _has_leaders(self) -> bool:
        up = [node for number, node in self._cluster.nodes.items() if number not in self.down]
        rows = partitions_of(",".join(node.bootstrap for node in up), self._topic)
        numbers = {node.number for node in up}
        return bool(rows) and all(row["leader_id"] in numbers for row in rows.values())


async def _state(worker: Worker) -> dict | None:
    """What `/healthz` says; None where nobody answers."""
    try:
        async with asyncio.timeout(_ANSWER_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", worker.port)
            try:
                writer.write(b"GET /healthz HTTP/1.1\r\n\r\n")
                answer = await reader.read()
            finally:
                writer.close()
        return json.loads(answer.partition(b"\r\n\r\n")[2])
    except (OSError, TimeoutError, ValueError):
        return None
