"""The shells that are compared: one engine, the same facts, another way to and from the broker."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

from bench.environment import rivals_python
from pitledger.sources.connection import Connection
from services.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class Shell:
    """`command`: the process of one processor, from its settings."""

    name: str
    what: str
    command: Callable[[Settings], list[str]]
    has_health: bool
    """Whether it serves /healthz; else it is ready when its group is stable."""


def _product(settings: Settings) -> list[str]:
    return [sys.executable, "-m", f"services.{settings.owner}"]


def _rival(module: str) -> Callable[[Settings], list[str]]:
    def command(settings: Settings) -> list[str]:
        connection: Connection = settings.connection
        return [
            *(str(rivals_python()), "-m", f"bench.rivals.{module}", settings.owner),
            *(",".join(connection.bootstrap), connection.topic, settings.group),
            *(str(connection.partitions), str(settings.gather_ms)),
        ]

    return command


PRODUCT = Shell("pitledger", "services/runtime, on Faust and aiokafka", _product, True)
SHELLS = {
    shell.name: shell
    for shell in (
        PRODUCT,
        Shell("confluent", "a bare loop on confluent-kafka", _rival("confluent"), False),
        Shell("quix", "a StreamingDataFrame of Quix Streams", _rival("quix"), False),
    )
}
