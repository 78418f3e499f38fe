"""kafka-python's clients, as far as they can be judged without a broker."""

import kafka
import pytest
from kafka.errors import (
    BrokerNotAvailableError,
    KafkaConnectionError,
    KafkaTimeoutError,
    TopicAuthorizationFailedError,
    UnknownBrokerIdError,
)

from pitledger.sources import connection
from pitledger.sources.connection import (
    CONNECT_TIMEOUT_MS,
    BrokersAway,
    Connection,
    ConnectionFailed,
)
from pitledger.sources.diagnosis import Finding
from pitledger.sources.topics import identity


@pytest.mark.parametrize(("asked", "timeout_ms"), [(None, CONNECT_TIMEOUT_MS), (3000, 3000)])
def test_a_client_that_connected_late_has_the_whole_time_for_what_it_asks(
    monkeypatch, asked, timeout_ms
):
    # given: brokers that take three attempts
    attempts = []

    def connect(**settings):
        attempts.append(settings)
        if len(attempts) < 3:
            raise KafkaTimeoutError
        return "connected"

    monkeypatch.setattr(kafka, "KafkaAdminClient", connect)
    monkeypatch.setattr(connection, "diagnose", lambda _connection: None)
    # when
    assert Connection().admin(asked) == "connected"
    # then: only the attempts are short
    assert {each["request_timeout_ms"] for each in attempts} == {timeout_ms}
    assert attempts[0]["bootstrap_timeout_ms"] == 1000
    assert all(each["bootstrap_timeout_ms"] <= timeout_ms for each in attempts)


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("KafkaConsumer", lambda connection: connection.consumer(auto_offset_reset="none")),
        ("KafkaProducer", lambda connection: connection.producer(idempotent=True)),
    ],
)
def test_a_client_asks_another_server_where_one_does_not_answer(monkeypatch, kind, make):
    # given: a server that hangs; kafka-python asks one, whichever, as long as an attempt may take
    attempts = []

    def connect(**settings):
        attempts.append(settings)
        if len(attempts) < 3:
            raise KafkaTimeoutError
        return "connected"

    monkeypatch.setattr(kafka, kind, connect)
    monkeypatch.setattr(connection, "diagnose", lambda _connection: None)
    # when
    assert make(Connection()) == "connected"
    # then
    assert [each["bootstrap_timeout_ms"] for each in attempts] == [1000, 2000, 4000]


@pytest.mark.parametrize("lasting", [False, True])
def test_a_client_that_cannot_connect_says_why_and_whether_to_try_again(monkeypatch, lasting):
    # given
    def connect(**_settings):
        raise KafkaTimeoutError

    monkeypatch.setattr(kafka, "KafkaConsumer", connect)
    monkeypatch.setattr(connection, "CONNECT_TIMEOUT_MS", 1)
    monkeypatch.setattr(connection, "diagnose", lambda _connection: Finding("asleep", lasting))
    # when
    with pytest.raises(ConnectionFailed, match="asleep") as failed:
        Connection().consumer()
    # then
    assert isinstance(failed.value, BrokersAway) is not lasting


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (KafkaConnectionError("111 ECONNREFUSED"), BrokersAway),
        (KafkaTimeoutError(), BrokersAway),
        (UnknownBrokerIdError(3), BrokersAway),
        (BrokerNotAvailableError(), BrokersAway),
        (TopicAuthorizationFailedError(), ConnectionFailed),
    ],
    ids=lambda each: each.__name__ if isinstance(each, type) else type(each).__name__,
)
def test_what_may_pass_is_told_from_what_a_person_must_mend(monkeypatch, error, kind):
    """Also where the journal's topic is looked at: every reader does so as it starts."""
    assert type(Connection().failure(error)) is kind

    class Admin:
        def describe_topics(self, _topics):
            raise error

        def close(self):
            pass

    monkeypatch.setattr(Connection, "admin", lambda _self, _timeout_ms: Admin())
    with pytest.raises(ConnectionFailed) as failed:
        identity(Connection())
    assert type(failed.value) is kind
