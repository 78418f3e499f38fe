"""A broker that hangs, its connections open, for longer than anybody is patient."""

import asyncio
import signal
import socket
import sys
import time

import pytest
from aiokafka.errors import KafkaConnectionError

from pitledger.sources.environment import Environment
from services.broker.cluster import KafkaCluster
from services.broker.process import free_port
from services.runtime.commits import Commits
from services.runtime.history import History
from services.runtime.producer import Producer
from services.runtime.settings import Settings
from tests.chaos.injector import is_ready
from tests.chaos.processes import Children
from tests.chaos.run import create_topics, environment_of
from tests.chaos.workers import Worker, Workers

PATIENCE_S = 240.0
"""56 s is the longest that was seen, at a load of 30: docs/operations.md, PitledgerBrokerSilent."""

REQUEST_S = 10.0
"""The most that any client of a worker waits for an answer; its start waits for one after another.
"""


@pytest.fixture
def children():
    with Children() as children:
        yield children


@pytest.fixture
def cluster(apache_tools, children, tmp_path):
    with KafkaCluster(tmp_path) as cluster:
        for node in cluster.nodes.values():
            children.guard(node.name, node.pid)
        yield cluster


@pytest.fixture
def environment(cluster):
    environment = environment_of(cluster)
    create_topics(environment)
    return environment


@pytest.fixture
def workers(environment, children, tmp_path):
    with Workers(children, environment, tmp_path, ("dealing",)) as workers:
        wait_ready(workers.places)
        yield workers


@pytest.mark.timeout(700)
def test_while_a_broker_hangs_a_worker_that_starts_becomes_live_and_so_does_the_other(
    cluster, workers
):
    static, _ = workers.places
    cluster.nodes[2].suspend()
    starts = static.starts
    static.signal(signal.SIGKILL)
    while static.starts == starts:
        time.sleep(0.1)
    wait_ready(workers.places)


@pytest.mark.timeout(700)
def test_a_worker_that_asks_the_hung_broker_first_becomes_live_all_the_same(
    cluster, environment, children, tmp_path
):
    worker = Worker("dealing", "unlucky", "", free_port(), tmp_path / "unlucky.log")
    cluster.nodes[2].suspend()
    worker.process = children.start(
        [sys.executable, "-m", "tests.kit.unlucky", worker.owner, str(cluster.nodes[2].port)],
        environment | {"PITLEDGER_HTTP_PORT": str(worker.port), "PITLEDGER_CONNECT_S": "60"},
        worker.log,
    )
    wait_ready([worker])


@pytest.mark.parametrize(
    "make",
    [Commits, History, lambda settings: Producer(settings, print, print)],
    ids=["commits", "history", "producer"],
)
def test_a_client_of_a_worker_asks_no_server_for_longer_than_a_request_may_take(make):
    # given: a server that hangs: the kernel takes the connection, and nobody answers
    with socket.create_server(("127.0.0.1", 0)) as hung:
        bootstrap = f"127.0.0.1:{hung.getsockname()[1]}"
        client = make(
            Settings.from_environment("dealing", Environment({"PITLEDGER_BOOTSTRAP": bootstrap}))
        )
        begun = time.monotonic()
        # when
        with pytest.raises(KafkaConnectionError):
            asyncio.run(client.start())
    # then
    assert time.monotonic() - begun < 2 * REQUEST_S


def wait_ready(places):
    """Ready, and still so some looks later: an expired session would show by then."""
    begun, looks = time.monotonic(), 0
    while looks < 5:
        looks = looks + 1 if all(is_ready(worker) for worker in places) else 0
        texts = [worker.log.read_text()[-2000:] for worker in places]
        assert time.monotonic() - begun < PATIENCE_S, texts
        time.sleep(0.5)
