"""All settings of a process, from PITLEDGER_* variables."""

from dataclasses import dataclass

from pitledger.sources.connection import Connection
from pitledger.sources.environment import Environment

OWNERS = ("wagers", "dealing", "evaluation", "settlement")
AUDITOR = "auditor"
ARCHIVIST = "archivist"
CASES = "cases"

_PROCESSES = (*OWNERS, AUDITOR, ARCHIVIST, CASES)
_HTTP_PORTS = {owner: 9101 + index for index, owner in enumerate(_PROCESSES)}
_FETCH_WAIT_MS = {"apache": 200, "embedded": 50}
_GATHER_MS = {"apache": 12, "embedded": 0}


@dataclass(frozen=True, slots=True)
class Settings:
    """One processor's process. Times end in their unit."""

    owner: str
    connection: Connection
    group: str
    """Consumer group: one for each processor."""
    instance: str
    """Static member of the group; "" for a dynamic one. Unique among a group's processes."""
    http_host: str
    http_port: int
    """Of /metrics and /healthz; 0 takes any free port."""
    log_format: str
    log_level: str
    idempotent: bool
    fetch_wait_ms: int
    """How long the broker keeps a fetch that finds nothing."""
    gather_ms: int
    """Fetches to one broker go out so far apart at least; 0: as they come."""
    connect_s: int
    resend_s: int
    """A decision that was acknowledged but not read back for so long is sent again."""
    wait_s: int
    """A decision, whoever's, that is not on the journal after so long raises an alarm."""
    hole_s: int
    """A hole in the journal that is older ends the process."""
    stall_s: int
    """So long without a turn of the batch loop, although there is lag, ends the process."""

    @property
    def other_groups(self) -> tuple[str, ...]:
        """The groups of the other processors."""
        prefix = self.group.removesuffix(self.owner)
        return tuple(prefix + owner for owner in OWNERS if owner != self.owner)

    @classmethod
    def from_environment(cls, owner: str, environment: Environment | None = None) -> "Settings":
        """Raises SettingError."""
        assert owner in _HTTP_PORTS
        env = environment or Environment()
        connection = Connection.from_environment(env)
        return cls(
            owner=owner,
            connection=connection,
            group=f"{group_prefix(env)}.{owner}",
            instance=env.text("INSTANCE"),
            http_host=env.text("HTTP_HOST", "127.0.0.1"),
            http_port=env.whole("HTTP_PORT", _HTTP_PORTS[owner], most=65_535),
            log_format=env.choice("LOG", ("json", "console"), "json"),
            log_level=env.choice("LOG_LEVEL", ("debug", "info", "warning", "error"), "info"),
            idempotent=idempotence(env, connection),
            fetch_wait_ms=fetch_wait_ms(env, connection),
            gather_ms=gather_ms(env, connection),
            connect_s=env.whole("CONNECT_S", 15, least=1),
            resend_s=env.whole("RESEND_S", 5, least=1),
            wait_s=env.whole("WAIT_S", 10, least=1),
            hole_s=env.whole("HOLE_S", 20, least=1),
            stall_s=env.whole("STALL_S", 10, least=1),
        )


def group_prefix(env: Environment) -> str:
    """Of the names of all groups."""
    return env.text("GROUP", "pitledger")


def archive_place(env: Environment) -> str:
    """Where the archive lies, as `open_store` takes it; "": nobody said."""
    return env.text("ARCHIVE")


def idempotence(env: Environment, connection: Connection) -> bool:
    """Whether producers are idempotent: the embedded broker knows no such thing."""
    return env.flag("IDEMPOTENCE", connection.broker == "apache")


def fetch_wait_ms(env: Environment, connection: Connection) -> int:
    default = _FETCH_WAIT_MS[connection.broker]
    return env.whole("FETCH_WAIT_MS", default, least=1, most=5_000)


def gather_ms(env: Environment, connection: Connection) -> int:
    default = _GATHER_MS[connection.broker]
    return env.whole("GATHER_MS", default, most=1_000)
