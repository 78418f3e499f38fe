"""Incremental fetches (KIP-227), which aiokafka does not know: asked and answered is what changed.

A fetch of all its partitions costs a consumer and the broker as much whether two of 48 have news
or all. In a session the broker keeps what was asked: a request names the partitions whose offset
moved, a response those with records, an error, or another high watermark. A session is begun anew
with a whole request after each fetch that was not answered, and for each assignment.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.protocol.fetch import FetchRequest

_SINCE_VERSION = 7
_MOST_EPOCHS = 2**31 - 1
_SESSION_ID_NOT_FOUND = 70

Key = tuple[str, int]
"""Topic and partition."""


@dataclass(slots=True)
class _Session:
    """With one broker."""

    id: int = 0
    epoch: int = 0
    """Of the next request; 0 asks for a session, in the place of the one with our id."""
    known: dict[Key, tuple[int, int]] = field(default_factory=dict)
    """What the broker keeps: the offset to read from, and the bytes at most."""
    assignment: Any = None
    silent: list[Key] = field(default_factory=list)
    """What the last answer said nothing of: nothing new there."""

    def answered(self, response: Any, asked: dict[Key, tuple[int, int]]) -> None:
        if response.API_VERSION < _SINCE_VERSION:
            return
        if response.error_code or not response.session_id:
            # Forgotten by the broker, or none to be had: the next request is whole again.
            if response.error_code in (0, _SESSION_ID_NOT_FOUND):
                self.id = 0
            self.epoch = 0
            return
        self.id = response.session_id
        self.epoch = self.epoch % _MOST_EPOCHS + 1
        self.known = asked
        told = {(topic, each[0]) for topic, partitions in response.topics for each in partitions}
        self.silent = [key for key in asked if key not in told]


class _SessionRequest:
    """A whole request of aiokafka's, cut to what the broker does not know already."""

    def __init__(self, whole: FetchRequest, session: _Session, asked: dict[Key, Any]) -> None:
        changed = _by_topic(
            (topic, (partition, *wanted))
            for (topic, partition), wanted in asked.items()
            if not session.epoch or session.known.get((topic, partition)) != wanted
        )
        self._whole = whole
        self._cut = FetchRequest(
            whole._max_wait_ms,
            whole._min_bytes,
            whole._max_bytes,
            whole._isolation_level,
            changed,
            whole._rack_id,
        )
        self._id, self._epoch = session.id, session.epoch
        gone = (key for key in session.known if key not in asked)
        self._forgotten = _by_topic(gone) if session.epoch else []

    def prepare(self, versions: Any) -> Any:
        """What aiokafka's connection asks a request for: the struct to send."""
        built: Any = self._cut.prepare(versions)
        if built.API_VERSION < _SINCE_VERSION:
            return self._whole.prepare(versions)
        built.session_id, built.session_epoch = self._id, self._epoch
        built.forgotten_topics_data = self._forgotten
        return built


class _SessionClient:
    """aiokafka's client, as its fetcher sees it."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.sessions: dict[int, _Session] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def send(self, node_id: int, request: Any) -> Any:
        if not isinstance(request, FetchRequest):
            return await self._client.send(node_id, request)
        session = self.sessions.setdefault(node_id, _Session())
        asked = {
            (topic, partition): (offset, most)
            for topic, partitions in request.topics
            for partition, offset, most in partitions
        }
        in_session = _SessionRequest(request, session, asked)
        before, session.epoch = session.epoch, 0  # of a fetch without an answer nobody knows
        response = await self._client.send(node_id, in_session)
        session.epoch = before
        session.answered(response, asked)
        return response


def use_sessions(consumer: AIOKafkaConsumer) -> None:
    """Have a started consumer's fetches be incremental, where the broker knows how."""
    fetcher = consumer._fetcher
    fetch = fetcher._proc_fetch_request
    client = fetcher._client = _SessionClient(fetcher._client)

    async def in_session(assignment: Any, node_id: int, request: Any) -> bool:
        session = client.sessions.setdefault(node_id, _Session())
        if session.assignment is not assignment:
            # Its partitions know no high watermark yet: the answer is to speak of all.
            session.assignment, session.epoch = assignment, 0
        session.silent = []
        done: bool = await fetch(assignment, node_id, request)
        now_ms = int(1000 * time.time())
        for key in session.silent:
            assignment.state_value(TopicPartition(*key)).timestamp = now_ms
        return done

    fetcher._proc_fetch_request = in_session


def _by_topic(pairs: Iterable[tuple[str, Any]]) -> list[tuple[str, list[Any]]]:
    found: dict[str, list[Any]] = {}
    for topic, each in pairs:
        found.setdefault(topic, []).append(each)
    return list(found.items())
