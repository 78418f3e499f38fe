"""Settings from the environment: what is read, and the one line for what is wrong."""

import pytest

from pitledger.sources.connection import Connection
from pitledger.sources.environment import Environment, SettingError
from services.runtime.settings import Settings


def settings(owner="wagers", **variables):
    return Settings.from_environment(
        owner, Environment({f"PITLEDGER_{name}": value for name, value in variables.items()})
    )


def test_without_any_variable_it_is_a_local_apache_kafka():
    found = settings()
    assert found.connection.bootstrap == ("127.0.0.1:9092",)
    assert found.connection.partitions == 48
    assert found.group == "pitledger.wagers"
    assert found.idempotent
    assert found.instance == ""
    assert found.log_format == "json"


def test_the_embedded_broker_has_four_partitions_and_no_idempotent_producers():
    found = settings(BROKER="embedded")
    assert found.connection.partitions == 4
    assert not found.idempotent
    assert found.fetch_wait_ms == 50
    assert found.gather_ms == 0


def test_each_processor_has_a_group_and_a_port_of_its_own():
    owners = ("wagers", "dealing", "evaluation", "settlement")
    found = [settings(owner, GROUP="casino") for owner in owners]
    assert [each.group for each in found] == [f"casino.{owner}" for owner in owners]
    assert len({each.http_port for each in found}) == 4


def test_several_brokers_are_separated_by_commas():
    assert settings(BOOTSTRAP="a:1, b:2").connection.bootstrap == ("a:1", "b:2")


def test_brokers_that_name_none_are_refused():
    with pytest.raises(SettingError, match=r"PITLEDGER_BOOTSTRAP=,: names no broker"):
        settings(BOOTSTRAP=",")


def test_with_replicas_one_of_them_may_be_away():
    assert settings(REPLICATION="3").connection.min_insync == 2


def test_a_password_may_lie_in_a_file(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("word\n")
    found = settings(
        SECURITY="SASL_PLAINTEXT", SASL_USERNAME="u", SASL_PASSWORD_FILE=str(secret)
    ).connection
    assert found.client_settings()["sasl_plain_password"] == "word"
    assert found.client_settings()["sasl_mechanism"] == "SCRAM-SHA-256"


def test_a_file_that_is_no_text_is_no_password(tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingError, match=r"PITLEDGER_SASL_PASSWORD_FILE=.*is no text"):
        settings(SECURITY="SASL_PLAINTEXT", SASL_USERNAME="u", SASL_PASSWORD_FILE=str(secret))


def test_tls_verifies_the_broker():
    context = settings(SECURITY="SSL").connection.client_settings()["ssl_context"]
    assert context.check_hostname


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({"BROKER": "tansu"}, "PITLEDGER_BROKER=tansu: must be one of apache, embedded"),
        ({"PARTITIONS": "many"}, "PITLEDGER_PARTITIONS=many: must be a whole number"),
        ({"PARTITIONS": "-4"}, "PITLEDGER_PARTITIONS=-4: must be a whole number"),
        ({"PARTITIONS": "0"}, "PITLEDGER_PARTITIONS=0: must be from 1 to 10000"),
        ({"BOOTSTRAP": "kafka"}, "PITLEDGER_BOOTSTRAP=kafka: kafka is not host:port"),
        ({"HTTP_PORT": "99999"}, "PITLEDGER_HTTP_PORT=99999: must be from 0 to 65535"),
        ({"HTTP_PORT": "9" * 5000}, f"PITLEDGER_HTTP_PORT={'9' * 5000}: must be from 0 to 65535"),
        ({"LOG": "xml"}, "PITLEDGER_LOG=xml: must be one of json, console"),
        ({"IDEMPOTENCE": "yes"}, "PITLEDGER_IDEMPOTENCE=yes: must be one of on, off"),
        ({"MIN_INSYNC": "2"}, "PITLEDGER_MIN_INSYNC=2: must be from 1 to 1"),
        ({"TLS_CA": "/no/ca.pem"}, "PITLEDGER_TLS_CA=/no/ca.pem: there is no such file"),
        ({"SECURITY": "SASL_SSL"}, "PITLEDGER_SECURITY=SASL_SSL: needs PITLEDGER_SASL_USERNAME"),
        ({"SASL_PASSWORD_FILE": "/no"}, "PITLEDGER_SASL_PASSWORD_FILE=/no: there is no such file"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(variables, line):
    with pytest.raises(SettingError) as caught:
        settings(**variables)
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


def test_a_certificate_that_is_none_is_said_in_one_line(tmp_path):
    bad = tmp_path / "ca.pem"
    bad.write_text("no certificate")
    connection = settings(SECURITY="SSL", TLS_CA=str(bad)).connection
    with pytest.raises(SettingError, match="PITLEDGER_TLS_"):
        connection.client_settings()


def test_a_connection_shows_no_password_in_its_errors():
    found = settings(SECURITY="SASL_PLAINTEXT", SASL_USERNAME="u", SASL_PASSWORD="hidden")
    assert isinstance(found.connection, Connection)
    assert "hidden" not in found.connection.explain(OSError("refused"))
    assert "hidden" not in repr(found)
