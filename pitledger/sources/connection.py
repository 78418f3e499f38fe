"""How to reach the journal: brokers, topics, who we are. The same for every Kafka client."""

import contextlib
import logging
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kafka
from kafka.errors import BrokerResponseError, KafkaError

from pitledger.journal.record import QUARANTINE_TOPIC, TOPIC
from pitledger.sources.environment import Environment, SettingError

BROKERS = ("apache", "embedded")
PARTITIONS = {"apache": 48, "embedded": 4}
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
CONNECT_TIMEOUT_MS = 10_000


class ConnectionFailed(Exception):
    """One line: the brokers, and why they cannot be used."""


@dataclass(frozen=True, slots=True)
class Security:
    """Encryption and login; files are PEM."""

    protocol: str = "PLAINTEXT"
    mechanism: str = "SCRAM-SHA-256"
    username: str = ""
    password: str = field(default="", repr=False)
    authorities: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    @property
    def logs_in(self) -> bool:
        return self.protocol.startswith("SASL")

    def ssl_context(self) -> ssl.SSLContext | None:
        """None where the protocol does not encrypt. Raises SettingError for unreadable files."""
        if "SSL" not in self.protocol:
            return None
        try:
            context = ssl.create_default_context(
                cafile=str(self.authorities) if self.authorities else None
            )
            if self.certificate:
                context.load_cert_chain(self.certificate, self.key)
        except (ssl.SSLError, OSError) as error:
            raise SettingError(f"PITLEDGER_TLS_*: {error}") from None
        return context


@dataclass(frozen=True, slots=True)
class Connection:
    """Brokers, topics and security; `partitions` is the journal's partition count."""

    bootstrap: tuple[str, ...] = ("127.0.0.1:9092",)
    broker: str = "apache"
    topic: str = TOPIC
    quarantine_topic: str = QUARANTINE_TOPIC
    partitions: int = PARTITIONS["apache"]
    replication: int = 1
    min_insync: int = 1
    security: Security = Security()

    @classmethod
    def from_environment(cls, environment: Environment | None = None) -> "Connection":
        """Raises SettingError."""
        env = environment or Environment()
        broker = env.choice("BROKER", BROKERS, "apache")
        replication = env.whole("REPLICATION", 1, least=1, most=9)
        return cls(
            bootstrap=_servers(env.text("BOOTSTRAP", "127.0.0.1:9092")),
            broker=broker,
            topic=env.text("TOPIC", TOPIC),
            quarantine_topic=env.text("QUARANTINE_TOPIC", QUARANTINE_TOPIC),
            partitions=env.whole("PARTITIONS", PARTITIONS[broker], least=1, most=10_000),
            replication=replication,
            min_insync=env.whole("MIN_INSYNC", max(1, replication - 1), least=1, most=replication),
            security=_security(env),
        )

    def client_settings(self) -> dict[str, Any]:
        """Keyword arguments of every client of aiokafka and kafka-python."""
        settings: dict[str, Any] = {
            "bootstrap_servers": list(self.bootstrap),
            "security_protocol": self.security.protocol,
            "ssl_context": self.security.ssl_context(),
        }
        if self.security.logs_in:
            settings |= {
                "sasl_mechanism": self.security.mechanism,
                "sasl_plain_username": self.security.username,
                "sasl_plain_password": self.security.password,
            }
        return settings

    def admin(self, timeout_ms: int | None = None) -> kafka.KafkaAdminClient:
        """kafka-python's admin client, connected. Raises ConnectionFailed with the reason."""
        timeout_ms = timeout_ms or CONNECT_TIMEOUT_MS
        with _reasons() as reasons:
            try:
                return kafka.KafkaAdminClient(
                    request_timeout_ms=timeout_ms,
                    bootstrap_timeout_ms=timeout_ms,
                    **self.client_settings(),
                )
            except KafkaError as error:
                telling = [reason for reason in reasons if "timed out" not in reason]
                told = self._in_words((telling or reasons or [str(error)])[-1])
                raise ConnectionFailed(self.explain(error, told)) from None

    def explain(self, error: BaseException, reason: str = "") -> str:
        """One line about a failed connection or request."""
        where = ",".join(self.bootstrap)
        who = f" as {self.security.username}" if self.security.logs_in else ""
        if isinstance(error, BrokerResponseError) and error.description:
            reason = f"{type(error).__name__}: {error.description}"
        reason = " ".join((reason or str(error)).split()) or type(error).__name__
        return f"Kafka at {where}{who}: {reason[:300]}"

    def _in_words(self, logged: str) -> str:
        match logged:
            case text if "ECONNREFUSED" in text:
                return "nobody listens there"
            case text if "disconnected" in text and self.security.logs_in:
                return "the broker closed the connection: user or password refused"
            case text if "disconnected" in text or "EOF occurred" in text:
                return (
                    "the broker closed the connection: it speaks another protocol than "
                    f"PITLEDGER_SECURITY={self.security.protocol}"
                )
            case text if "Unable to bootstrap" in text or "timed out" in text:
                return f"no answer to PITLEDGER_SECURITY={self.security.protocol}"
            case text:
                return text.split("SaslAuthenticationFailedError: ")[-1]


@contextlib.contextmanager
def _reasons() -> Iterator[list[str]]:
    """What kafka-python logs about failed connections: its exceptions do not say why."""
    reasons: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found = record.getMessage()
            if "Bootstrap connection" in found and "failed: " in found:
                reasons.append(found.split("failed: ", 1)[1].split(" (backoff")[0])

    logger = logging.getLogger("kafka")
    handler, propagate = Keep(logging.WARNING), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield reasons
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate


def _servers(text: str) -> tuple[str, ...]:
    servers = tuple(server.strip() for server in text.split(",") if server.strip())
    for server in servers:
        host, _, port = server.rpartition(":")
        if not host or not port.isdigit():
            raise SettingError(f"PITLEDGER_BOOTSTRAP={text}: {server} is not host:port")
    if not servers:
        raise SettingError(f"PITLEDGER_BOOTSTRAP={text}: names no broker")
    return servers


def _security(env: Environment) -> Security:
    protocol = env.choice("SECURITY", PROTOCOLS, "PLAINTEXT")
    security = Security(
        protocol=protocol,
        mechanism=env.choice("SASL_MECHANISM", MECHANISMS, "SCRAM-SHA-256"),
        username=env.text("SASL_USERNAME"),
        password=env.secret("SASL_PASSWORD"),
        authorities=env.file("TLS_CA"),
        certificate=env.file("TLS_CERT"),
        key=env.file("TLS_KEY"),
    )
    if security.logs_in and not (security.username and security.password):
        raise SettingError(
            f"PITLEDGER_SECURITY={protocol}: needs PITLEDGER_SASL_USERNAME and "
            "PITLEDGER_SASL_PASSWORD (or PITLEDGER_SASL_PASSWORD_FILE)"
        )
    if security.key and not security.certificate:
        raise SettingError("PITLEDGER_TLS_KEY: needs PITLEDGER_TLS_CERT")
    return security
