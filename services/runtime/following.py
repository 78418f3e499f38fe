"""What processes share that follow the journal in no group: auditor, archivist, cases."""

from kafka.errors import KafkaError

from pitledger.sources.connection import Connection
from pitledger.sources.follow import Begins, Follower
from services.runtime.shell import SILENT_S

RETRY_S = 1.0
"""Before a broker that could not be read is asked again."""


class JournalUnreadable(Exception):
    """One line: why it makes no sense to read on."""


def follow(connection: Connection, begins: Begins) -> Follower:
    """Raises ConnectionFailed; BrokersAway where another try may succeed; what `begins` raises."""
    try:
        return Follower(connection, begins)
    except KafkaError as error:
        raise connection.failure(error) from None


def require_no_hole(follower: Follower, hole_s: float) -> None:
    """Raises JournalUnreadable where a hole has been there for longer than this."""
    hole = follower.hole()
    if hole is not None and hole[2] > hole_s:
        raise JournalUnreadable(f"partition {hole[0]}: offset {hole[1]} is not to be had")


def reason(follower: Follower, caught_up: bool) -> str:
    """Why not all that is on the journal is known, in one line; "" if it is."""
    silent_s, hole = follower.silent_s(), follower.hole()
    if silent_s > SILENT_S:
        return f"a broker has not answered for {silent_s:.0f} s"
    if hole is not None:
        return f"partition {hole[0]}: waits for offset {hole[1]}, since {hole[2]:.0f} s"
    if not caught_up:
        lag = follower.lag()
        return f"catching up: {'unknown' if lag is None else lag} records behind"
    return ""
