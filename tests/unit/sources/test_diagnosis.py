"""Whatever a broker answers, what is found out is one line."""

import socket
import struct
from pathlib import Path

import pytest

from pitledger.sources import diagnosis
from pitledger.sources.connection import Connection, Security
from pitledger.sources.diagnosis import Finding, diagnose

LOGIN = Security(protocol="SASL_PLAINTEXT", username="wagers", password="secret")
SERVER_ERROR = -1


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def found(port, security):
    return diagnose(Connection(bootstrap=(f"127.0.0.1:{port}",), security=security))


def answering(monkeypatch, code, token):
    """The mechanism is known, and the login is answered so."""
    handshake = struct.pack(">hi", 0, 0)
    login = struct.pack(">hhi", code, -1, len(token)) + token
    answers = {diagnosis._SASL_HANDSHAKE: handshake, diagnosis._SASL_AUTHENTICATE: login}
    monkeypatch.setattr(diagnosis, "_ask", lambda _stream, api, *_: answers[api])


def test_a_login_that_fails_for_another_reason_than_the_password_is_no_lasting_fault(
    monkeypatch, port
):
    answering(monkeypatch, SERVER_ERROR, b"")
    assert found(port, LOGIN) == Finding("the login failed, with Kafka's error -1", False)


@pytest.mark.parametrize("token", [b"", b"e=other-error", b"r,s,i"])
def test_a_broker_that_answers_what_is_no_scram_is_not_who_it_says(monkeypatch, port, token):
    answering(monkeypatch, 0, token)
    assert "it is not who it says" in found(port, LOGIN).reason


def test_a_file_that_is_gone_by_now_is_named(port, tmp_path):
    gone = Path(tmp_path, "ca.pem")
    finding = found(port, Security(protocol="SSL", authorities=gone))
    assert finding == Finding(f"PITLEDGER_TLS_CA={gone}: No such file or directory", True)
