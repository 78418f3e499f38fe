"""Logins and access lists on Apache Kafka: what works, and the one line where it does not."""

from dataclasses import replace

import pytest
from kafka.admin import (
    ACL,
    ACLOperation,
    ACLPermissionType,
    ResourcePattern,
    ResourceType,
)

from pitledger.sources.connection import ConnectionFailed, Security
from pitledger.sources.topics import check_topics, create_topics
from tests.broker.rig import Rig

BAD_SETTINGS = 2
START_AGAIN = 70


@pytest.fixture
def rig(apache_broker, tmp_path):
    rig = Rig(apache_broker, "apache", tmp_path)
    yield rig.create()
    rig.close()


def login(broker, user="wagers", password="w-word", **more):
    return {
        "BOOTSTRAP": broker.sasl_bootstrap,
        "SECURITY": "SASL_PLAINTEXT",
        "SASL_USERNAME": user,
        "SASL_PASSWORD": password,
        "CONNECT_S": 3,
        **more,
    }


def allow(rig, user):
    admin = rig.connection.admin()

    def rule(kind, name, operation):
        pattern = ResourcePattern(kind, name)
        return ACL(f"User:{user}", "*", operation, ACLPermissionType.ALLOW, pattern)

    topics = (rig.connection.topic, rig.connection.quarantine_topic)
    rights = [
        rule(ResourceType.TOPIC, topic, operation)
        for topic in topics
        for operation in (ACLOperation.READ, ACLOperation.WRITE, ACLOperation.DESCRIBE)
    ]
    admin.create_acls([*rights, rule(ResourceType.GROUP, f"{rig.group}.wagers", ACLOperation.READ)])
    admin.close()


def fails_with_one_line(worker, code=BAD_SETTINGS):
    assert worker.wait_exit() == code
    (line,) = worker.errors.read_text().strip().splitlines()
    assert line.startswith("wagers: ")
    assert "w-word" not in line
    return line


def test_a_processor_works_with_a_login_and_the_rights_it_needs(rig, apache_broker):
    allow(rig, "wagers")
    worker = rig.start(**login(apache_broker))
    worker.wait_ready()
    rig.wait_answered(rig.send(10))


def test_a_wrong_password_is_one_line(rig, apache_broker):
    line = fails_with_one_line(rig.start(**login(apache_broker, password="wrong")))
    assert "as wagers" in line
    assert "password refused" in line or "invalid credentials" in line


def test_a_topic_that_may_not_be_seen_is_one_line(rig, apache_broker):
    assert "may not see it" in fails_with_one_line(rig.start(**login(apache_broker)))


def test_a_listener_that_speaks_another_protocol_is_one_line(rig, apache_broker):
    line = fails_with_one_line(rig.start(SECURITY="SSL", CONNECT_S=2))
    assert "PITLEDGER_SECURITY=SSL" in line


def test_a_processor_without_a_broker_or_a_topic_is_one_line(rig):
    away = rig.start(BOOTSTRAP="127.0.0.1:1", CONNECT_S=1)
    assert "nobody listens" in fails_with_one_line(away, START_AGAIN)
    assert "does not exist" in fails_with_one_line(rig.start(TOPIC="none"))
    assert "has 2 partitions, must have 9" in fails_with_one_line(rig.start(PARTITIONS=9))


def test_topics_are_made_by_an_administrator_only(rig, apache_broker):
    def connection(user, password):
        return replace(
            rig.connection,
            bootstrap=(apache_broker.sasl_bootstrap,),
            topic=f"{rig.connection.topic}.other",
            security=Security("SASL_PLAINTEXT", username=user, password=password),
        )

    with pytest.raises(ConnectionFailed, match="TopicAuthorizationFailedError"):
        create_topics(connection("wagers", "w-word"))
    assert create_topics(connection("admin", "a-word"))[0].new
    assert check_topics(connection("admin", "a-word")) == []
