"""Each way in which TLS or a login fails is one line, of a processor, the floor and a command.

And in none of them any output holds the password, or that of the key.
"""

import subprocess
import sys
from dataclasses import dataclass
from itertools import islice

import kafka
import pytest
from kafka.admin import ScramMechanism, UserScramCredentialUpsertion

from tests.broker.certificates import KEY_PASSWORD, locked
from tests.broker.rig import ROOT
from tests.broker.secured import Bus, password_of

PROCESSES = {
    "wagers": ["-m", "services.wagers"],
    "floor": ["-m", "services.floor", "--rounds=1"],
    "pitledger": ["-c", "from services.cli import main; main()", "topics", "check"],
}
BAD_SETTINGS = 2
WRONG = "a-wrong-passw0rd"


@pytest.fixture(scope="module")
def bus(secured_broker, tmp_path_factory):
    bus = Bus(secured_broker, tmp_path_factory.mktemp("refused"))
    bus.grant()
    yield bus
    bus.rig.close()


@dataclass(frozen=True)
class Failure:
    """Settings on top of a good login, and the words that say what is wrong."""

    words: tuple[str, ...]
    settings: dict[str, object]


def failures(bus):
    broker = bus.broker
    plain = {"SECURITY": "PLAINTEXT"}
    mutual = {"SECURITY": "SSL", "BOOTSTRAP": broker.at("mutual")}
    ours, theirs = broker.authority.issue("wagers"), broker.stranger.issue("wagers")
    return {
        "a password that is another": Failure(
            ("user or password refused", "as wagers", "PITLEDGER_SASL_USERNAME"),
            {"SASL_PASSWORD": WRONG, "SASL_PASSWORD_FILE": ""},
        ),
        "a mechanism that the broker lacks": Failure(
            ("PITLEDGER_SASL_MECHANISM=PLAIN", "SCRAM-SHA-256"), {"SASL_MECHANISM": "PLAIN"}
        ),
        "an authority that is another": Failure(
            ("authority that is not trusted", "PITLEDGER_TLS_CA"),
            {"TLS_CA": broker.stranger.certificate},
        ),
        "a host that is not the certificate's": Failure(
            ("certificate is for another host", "PITLEDGER_BOOTSTRAP"),
            {"BOOTSTRAP": broker.at("tls", "127.0.0.1")},
        ),
        "a certificate that has expired": Failure(
            ("certificate has expired",), {"SECURITY": "SSL", "BOOTSTRAP": broker.at("expired")}
        ),
        "a plaintext client at a TLS port": Failure(
            ("speaks TLS", "PITLEDGER_SECURITY=PLAINTEXT"), plain
        ),
        "a TLS client at a plaintext port": Failure(
            ("does not speak TLS", "PITLEDGER_SECURITY=SSL"),
            {"SECURITY": "SSL", "BOOTSTRAP": broker.bootstrap},
        ),
        "no login where one is asked for": Failure(
            ("asks for a login", "PITLEDGER_SECURITY=PLAINTEXT"),
            plain | {"BOOTSTRAP": broker.sasl_bootstrap},
        ),
        "a login where none is asked for": Failure(
            ("has no login", "PITLEDGER_SECURITY=SASL_PLAINTEXT"),
            {"SECURITY": "SASL_PLAINTEXT", "BOOTSTRAP": broker.bootstrap},
        ),
        "no certificate where one is asked for": Failure(
            ("client's certificate is missing", "PITLEDGER_TLS_CERT"), mutual
        ),
        "a client's certificate of a stranger": Failure(
            ("client's certificate is refused", "PITLEDGER_TLS_CERT"),
            mutual | {"TLS_CERT": theirs.certificate, "TLS_KEY": theirs.key},
        ),
        "a key whose password is another": Failure(
            ("PITLEDGER_TLS_KEY_PASSWORD does not open it", "wagers.locked"),
            mutual | {"TLS_CERT": ours.certificate, "TLS_KEY": locked(ours.key),
                      "TLS_KEY_PASSWORD": WRONG},
        ),
        "a key of another certificate": Failure(
            ("PITLEDGER_TLS_KEY", "is not the key of"),
            mutual | {"TLS_CERT": ours.certificate, "TLS_KEY": theirs.key},
        ),
        "an authority's file that is none": Failure(
            ("PITLEDGER_TLS_CA", "is no PEM file"), {"TLS_CA": ROOT / "pyproject.toml"}
        ),
    }  # fmt: skip


@pytest.mark.parametrize("name", PROCESSES)
def test_each_failure_is_one_line_without_a_secret(bus, name):
    """A processor meets each; whom the same code connects, the first seven."""
    # All start at once, which may take longer than they wait for a broker.
    login = bus.login("wagers", LOG_LEVEL="debug", CONNECT_S=60)
    started = {
        what: (failure, start(bus, name, **login | failure.settings))
        for what, failure in islice(failures(bus).items(), None if name == "wagers" else 7)
    }
    for what, (failure, process) in started.items():
        out, err = process.communicate(timeout=120)
        told = [line for line in err.splitlines() if "everybody may read" not in line]
        assert len(told) == 1, (what, err)
        assert told[0].startswith(f"{name}: "), what
        for words in failure.words:
            assert words in told[0], what
        assert process.returncode == BAD_SETTINGS, (what, told)
        for secret in (password_of("wagers"), WRONG, KEY_PASSWORD):
            assert secret not in out + err, what


def test_a_client_certificate_with_a_locked_key_is_a_login(bus):
    pair = bus.broker.authority.issue("wagers")
    password = bus.folder / "key.password"
    password.write_text(KEY_PASSWORD + "\r\n")
    password.chmod(0o644)
    worker = bus.rig.start(
        BOOTSTRAP=bus.broker.at("mutual"), SECURITY="SSL", CONNECT_S=60,
        TLS_CA=bus.broker.authority.certificate, TLS_CERT=pair.certificate,
        TLS_KEY=locked(pair.key), TLS_KEY_PASSWORD_FILE=password, LOG_LEVEL="debug",
    )  # fmt: skip
    worker.wait_ready()
    assert "everybody may read it" in worker.line("settings")["reason"]
    bus.rig.wait_answered(bus.rig.send(2))
    assert KEY_PASSWORD not in worker.log.read_text() + worker.errors.read_text()
    # Its name gives it the rights of wagers, and of nobody else.
    other = start(bus, "pitledger", **certificate_login(bus, "stranger"))
    out, _ = other.communicate(timeout=120)
    assert (other.returncode, out.count("may not see it")) == (1, 2)


def test_scram_sha_512_is_a_login_too(bus):
    admin = kafka.KafkaAdminClient(bootstrap_servers=bus.broker.bootstrap)
    admin.alter_user_scram_credentials(
        [UserScramCredentialUpsertion("desk", ScramMechanism.SCRAM_SHA_512, password_of("desk"))]
    )
    admin.close()
    done = bus.rig.pitledger(
        "topics", "check", **bus.login("desk", SASL_MECHANISM="SCRAM-SHA-512")
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_without_the_hostname_check_another_name_will_do(bus):
    elsewhere = bus.login("desk", BOOTSTRAP=bus.broker.at("tls", "127.0.0.1"))
    done = bus.rig.pitledger("topics", "check", **elsewhere, TLS_HOSTNAME_CHECK="off")
    assert (done.returncode, done.stderr) == (0, "")


def certificate_login(bus, user):
    pair = bus.broker.authority.issue(user)
    return {
        "BOOTSTRAP": bus.broker.at("mutual"), "SECURITY": "SSL",
        "TLS_CA": bus.broker.authority.certificate,
        "TLS_CERT": pair.certificate, "TLS_KEY": pair.key,
    }  # fmt: skip


def start(bus, name, **settings):
    return subprocess.Popen(
        [sys.executable, *PROCESSES[name]], env=bus.rig.environment(**settings), cwd=ROOT,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
