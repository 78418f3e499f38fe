"""The admin client, as far as it can be judged without a broker."""

import kafka
import pytest
from kafka.errors import KafkaTimeoutError

from pitledger.sources import connection
from pitledger.sources.connection import CONNECT_TIMEOUT_MS, Connection


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
