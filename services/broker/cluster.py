"""Three Apache Kafka nodes on this machine, each of which can be killed and started again alone.

Replication 3, two in-sync replicas for every acknowledgement, no unclean leader.
"""

from pathlib import Path
from typing import Any, Self

import kafka
from kafka.errors import KafkaError

from services.broker.apache import RECIPES, ApacheKafka, random_cluster_id, resolve_jars

NODES = 3
MIN_INSYNC = 2


class Node(ApacheKafka):
    """One broker and controller of a cluster; its ports stay the same when it starts again."""

    def __init__(self, number: int, data: Path, cluster_id: str) -> None:
        super().__init__(data=data)
        self.name = f"Apache Kafka node {number}"
        self.number = number
        self.cluster_id = cluster_id
        self.voters = ""

    def recipe(self) -> str:
        text = super().recipe() + (RECIPES / "cluster.properties").read_text()
        return text.replace("{node}", str(self.number)).replace("{voters}", self.voters)


class KafkaCluster:
    """`with KafkaCluster(folder) as cluster: cluster.bootstrap`; a context manager.

    `folder` keeps the data of node n in `node-n/data`.
    """

    def __init__(self, folder: Path) -> None:
        cluster_id = random_cluster_id()
        self.nodes = {
            number: Node(number, folder / f"node-{number}" / "data", cluster_id)
            for number in range(1, NODES + 1)
        }
        voters = ",".join(
            f"{number}@127.0.0.1:{node.controller_port}" for number, node in self.nodes.items()
        )
        for node in self.nodes.values():
            node.voters = voters

    @property
    def bootstrap(self) -> str:
        return ",".join(node.bootstrap for node in self.nodes.values())

    def start(self) -> Self:
        """Start all nodes and wait until each answers. Raises BrokerError."""
        resolve_jars()
        try:
            for node in self.nodes.values():
                node.spawn()
            for node in self.nodes.values():
                node.wait_until_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """At once: nobody needs the data of a cluster that ends."""
        for node in self.nodes.values():
            if node.pid is not None:
                node.kill()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def partitions_of(bootstrap: str, topic: str) -> dict[int, dict[str, Any]]:
    """Of each partition its `leader_id`, `isr_nodes`, `replica_nodes` ..., as one broker says now.

    Empty where none of `bootstrap` answers in time.
    """
    try:
        admin = kafka.KafkaAdminClient(
            bootstrap_servers=bootstrap.split(","), request_timeout_ms=3000,
            bootstrap_timeout_ms=3000,
        )
    except KafkaError:
        return {}
    try:
        [found] = admin.describe_topics([topic])
        return {row["partition_index"]: row for row in found["partitions"]}
    except KafkaError:
        return {}
    finally:
        admin.close()
