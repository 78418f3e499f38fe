"""How to reach the journal: brokers, topics, who we are. The same for every Kafka client."""

import contextlib
import logging
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kafka
from kafka.errors import (
    BrokerNotAvailableError,
    BrokerResponseError,
    KafkaError,
    UnknownBrokerIdError,
)

from pitledger.journal.record import QUARANTINE_TOPIC, TOPIC
from pitledger.sources.diagnosis import diagnose
from pitledger.sources.environment import Environment, SettingError

BROKERS = ("apache", "embedded")
PARTITIONS = {"apache": 48, "embedded": 4}
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
CONNECT_TIMEOUT_MS = 10_000
_ATTEMPT_MS = 1_000
"""So long kafka-python tries first; then it is found out whether to try again is any use."""
_PASSING = (BrokerNotAvailableError, UnknownBrokerIdError)
"""Of a broker that is just going or coming; kafka-python does not count them as passing."""


class ConnectionFailed(Exception):
    """One line: the brokers, and why they cannot be used."""


class BrokersAway(ConnectionFailed):
    """They cannot be reached now; another attempt may succeed."""


@dataclass(frozen=True, slots=True)
class Security:
    """Encryption and login; files are PEM."""

    protocol: str = "PLAINTEXT"
    mechanism: str = "SCRAM-SHA-256"
    username: str = ""
    password: str = field(default="", repr=False)
    authorities: Path | None = None
    """None: those that the system trusts."""
    certificate: Path | None = None
    key: Path | None = None
    """None: it is in the certificate's file."""
    key_password: str = field(default="", repr=False)
    checks_hostname: bool = True

    @property
    def logs_in(self) -> bool:
        return self.protocol.startswith("SASL")

    @property
    def encrypts(self) -> bool:
        return "SSL" in self.protocol

    def ssl_context(self) -> ssl.SSLContext | None:
        """None where the protocol does not encrypt. Raises SettingError for unreadable files."""
        if not self.encrypts:
            return None
        try:
            context = ssl.create_default_context(
                cafile=str(self.authorities) if self.authorities else None
            )
        except OSError as error:
            raise SettingError(f"PITLEDGER_TLS_CA={self.authorities}: {_unread(error)}") from None
        context.check_hostname = self.checks_hostname
        if self.certificate:
            try:
                # A function: without one, OpenSSL would ask the terminal for the password.
                context.load_cert_chain(self.certificate, self.key, lambda: self.key_password)
            except (OSError, ValueError) as error:
                raise SettingError(self._bad_certificate(error)) from None
        return context

    def _bad_certificate(self, error: Exception) -> str:
        if getattr(error, "reason", "") == "KEY_VALUES_MISMATCH":
            return f"PITLEDGER_TLS_KEY={self.key}: is not the key of PITLEDGER_TLS_CERT"
        key = self.key or self.certificate
        if key and isinstance(error, ssl.SSLError) and b"ENCRYPTED" in key.read_bytes():
            return f"PITLEDGER_TLS_KEY={key}: PITLEDGER_TLS_KEY_PASSWORD does not open it"
        files = ", ".join(str(path) for path in (self.certificate, self.key) if path)
        return f"PITLEDGER_TLS_CERT, PITLEDGER_TLS_KEY ({files}): {_unread(error)}"


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
    warnings: tuple[str, ...] = ()
    """What of the settings should be otherwise."""

    @classmethod
    def from_environment(cls, environment: Environment | None = None) -> "Connection":
        """Raises SettingError."""
        env = environment or Environment()
        broker = env.choice("BROKER", BROKERS, "apache")
        replication = env.whole("REPLICATION", 1, least=1, most=9)
        security = _security(env)
        env.warn_of_unknown()
        return cls(
            bootstrap=_servers(env.text("BOOTSTRAP", "127.0.0.1:9092")),
            broker=broker,
            topic=env.text("TOPIC", TOPIC),
            quarantine_topic=env.text("QUARANTINE_TOPIC", QUARANTINE_TOPIC),
            partitions=env.whole("PARTITIONS", PARTITIONS[broker], least=1, most=10_000),
            replication=replication,
            min_insync=env.whole("MIN_INSYNC", max(1, replication - 1), least=1, most=replication),
            security=security,
            warnings=tuple(env.warnings),
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
        """kafka-python's admin client, connected.

        Raises ConnectionFailed with the reason, BrokersAway if they did not answer in time.
        """
        timeout_ms = timeout_ms or CONNECT_TIMEOUT_MS
        # Of whatever is asked later, too, however late the connection came.
        return self._connected(kafka.KafkaAdminClient, timeout_ms, request_timeout_ms=timeout_ms)

    def consumer(self, **settings: Any) -> kafka.KafkaConsumer:
        """kafka-python's consumer, in no group, connected. Raises as `admin` does."""
        return self._connected(
            kafka.KafkaConsumer,
            CONNECT_TIMEOUT_MS,
            group_id=None,
            enable_auto_commit=False,
            **settings,
        )

    def producer(self, *, idempotent: bool) -> kafka.KafkaProducer:
        """kafka-python's producer, connected. Raises as `admin` does."""
        return self._connected(
            kafka.KafkaProducer, CONNECT_TIMEOUT_MS, acks="all", enable_idempotence=idempotent
        )

    def _connected(self, client: Callable[..., Any], timeout_ms: int, **settings: Any) -> Any:
        """In short attempts: in each, kafka-python asks one server, whichever, and no other."""
        deadline = time.monotonic() + timeout_ms / 1000
        attempt_ms = _ATTEMPT_MS
        while True:
            left_ms = max(1, int((deadline - time.monotonic()) * 1000))
            try:
                with quiet("kafka"):
                    return client(
                        bootstrap_timeout_ms=min(left_ms, attempt_ms),
                        **settings,
                        **self.client_settings(),
                    )
            except KafkaError as error:
                finding = diagnose(self)
                told = self.explain(error, finding.reason if finding else "")
                if finding and finding.lasting:
                    raise ConnectionFailed(told) from None
                if time.monotonic() >= deadline:
                    raise BrokersAway(told) from None
                attempt_ms *= 2

    def failure(self, error: KafkaError) -> ConnectionFailed:
        """What to raise: BrokersAway where another attempt may succeed."""
        is_passing = error.retriable or isinstance(error, _PASSING)
        return (BrokersAway if is_passing else ConnectionFailed)(self.explain(error))

    def explain(self, error: BaseException, reason: str = "") -> str:
        """One line about a failed connection or request."""
        where = ",".join(self.bootstrap)
        who = f" as {self.security.username}" if self.security.logs_in else ""
        if isinstance(error, BrokerResponseError) and error.description:
            reason = f"{type(error).__name__}: {error.description}"
        reason = " ".join((reason or str(error)).split()) or type(error).__name__
        return f"Kafka at {where}{who}: {reason[:300]}"


@contextlib.contextmanager
def quiet(library: str) -> Iterator[None]:
    """Without what a client library logs: what failed is said in one line."""
    logger = logging.getLogger(library)
    handler, propagate = logging.NullHandler(), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate


def _unread(error: Exception) -> str:
    reason: str = getattr(error, "strerror", None) or getattr(error, "reason", None) or str(error)
    return "is no PEM file" if isinstance(error, ssl.SSLError) else reason


def _servers(text: str) -> tuple[str, ...]:
    servers = tuple(server.strip() for server in text.split(",") if server.strip())
    for server in servers:
        host, _, port = server.rpartition(":")
        if not host or not port.isdigit():
            raise SettingError(f"PITLEDGER_BOOTSTRAP={text}: {server} is not host:port")
    if not servers:
        raise SettingError(f"PITLEDGER_BOOTSTRAP={text}: names no broker")
    return servers


def _nothing_is_meant_to_be_secure(security: Security) -> None:
    """Raises SettingError: who sets these and no protocol believes that they are used."""
    for name, value, protocols in (
        ("SASL_USERNAME", security.username, "SASL_SSL or SASL_PLAINTEXT"),
        ("SASL_PASSWORD", security.password, "SASL_SSL or SASL_PLAINTEXT"),
        ("TLS_CA", security.authorities, "SSL or SASL_SSL"),
        ("TLS_CERT", security.certificate, "SSL or SASL_SSL"),
    ):
        if value:
            raise SettingError(f"PITLEDGER_{name}: needs PITLEDGER_SECURITY={protocols}")


def _security(env: Environment) -> Security:
    protocol = env.choice("SECURITY", PROTOCOLS, "PLAINTEXT")
    security = Security(
        protocol=protocol,
        mechanism=env.choice("SASL_MECHANISM", MECHANISMS, "SCRAM-SHA-256"),
        username=env.text("SASL_USERNAME"),
        password=env.secret("SASL_PASSWORD"),
        authorities=env.file("TLS_CA"),
        certificate=env.file("TLS_CERT"),
        key=env.private_file("TLS_KEY"),
        key_password=env.secret("TLS_KEY_PASSWORD"),
        checks_hostname=env.flag("TLS_HOSTNAME_CHECK", True),
    )
    if security.logs_in and not (security.username and security.password):
        raise SettingError(
            f"PITLEDGER_SECURITY={protocol}: needs PITLEDGER_SASL_USERNAME and "
            "PITLEDGER_SASL_PASSWORD (or PITLEDGER_SASL_PASSWORD_FILE)"
        )
    if not env.is_set("SECURITY"):
        _nothing_is_meant_to_be_secure(security)
    if security.key and not security.certificate:
        raise SettingError("PITLEDGER_TLS_KEY: needs PITLEDGER_TLS_CERT")
    return security
