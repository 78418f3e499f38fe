"""A start that fails says whether another may succeed: the exit code goes by it."""

import pytest
from kafka.errors import KafkaTimeoutError, TopicAuthorizationFailedError

from pitledger.sources.connection import BrokersAway, Connection, ConnectionFailed
from services.auditor import process
from services.runtime import following


def started(monkeypatch, error):
    def follower(*_):
        raise error

    monkeypatch.setattr(following, "Follower", follower)
    with pytest.raises(ConnectionFailed) as raised:
        process._follower(Connection(), 0)
    return raised.value


def test_a_broker_that_dies_while_the_auditor_looks_where_to_begin_is_away(monkeypatch):
    assert isinstance(started(monkeypatch, KafkaTimeoutError()), BrokersAway)


def test_a_right_that_is_missing_stays_missing(monkeypatch):
    assert not isinstance(started(monkeypatch, TopicAuthorizationFailedError()), BrokersAway)
