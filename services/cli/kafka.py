"""The connection of PITLEDGER_* settings, for commands."""

from typing import TYPE_CHECKING

from services.cli.output import Failed, warn

if TYPE_CHECKING:
    from pitledger.sources.connection import Connection


def kafka_connection() -> "Connection":
    """Read and checked, not connected; raises Failed. What should be otherwise is warned of."""
    from pitledger.sources.connection import Connection
    from pitledger.sources.environment import SettingError

    try:
        connection = Connection.from_environment()
        connection.security.ssl_context()
    except SettingError as error:
        raise Failed(str(error)) from None
    for line in connection.warnings:
        warn(f"pitledger: {line}")
    return connection
