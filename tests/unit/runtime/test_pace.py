"""Fetches to one broker are spaced, so that records gather between them."""

import asyncio
import time
from types import SimpleNamespace

from services.runtime.pace import space_fetches

GATHER_MS = 40
NOTED_S = 0.01


class Fetcher:
    """Notes when each fetch goes out, and to which node."""

    def __init__(self):
        self.sent = []

    async def _proc_fetch_request(self, assignment, node_id, request):
        self.sent.append((node_id, time.monotonic()))
        return True


def spaced(gather_ms=GATHER_MS):
    fetcher = Fetcher()
    space_fetches(SimpleNamespace(_fetcher=fetcher), gather_ms)
    return fetcher


def test_one_fetch_follows_another_to_the_same_broker_after_the_interval():
    async def three():
        fetcher = spaced()
        for _ in range(3):
            assert await fetcher._proc_fetch_request(None, 1, None)
        return [at for _, at in fetcher.sent]

    first, second, third = asyncio.run(three())
    # Each is noted a little after it was let go.
    assert second - first >= GATHER_MS / 1000 - NOTED_S
    assert third - second >= GATHER_MS / 1000 - NOTED_S


def test_after_a_lull_and_to_another_broker_a_fetch_goes_out_at_once(monkeypatch):
    async def no_sleep(seconds):
        raise AssertionError(f"slept {seconds} s")

    async def fetches():
        fetcher = spaced()
        await fetcher._proc_fetch_request(None, 1, None)
        await asyncio.sleep(2 * GATHER_MS / 1000)
        monkeypatch.setattr(asyncio, "sleep", no_sleep)
        await fetcher._proc_fetch_request(None, 1, None)
        await fetcher._proc_fetch_request(None, 2, None)
        return [node for node, _ in fetcher.sent]

    assert asyncio.run(fetches()) == [1, 1, 2]


def test_a_fetch_that_is_taken_back_while_it_waits_is_not_sent():
    async def taken_back():
        fetcher = spaced(60_000)
        await fetcher._proc_fetch_request(None, 1, None)
        waiting = asyncio.create_task(fetcher._proc_fetch_request(None, 1, None))
        await asyncio.sleep(0)
        waiting.cancel()
        return await waiting, len(fetcher.sent)

    assert asyncio.run(taken_back()) == (False, 1)


def test_without_an_interval_nothing_is_changed():
    fetcher = Fetcher()
    space_fetches(SimpleNamespace(_fetcher=fetcher), 0)
    assert "_proc_fetch_request" not in vars(fetcher)
