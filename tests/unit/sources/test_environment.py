"""Secrets come from files or the environment, whole, and are not shown."""

import pytest

from pitledger.sources.connection import Connection, Security
from pitledger.sources.environment import Environment, SettingError

SECRET = "s3cret words "


def environment(**variables):
    return Environment({f"PITLEDGER_{name}": str(value) for name, value in variables.items()})


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "secret"
    path.write_text(SECRET + "\n")
    path.chmod(0o600)
    return path


def test_a_file_wins_over_a_variable_and_only_its_newline_is_cut(file):
    env = environment(SASL_PASSWORD="other", SASL_PASSWORD_FILE=file)
    assert env.secret("SASL_PASSWORD") == SECRET
    assert env.warnings == []


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_whichever_newline_ends_the_file(file, end):
    file.write_bytes(SECRET.encode() + end.encode())
    assert environment(SASL_PASSWORD_FILE=file).secret("SASL_PASSWORD") == SECRET


def test_a_variable_is_taken_as_it_is():
    assert environment(SASL_PASSWORD=SECRET).secret("SASL_PASSWORD") == SECRET


def test_a_secret_that_everybody_may_read_is_warned_of(file):
    file.chmod(0o644)
    env = environment(SASL_PASSWORD_FILE=file)
    env.secret("SASL_PASSWORD")
    (line,) = env.warnings
    assert line == f"PITLEDGER_SASL_PASSWORD_FILE={file}: everybody may read it; use chmod o-r"


def test_a_secret_that_its_group_may_read_is_not(file):
    """So does Kubernetes mount them for who is not root."""
    file.chmod(0o440)
    env = environment(SASL_PASSWORD_FILE=file)
    assert env.secret("SASL_PASSWORD") == SECRET
    assert env.warnings == []


def test_a_file_that_is_no_text_is_one_line(file):
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingError, match="is no text"):
        environment(SASL_PASSWORD_FILE=file).secret("SASL_PASSWORD")


def test_warnings_come_with_the_connection(file):
    file.chmod(0o644)
    connection = Connection.from_environment(
        environment(SECURITY="SASL_SSL", SASL_USERNAME="u", SASL_PASSWORD_FILE=file)
    )
    assert len(connection.warnings) == 1
    assert connection.security.password == SECRET


def test_a_setting_that_nobody_reads_is_warned_of_and_others_variables_are_not():
    variables = {
        "PITLEDGER_BOOTSTRP": "kafka-1:9092",
        "PITLEDGER_AUDIT_FROM": "day",
        "PITLEDGER_FLOOR_RATE": "2",
        "PATH": "/bin",
    }
    connection = Connection.from_environment(Environment(variables))
    assert connection.warnings == ("PITLEDGER_BOOTSTRP: there is no such setting; it is ignored",)


@pytest.mark.parametrize("name", ["SASL_USERNAME", "SASL_PASSWORD", "TLS_CA", "TLS_CERT"])
def test_a_login_or_an_authority_that_nothing_would_use_is_refused(name, file):
    with pytest.raises(SettingError, match=f"PITLEDGER_{name}: needs PITLEDGER_SECURITY=S"):
        Connection.from_environment(environment(**{name: file}))


def test_one_that_is_not_used_because_a_protocol_is_chosen_is_no_fault(file):
    settings = {"SASL_USERNAME": "u", "TLS_CA": file}
    security = Connection.from_environment(environment(SECURITY="PLAINTEXT", **settings)).security
    assert not security.logs_in
    assert not security.encrypts


def test_no_secret_is_in_what_is_printed_of_a_connection():
    security = Security("SASL_SSL", username="u", password=SECRET, key_password=SECRET)
    shown = f"{Connection(security=security)!r} {security} {Connection(security=security)}"
    assert SECRET.strip() not in shown
