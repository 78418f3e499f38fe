"""Whether a processor has caught up, whether it turns at all, and in words: why not."""

import time
from collections import defaultdict

from services.runtime.shell import SILENT_S, Shell

TURN_S = 60.0
"""So long without a turn of the batch loop, although the broker answers, and it is not alive."""


def health(shell: Shell) -> dict[str, object]:
    """Of `/healthz`: `ready`, else the `reason` in one line; `warning`: what hinders others."""
    standings = shell.standings
    ready = shell.is_ready()
    return {
        "processor": shell.settings.owner,
        "ready": ready,
        "reason": "" if ready else reason(shell),
        "warning": _warning(shell.noted.misplaced),
        "assigned": None if shell.assigned is None else len(shell.assigned),
        "live": sum(each.live_at is not None and each.flowing for each in standings.values()),
        "silent_s": round(shell.silent_s(), 1),
        "silent_partitions": shell.silent_partitions(),
        "lag": sum(shell.lag(partition) for partition in standings),
    }


def reason(shell: Shell) -> str:
    """Why the processor has not caught up, in one line."""
    if shell.waits_for:
        return shell.waits_for
    if silent := shell.silent_partitions():
        return _silence(shell, silent)
    if shell.assigned is None:
        return f"waits for partitions from the group {shell.settings.group}"
    waiting = sorted(
        partition
        for partition in shell.assigned
        if (standing := shell.standings.get(partition)) is None or standing.live_at is None
    )
    lag = sum(shell.lag(partition) for partition in waiting if partition in shell.standings)
    return f"catches up on {_named(waiting)}: {lag} records behind"


def _warning(misplaced: int) -> str:
    if not misplaced:
        return ""
    return (
        f"{misplaced} records lie in another partition than their table's and are no facts: who"
        " writes them must partition as `partition_of` does (pitledger quarantine list)"
    )


def is_alive(shell: Shell) -> bool:
    """Of `/livez`: the loops turn. A broker that is away is no reason to end a processor, nor is a
    start that takes long: whatever it asks for it gives up by itself.
    """
    flowing = any(each.flowing for each in shell.standings.values())
    if shell.assigned is None or not flowing or shell.silent_partitions():
        return True
    return time.monotonic() - shell.turned_at < TURN_S


def _silence(shell: Shell, silent: list[int]) -> str:
    silences = shell.silences()
    by_leader: dict[int | None, list[int]] = defaultdict(list)
    for partition in silent:
        by_leader[shell.leader(partition)].append(partition)
    told = []
    for leader, partitions in by_leader.items():
        seconds = max(silences[partition] for partition in partitions)
        who = "no broker leads" if leader is None else f"broker {leader} does not answer for"
        told.append(f"{who} {_named(partitions)}, since {seconds:.0f} s")
    found = f"; {shell.found_wrong}" if shell.found_wrong else ""
    return f"{'; '.join(told)} (more than {SILENT_S:.0f} s){found}"


def _named(partitions: list[int]) -> str:
    some = ", ".join(str(partition) for partition in partitions[:10])
    more = f" and {len(partitions) - 10} more" if len(partitions) > 10 else ""
    return f"partition{'s' if len(partitions) > 1 else ''} {some}{more}"
