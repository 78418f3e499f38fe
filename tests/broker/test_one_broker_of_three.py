"""One dead broker of three: whose partitions it led is said, and nobody is ended for it."""

import json
from dataclasses import replace

import pytest

from services.broker.cluster import KafkaCluster
from tests.broker.rig import Rig, wait_until

PARTITIONS = 3


@pytest.fixture(scope="module")
def cluster(apache_tools, tmp_path_factory):
    with KafkaCluster(tmp_path_factory.mktemp("three")) as cluster:
        yield cluster


@pytest.fixture
def rig(cluster, tmp_path):
    rig = Rig(cluster, "apache", tmp_path, PARTITIONS)
    rig.connection = replace(rig.connection, bootstrap=tuple(cluster.bootstrap.split(",")))
    yield rig
    rig.close()


def test_a_dead_broker_is_not_hidden_by_those_that_answer(cluster, rig):
    leaders = spread(rig)
    worker = rig.start("any_topic", WAIT_S=600)
    wait_until(worker.is_ready, "ready", 120)
    # Not the coordinator of the group: losing that is another fault.
    (dead,) = [leader for leader in leaders if leader != coordinator(rig)][:1]
    cluster.nodes[dead].kill()
    wait_until(lambda: silent(worker) == [leaders[dead]], "its partition is silent", 90)
    status, body = worker.http("/healthz")
    state = json.loads(body)
    assert status == 503
    assert f"partition {leaders[dead]}, since" in state["reason"]
    assert worker.http("/livez")[0] == 200
    assert worker.metric("pitledger_silent_partitions") == 1
    wait_until(lambda: worker.line("no answer from Kafka"), "it is said", 60)
    # By then the others may say that nobody leads it, or that its leader does not answer.
    assert f"partition {leaders[dead]}, since" in worker.line("no answer from Kafka")["reason"]
    others = [partition for leader, partition in leaders.items() if leader != dead]
    ids = [rig.send(1, partition=partition)[0] for partition in others]
    seen = lambda: worker.metric("pitledger_decisions_seen_total") == len(ids)  # noqa: E731
    wait_until(seen, "the others are answered", 60)
    cluster.nodes[dead].start()
    wait_until(worker.is_ready, "ready again", 120)


def silent(worker):
    _, body = worker.http("/healthz")
    return json.loads(body)["silent_partitions"] if body else None


def spread(rig):
    """Make the journal with one replica a partition, each on another broker; leader: partition."""
    admin = rig.connection.admin()
    assignments = {partition: [partition + 1] for partition in range(PARTITIONS)}
    topics = (rig.connection.topic, assignments), (rig.connection.quarantine_topic, {0: [1]})
    for topic, where in topics:
        shape = {"assignments": where, "configs": {"min.insync.replicas": "1"}}
        admin.create_topics({topic: shape}, wait_for_metadata=True)
    admin.close()
    return {replicas[0]: partition for partition, replicas in assignments.items()}


def coordinator(rig):
    admin = rig.connection.admin()
    group = f"{rig.group}.wagers"
    try:
        return admin._manager.run(admin._find_coordinator_ids, [group])[group]
    finally:
        admin.close()
