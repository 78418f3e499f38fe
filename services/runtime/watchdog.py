"""Ends a process whose batch loop has no turn although there is lag.

A thread, because a blocked event loop runs no task; and a blocked loop is not expelled from the
group (heartbeats have a thread of their own), but stops every rebalance.
"""

import threading
import time

from services.runtime.shell import Shell

_LOOK_S = 1.0


def watch(shell: Shell) -> None:
    """Start watching, for the rest of the process."""
    threading.Thread(target=_watch, args=(shell,), name="watchdog", daemon=True).start()


def _watch(shell: Shell) -> None:
    looks = 0
    seen = shell.turned_at
    while True:
        time.sleep(_LOOK_S)
        # Looks are counted, not time: a process that was suspended is not to blame.
        looks = looks + 1 if shell.turned_at == seen and _has_lag(shell) else 0
        seen = shell.turned_at
        if looks * _LOOK_S >= shell.settings.stall_s:
            shell.die("the batch loop stands still", seconds=round(looks * _LOOK_S))


def _has_lag(shell: Shell) -> bool:
    if shell.assigned is None:
        return False
    try:
        return any(shell.lag(partition) for partition in list(shell.standings))
    except (AssertionError, KeyError, RuntimeError):
        # The loop, or the consumer's thread, changed it meanwhile: it is not blocked.
        return False
