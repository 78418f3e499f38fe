"""The two topics and their settings: made once, checked before anything runs on them."""

from dataclasses import dataclass
from typing import Any

import kafka
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import KafkaError, TopicAlreadyExistsError, TopicAuthorizationFailedError

from pitledger.sources.connection import Connection, ConnectionFailed

_FOR_EVER = {
    "cleanup.policy": "delete",
    "retention.ms": "-1",
    "retention.bytes": "-1",
    "message.timestamp.type": "LogAppendTime",
    "unclean.leader.election.enable": "false",
}


@dataclass(frozen=True, slots=True)
class Created:
    """One topic, and whether it was made now."""

    topic: str
    partitions: int
    new: bool


def create_topics(connection: Connection) -> list[Created]:
    """Make what is missing of journal and quarantine. Raises ConnectionFailed."""
    admin = connection.admin()
    try:
        return [
            Created(topic, partitions, _create(admin, connection, topic, partitions))
            for topic, partitions in _topics(connection).items()
        ]
    except KafkaError as error:
        raise ConnectionFailed(connection.explain(error)) from None
    finally:
        admin.close()


def check_topics(connection: Connection) -> list[str]:
    """One line for each difference from what the topics must be. Raises ConnectionFailed."""
    admin = connection.admin()
    try:
        found = {topic["name"]: topic for topic in admin.describe_topics(list(_topics(connection)))}
        return [
            problem
            for topic, partitions in _topics(connection).items()
            for problem in _problems(admin, connection, topic, partitions, found.get(topic))
        ]
    except KafkaError as error:
        raise ConnectionFailed(connection.explain(error)) from None
    finally:
        admin.close()


def require_topics(connection: Connection, timeout_s: int, *, quarantine: bool) -> None:
    """Wait for a broker; raise ConnectionFailed unless the journal is there and has its shape.

    Asks for no more than a processor may see: topic settings are `check_topics`' business, and
    who does not write to `quarantine` need not see it.
    """
    topics = {
        topic: partitions
        for topic, partitions in _topics(connection).items()
        if quarantine or topic == connection.topic
    }
    admin = connection.admin(timeout_s * 1000)
    try:
        found = {topic["name"]: topic for topic in admin.describe_topics(list(topics))}
    except KafkaError as error:
        raise ConnectionFailed(connection.explain(error)) from None
    finally:
        admin.close()
    for topic, partitions in topics.items():
        for problem in _shape(topic, partitions, found.get(topic)):
            raise ConnectionFailed(problem)


def topic_settings(connection: Connection) -> dict[str, str]:
    """Topic configuration by name; the embedded broker knows none of it."""
    if connection.broker == "embedded":
        return {}
    return {**_FOR_EVER, "min.insync.replicas": str(connection.min_insync)}


def _topics(connection: Connection) -> dict[str, int]:
    return {connection.topic: connection.partitions, connection.quarantine_topic: 1}


def _create(
    admin: kafka.KafkaAdminClient, connection: Connection, topic: str, partitions: int
) -> bool:
    wanted = {
        "num_partitions": partitions,
        "replication_factor": connection.replication,
        "configs": topic_settings(connection),
    }
    try:
        admin.create_topics({topic: wanted}, wait_for_metadata=True)
    except TopicAlreadyExistsError:
        return False
    return True


def _problems(
    admin: kafka.KafkaAdminClient,
    connection: Connection,
    topic: str,
    partitions: int,
    found: dict[str, Any] | None,
) -> list[str]:
    problems = _shape(topic, partitions, found)
    if found is None or found["error_code"]:
        return problems
    fewest = min(len(row["replica_nodes"]) for row in found["partitions"])
    if fewest < connection.replication:
        problems.append(f"{topic}: has {fewest} replicas, must have {connection.replication}")
    settings = topic_settings(connection)
    if settings:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic)
        answer = admin.describe_configs([resource], config_filter="all")
        actual = answer["topic"][topic]
        for name, value in settings.items():
            is_now = actual.get(name, {}).get("value")
            if is_now != value:
                problems.append(f"{topic}: {name} is {is_now}, must be {value}")
    return problems


def _shape(topic: str, partitions: int, found: dict[str, Any] | None) -> list[str]:
    if found is not None and found["error_code"] == TopicAuthorizationFailedError.errno:
        return [f"{topic}: this user may not see it (needs Describe, Read and Write)"]
    if found is None or found["error_code"]:
        return [f"{topic}: does not exist; make it with: pitledger topics create"]
    if len(found["partitions"]) != partitions:
        count = len(found["partitions"])
        return [f"{topic}: has {count} partitions, must have {partitions} (PITLEDGER_PARTITIONS)"]
    return []
