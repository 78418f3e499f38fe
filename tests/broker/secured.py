"""Apache Kafka with every listener a client may meet, and a user for each principal.

Tests of one module share it: a broker takes seconds to start.
"""

from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

from pitledger.sources.connection import Connection
from pitledger.sources.environment import Environment
from services.broker.apache import ApacheKafka
from services.broker.process import free_port
from tests.broker.certificates import Authority
from tests.broker.rig import Rig

ACLS = "deploy/kafka/acls.toml"

PRINCIPALS = (
    "gateway", "wagers", "dealing", "evaluation", "settlement", "cases", "floor", "archivist",
    "auditor", "desk", "operator",
)  # fmt: skip


def password_of(user: str) -> str:
    """What no output of any process may hold."""
    return f"s3cret-of-{user}"


@dataclass(frozen=True)
class Listener:
    name: str
    protocol: str
    port: int
    settings: dict[str, object]


class SecuredKafka(ApacheKafka):
    """Listeners on localhost: `login` (SASL), `tls` (SASL over TLS), `mutual`, `expired`.

    The certificates are for the name localhost: by 127.0.0.1 the name is wrong.
    """

    def __init__(self, folder: Path) -> None:
        users = {name: password_of(name) for name in (*PRINCIPALS, "stranger")}
        super().__init__(data=folder / "data", users={**users, "admin": password_of("admin")})
        self.authority = Authority(folder, "house")
        self.stranger = Authority(folder, "stranger")
        server = self.authority.issue("broker", host="localhost").both
        old = self.authority.issue("old", host="localhost", days=-1).both
        mutual = {
            "ssl.client.auth": "required",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": self.authority.certificate,
            "ssl.principal.mapping.rules": "RULE:^CN=([^,]+).*$/$1/",
        }
        self.listeners = {
            name: Listener(name.upper(), protocol, free_port(), _keystore(store) | more)
            for name, protocol, store, more in (
                ("tls", "SASL_SSL", server, _SCRAM),
                ("mutual", "SSL", server, mutual),
                ("expired", "SSL", old, {}),
            )
        }

    def at(self, listener: str, host: str = "localhost") -> str:
        return f"{host}:{self.listeners[listener].port}"

    def recipe(self) -> str:
        lines = super().recipe().splitlines()
        listeners = self.listeners.values()
        bound = "".join(f",{each.name}://localhost:{each.port}" for each in listeners)
        spoken = "".join(f",{each.name}:{each.protocol}" for each in listeners)
        for index, line in enumerate(lines):
            match line.split("=")[0]:
                case "listeners" | "advertised.listeners":
                    lines[index] = line.replace("{listeners}", "{listeners}" + bound)
                case "listener.security.protocol.map":
                    lines[index] = line + spoken
        for each in listeners:
            prefix = f"listener.name.{each.name.lower()}"
            lines += [f"{prefix}.{name}={value}" for name, value in each.settings.items()]
        return "\n".join([*lines, ""])


_SCRAM: dict[str, object] = {
    "scram-sha-256.sasl.jaas.config": (
        "org.apache.kafka.common.security.scram.ScramLoginModule required;"
    ),
    "scram-sha-512.sasl.jaas.config": (
        "org.apache.kafka.common.security.scram.ScramLoginModule required;"
    ),
    "sasl.enabled.mechanisms": "SCRAM-SHA-256,SCRAM-SHA-512",
}


def _keystore(pem: Path) -> dict[str, object]:
    return {"ssl.keystore.type": "PEM", "ssl.keystore.location": pem}


class Bus:
    """A rig on a secured broker: settings of a user, and the access lists of its topics."""

    def __init__(self, broker: SecuredKafka, folder: Path, partitions: int = 4) -> None:
        self.broker = broker
        self.rig = Rig(broker, "apache", folder, partitions).create()
        self.folder = folder

    def login(self, user: str, listener: str = "tls", **more: object) -> dict[str, object]:
        """PITLEDGER_* of a user who logs in over TLS; the password is in a file."""
        secret = self.folder / f"{user}.password"
        secret.write_text(password_of(user) + "\n")
        secret.chmod(0o600)
        return {
            "BOOTSTRAP": self.broker.at(listener),
            "SECURITY": "SASL_SSL",
            "SASL_USERNAME": user,
            "SASL_PASSWORD_FILE": secret,
            "TLS_CA": self.broker.authority.certificate,
            **more,
        }

    def connection(self, user: str) -> Connection:
        """The same for a client in this process."""
        return Connection.from_environment(Environment(self.rig.environment(**self.login(user))))

    def grant(self, *options: str) -> CompletedProcess:
        """Apply deploy/kafka/acls.toml as the broker's administrator."""
        done = self.rig.pitledger("topics", "acls", "apply", ACLS, *options, **self.login("admin"))
        assert done.returncode == 0, done.stderr
        return done
