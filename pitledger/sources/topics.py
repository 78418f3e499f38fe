"""The two topics and their settings: made once, checked before anything runs on them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import kafka
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import KafkaError, TopicAlreadyExistsError, TopicAuthorizationFailedError

from pitledger.sources.connection import BrokersAway, Connection, ConnectionFailed

_FOR_EVER = {
    "cleanup.policy": "delete",
    "retention.ms": "-1",
    "retention.bytes": "-1",
    "message.timestamp.type": "LogAppendTime",
    "unclean.leader.election.enable": "false",
}
_COMPRESSION = "compression.type"
_COMPRESSIONS = ("uncompressed", "gzip", "zstd")
"""What the broker keeps, whatever a producer sends: all readers know these. The first is ours."""
MESSAGE_BYTES_LEAST = 1_048_588
"""Kafka's own default: the largest batch that a processor sends has room in it."""
BROKER_LEAST = (4, 0)


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
        require_broker(admin, connection)
        return [
            Created(topic, partitions, _create(admin, connection, topic, partitions))
            for topic, partitions in _topics(connection).items()
        ]
    except KafkaError as error:
        raise connection.failure(error) from None
    finally:
        admin.close()


def check_topics(connection: Connection) -> list[str]:
    """One line for each difference from what the topics must be. Raises ConnectionFailed."""
    admin = connection.admin()
    try:
        require_broker(admin, connection)
        topics, unseen = _topics(connection), list[str]()
        found = _described(admin, topics)
        return _differences(admin, connection, topics, found, unseen) + unseen
    except KafkaError as error:
        raise connection.failure(error) from None
    finally:
        admin.close()


def require_topics(
    connection: Connection, timeout_s: float, *, quarantine: bool, settings: bool = False
) -> list[str]:
    """Wait for a broker; raise ConnectionFailed unless the topics are as they must be; BrokersAway
    where another attempt may succeed.

    Answers what could not be looked at, one line each: settings, for a user without
    DescribeConfigs. Who does not write to `quarantine` need not see it, who only reads need not
    mind the settings.
    """
    topics = {
        topic: partitions
        for topic, partitions in _topics(connection).items()
        if quarantine or topic == connection.topic
    }
    unseen: list[str] = []
    admin = connection.admin(int(timeout_s * 1000))
    try:
        require_broker(admin, connection)
        found = _described(admin, topics)
        if settings:
            problems = _differences(admin, connection, topics, found, unseen)
        else:
            problems = _shapes(topics, found)
    except KafkaError as error:
        # One broker of several may have died: another attempt asks another.
        raise connection.failure(error) from None
    finally:
        admin.close()
    if problems:
        raise ConnectionFailed("; ".join(problems))
    return unseen


@dataclass(frozen=True, slots=True)
class Identity:
    """Of a topic; one that is made anew has another id."""

    id: str
    partitions: int


def identity(connection: Connection, timeout_ms: int | None = None) -> Identity:
    """The journal's, as it is now. Raises ConnectionFailed; BrokersAway where another attempt may
    succeed, also where the topic is not to be seen.
    """
    admin = connection.admin(timeout_ms)
    try:
        found = _described(admin, [connection.topic])[connection.topic]
    except KafkaError as error:
        raise connection.failure(error) from None
    finally:
        admin.close()
    if found["error_code"]:
        # Also by a server that has just begun, and does not know yet what there is.
        raise BrokersAway(f"{connection.topic}: is not to be seen (error {found['error_code']})")
    return Identity(str(found["topic_id"]), len(found["partitions"]))


def require_broker(admin: kafka.KafkaAdminClient, connection: Connection) -> None:
    """Raise ConnectionFailed for a broker that is too old, or of the other kind."""
    version = admin._manager.broker_version
    spoken, least = ".".join(map(str, version)), ".".join(map(str, BROKER_LEAST))
    if connection.broker == "apache" and version < BROKER_LEAST:
        embedded = admin.describe_cluster()["cluster_id"] == "tansu_cluster"
        what = (
            "is the embedded broker: set PITLEDGER_BROKER=embedded, or use Apache Kafka"
            if embedded
            else f"speaks as Kafka {spoken} does: Apache Kafka {least} or newer is needed"
        )
        raise ConnectionFailed(connection.explain(KafkaError(), what))
    if connection.broker == "embedded" and version >= BROKER_LEAST:
        what = "is Apache Kafka: set PITLEDGER_BROKER=apache"
        raise ConnectionFailed(connection.explain(KafkaError(), what))


def topic_settings(connection: Connection) -> dict[str, str]:
    """Topic configuration by name; the embedded broker knows none of it."""
    if connection.broker == "embedded":
        return {}
    least = {name: str(value) for name, value in _at_least(connection).items()}
    return {**_FOR_EVER, **least, _COMPRESSION: _COMPRESSIONS[0]}


def _at_least(connection: Connection) -> dict[str, int]:
    return {
        "min.insync.replicas": connection.min_insync,
        "max.message.bytes": MESSAGE_BYTES_LEAST,
    }


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


def _described(admin: kafka.KafkaAdminClient, topics: Iterable[str]) -> dict[str, dict[str, Any]]:
    return {topic["name"]: topic for topic in admin.describe_topics(list(topics))}


def _differences(
    admin: kafka.KafkaAdminClient,
    connection: Connection,
    topics: Mapping[str, int],
    found: Mapping[str, dict[str, Any]],
    unseen: list[str],
) -> list[str]:
    problems = _shapes(topics, found)
    seen = {name: found[name] for name in topics if name in found and not found[name]["error_code"]}
    for topic, described in seen.items():
        fewest = min(len(row["replica_nodes"]) for row in described["partitions"])
        if fewest < connection.replication:
            problems.append(f"{topic}: has {fewest} replicas, must have {connection.replication}")
        if connection.broker == "embedded":
            continue
        if actual := _configuration(admin, topic):
            problems += _settings(topic, actual, fewest, connection)
        else:
            unseen.append(f"{topic}: its settings may not be seen (needs DescribeConfigs)")
    return problems


def _configuration(admin: kafka.KafkaAdminClient, topic: str) -> dict[str, str | None]:
    """The topic's settings by name; none, if this user may not see them."""
    answer = admin.describe_configs(
        [ConfigResource(ConfigResourceType.TOPIC, topic)], config_filter="all"
    )
    return {name: entry.get("value") for name, entry in answer["topic"][topic].items()}


def _settings(
    topic: str, actual: Mapping[str, str | None], replicas: int, connection: Connection
) -> list[str]:
    problems = [
        f"{topic}: {name} is {actual.get(name)}, must be {value}"
        for name, value in _FOR_EVER.items()
        if actual.get(name) != value
    ]
    for name, least in _at_least(connection).items():
        is_now = actual.get(name)
        if is_now is None or int(is_now) < least:
            problems.append(f"{topic}: {name} is {is_now}, must be at least {least}")
    if actual.get(_COMPRESSION) not in _COMPRESSIONS:
        allowed = f"{', '.join(_COMPRESSIONS[:-1])} or {_COMPRESSIONS[-1]}"
        problems.append(f"{topic}: {_COMPRESSION} is {actual.get(_COMPRESSION)}, must be {allowed}")
    insync = actual.get("min.insync.replicas")
    if insync is not None and int(insync) > replicas:
        problems.append(
            f"{topic}: min.insync.replicas is {insync} of {replicas} replicas: nothing can be "
            "written"
        )
    return problems


def _shapes(topics: Mapping[str, int], found: Mapping[str, dict[str, Any]]) -> list[str]:
    return [
        problem
        for topic, partitions in topics.items()
        for problem in _shape(topic, partitions, found.get(topic))
    ]


def _shape(topic: str, partitions: int, found: dict[str, Any] | None) -> list[str]:
    if found is not None and found["error_code"] == TopicAuthorizationFailedError.errno:
        return [f"{topic}: this user may not see it (needs Describe, Read and Write)"]
    if found is None or found["error_code"]:
        return [f"{topic}: does not exist; make it with: pitledger topics create"]
    if len(found["partitions"]) != partitions:
        count = len(found["partitions"])
        return [f"{topic}: has {count} partitions, must have {partitions} (PITLEDGER_PARTITIONS)"]
    return []
