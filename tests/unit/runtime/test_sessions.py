"""A fetch in a session brings what a whole one would, whatever becomes of requests and answers.

Against a model of the broker's side of KIP-227, which is as strict as the protocol is.
"""

import asyncio
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import KafkaConnectionError
from aiokafka.protocol.fetch import FetchRequest, FetchRequest_v6, FetchRequest_v11
from hypothesis import example, given
from hypothesis import strategies as st

from services.runtime.sessions import use_sessions

TOPIC, PARTITIONS, NODE = "journal", 4, 1
NOT_FOUND, WRONG_EPOCH = 70, 71


class Broker:
    """Logs of nothing but offsets; `struct`: its latest Fetch version."""

    def __init__(self, struct=FetchRequest_v11, *, slots=True):
        self.struct, self.slots = struct, slots
        self.ends = dict.fromkeys(range(PARTITIONS), 0)
        self.sessions = {}
        self.named = []
        """How many partitions each request named."""
        self._ids = 0

    def answer(self, request):
        built = request.prepare({1: (0, self.struct.API_VERSION)})
        asked = {
            each[0]: each[-3 if self.struct is FetchRequest_v11 else 1]
            for each in (dict(built.topics).get(TOPIC, []))
        }
        self.named.append(len(asked))
        if self.struct.API_VERSION < 7:
            return self._response(0, 0, {p: self.ends[p] for p in asked}, asked)
        if built.session_epoch <= 0:
            return self._whole(built, asked)
        session = self.sessions.get(built.session_id)
        if session is None:
            return self._response(NOT_FOUND, 0, {}, {})
        if built.session_epoch != session.epoch:
            return self._response(WRONG_EPOCH, 0, {}, {})
        session.epoch += 1
        for partition in dict(built.forgotten_topics_data).get(TOPIC, []):
            del session.told[partition], session.asked[partition]
        for partition, offset in asked.items():
            session.told.setdefault(partition, -1)
            session.asked[partition] = offset
        news = {
            p: self.ends[p]
            for p in session.asked
            if self.ends[p] > session.asked[p] or self.ends[p] != session.told[p]
        }
        session.told |= news
        return self._response(0, built.session_id, news, session.asked)

    def _whole(self, built, asked):
        self.sessions.pop(built.session_id, None)
        ends = {p: self.ends[p] for p in asked}
        if built.session_epoch < 0 or not self.slots:
            return self._response(0, 0, ends, asked)
        self._ids += 1
        self.sessions[self._ids] = SimpleNamespace(epoch=1, asked=dict(asked), told=dict(ends))
        return self._response(0, self._ids, ends, asked)

    def _response(self, error, session_id, ends, asked):
        partitions = [(p, 0, end, range(asked[p], end)) for p, end in ends.items()]
        return SimpleNamespace(
            API_VERSION=self.struct.API_VERSION,
            error_code=error,
            session_id=session_id,
            topics=[(TOPIC, partitions)] if partitions else [],
        )


class Assignment:
    def __init__(self):
        self.states = {
            TopicPartition(TOPIC, p): SimpleNamespace(timestamp=None, highwater=None)
            for p in range(PARTITIONS)
        }

    def state_value(self, tp):
        return self.states[tp]


@dataclass
class Fetcher:
    """Does with an answer what aiokafka's does."""

    broker: Broker
    loses: str = ""
    assignment: Assignment = field(default_factory=Assignment)
    positions: dict = field(default_factory=lambda: dict.fromkeys(range(PARTITIONS), 0))
    read: dict = field(default_factory=dict)

    def __post_init__(self):
        self._client = self
        use_sessions(SimpleNamespace(_fetcher=self))

    async def send(self, node_id, request):
        if self.loses == "request":
            raise KafkaConnectionError
        answer = self.broker.answer(request)
        if self.loses == "answer":
            raise asyncio.CancelledError
        return answer

    async def _proc_fetch_request(self, assignment, node_id, request):
        self.read = {}
        asked = {each[0] for _topic, partitions in request.topics for each in partitions}
        try:
            answer = await self._client.send(node_id, request)
        except (KafkaConnectionError, asyncio.CancelledError):
            return False
        for topic, partitions in answer.topics:
            for partition, _error, highwater, records in partitions:
                assert partition in asked, "aiokafka's ends with a KeyError"
                state = assignment.state_value(TopicPartition(topic, partition))
                state.highwater, state.timestamp = highwater, "told"
                self.read[partition] = records
        return answer.error_code == 0

    def fetch(self, partitions, loses=""):
        """Whether it was answered."""
        self.loses = loses
        wanted = [(p, self.positions[p], 1 << 20) for p in sorted(partitions)]
        request = FetchRequest(500, 1, 1 << 25, 0, [(TOPIC, wanted)])
        return asyncio.run(self._proc_fetch_request(self.assignment, NODE, request))


PARTITION = st.integers(0, PARTITIONS - 1)
STEP = st.one_of(
    st.tuples(st.just("append"), PARTITION),
    st.tuples(st.just("fetch"), st.sets(PARTITION, min_size=1)),
    st.tuples(st.just("fetch all")),
    st.tuples(st.just("lose"), st.sampled_from(["request", "answer"])),
    st.tuples(st.just("seek"), PARTITION, st.floats(0, 1)),
    st.tuples(st.just("forget")),
    st.tuples(st.just("assign")),
)


@given(st.lists(STEP, max_size=40))
@example([("fetch all",), ("append", 0), ("fetch", {1}), ("fetch all",)])  # 0 is not asked for
def test_a_fetch_in_a_session_brings_what_a_whole_one_brings(steps):
    broker = Broker()
    fetcher = Fetcher(broker)
    for step in steps:
        match step:
            case ("append", partition):
                broker.ends[partition] += 1
            case ("fetch", partitions):
                check(fetcher, partitions)
            case ("fetch all",):
                check(fetcher, range(PARTITIONS))
            case ("lose", what):
                fetcher.fetch(range(PARTITIONS), loses=what)
            case ("seek", partition, share):
                fetcher.positions[partition] = int(share * broker.ends[partition])
            case ("forget",):
                broker.sessions.clear()
            case ("assign",):
                fetcher.assignment = Assignment()


def check(fetcher, partitions):
    if not fetcher.fetch(partitions):
        # The broker knew no such session: said once, and then the request is whole.
        assert fetcher.fetch(partitions)
    for partition in partitions:
        end, position = fetcher.broker.ends[partition], fetcher.positions[partition]
        assert list(fetcher.read.get(partition, [])) == list(range(position, end))
        state = fetcher.assignment.state_value(TopicPartition(TOPIC, partition))
        assert state.highwater == end
        assert state.timestamp is not None
        fetcher.positions[partition] = end


def test_a_request_names_what_moved_and_nothing_else():
    broker = Broker()
    fetcher = Fetcher(broker)
    check(fetcher, range(PARTITIONS))
    check(fetcher, range(PARTITIONS))
    broker.ends[2] += 1
    check(fetcher, range(PARTITIONS))
    check(fetcher, range(PARTITIONS))
    assert broker.named == [PARTITIONS, 0, 0, 1]


def test_after_a_fetch_without_an_answer_the_next_is_whole_and_closes_the_old_session():
    broker = Broker()
    fetcher = Fetcher(broker)
    check(fetcher, range(PARTITIONS))
    assert not fetcher.fetch(range(PARTITIONS), loses="answer")
    check(fetcher, range(PARTITIONS))
    assert broker.named == [PARTITIONS, 0, PARTITIONS]
    assert len(broker.sessions) == 1


def test_of_what_an_answer_does_not_speak_the_time_of_the_answer_is_kept():
    """Without it, a broker with nothing new would pass for one that is silent."""
    fetcher = Fetcher(Broker())
    check(fetcher, range(PARTITIONS))
    check(fetcher, range(PARTITIONS))
    times = [state.timestamp for state in fetcher.assignment.states.values()]
    assert all(isinstance(each, int) for each in times)


@pytest.mark.parametrize(
    "broker", [Broker(FetchRequest_v6), Broker(slots=False)], ids=["too old", "no room for one"]
)
def test_a_broker_without_sessions_is_asked_for_all_each_time(broker):
    fetcher = Fetcher(broker)
    for _ in range(3):
        broker.ends[1] += 1
        check(fetcher, range(PARTITIONS))
    assert broker.named == [PARTITIONS] * 3
