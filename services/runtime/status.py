"""`/status`: what one process knows of its partitions, and what waits in them, as JSON."""

import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pitledger.engine import Alarm
from services.runtime.build import build
from services.runtime.started import name_of

if TYPE_CHECKING:
    from services.runtime.shell import Shell, Standing

SHOWN_MAX = 50
"""Of rounds and of decisions in one answer; how many there are is said beside them."""
STUCK = ("round_blocked", "unknown_version")


@dataclass(slots=True)
class Noted:
    """Alarms worth telling later: the first rounds that are stuck, the last foreign decisions."""

    stuck: dict[int, list[Alarm]] = field(default_factory=dict)
    """By partition, since its assignment; what is not judged then is met again."""
    stuck_counts: Counter[str] = field(default_factory=Counter)
    """By kind."""
    misplaced: int = 0
    """Records, since the assignment, in another partition than their table's."""
    foreign: deque[tuple[float, Alarm]] = field(default_factory=lambda: deque(maxlen=SHOWN_MAX))
    """With the time at which each was read, seconds since 1970."""

    def alarm(self, alarm: Alarm) -> None:
        if alarm.kind in STUCK:
            self.stuck_counts[alarm.kind] += 1
            stuck = self.stuck.setdefault(alarm.partition, [])
            if len(stuck) < SHOWN_MAX:
                stuck.append(alarm)
        elif (alarm.kind, alarm.detail) == ("not_a_fact", "foreign_partition"):
            self.misplaced += 1
        elif alarm.kind == "foreign_decision":
            self.foreign.append((time.time(), alarm))

    def assigned(self) -> None:
        """All partitions are folded afresh."""
        self.stuck.clear()
        self.stuck_counts.clear()
        self.misplaced = 0


def status(shell: "Shell") -> dict[str, Any]:
    """The process, its partitions, and what waits; times in seconds, newest last."""
    settings = shell.settings
    now = time.monotonic()
    stuck = [alarm for alarms in shell.noted.stuck.values() for alarm in alarms]
    return {
        "processor": settings.owner,
        "build": build(),
        "instance": name_of(settings),
        "group": settings.group,
        "ready": shell.is_ready(),
        "partitions": [
            _partition(shell, partition, standing, now)
            for partition, standing in sorted(shell.standings.items())
        ],
        "stuck_rounds": shell.noted.stuck_counts.total(),
        "stuck": [_stuck(alarm) for alarm in stuck[:SHOWN_MAX]],
        "waiting": list(_waiting(shell, now))[:SHOWN_MAX],
        "foreign": [_foreign(at, alarm) for at, alarm in shell.noted.foreign],
    }


def _partition(
    shell: "Shell", partition: int, standing: "Standing", now: float
) -> dict[str, Any]:
    engine = shell.engine
    hole = None
    if standing.hole_at is not None:
        hole = {"offset": engine.next_offset(partition), "age_s": round(now - standing.hole_at, 1)}
    return {
        "partition": partition,
        "next": engine.next_offset(partition),
        "committable": shell.committable(partition),
        "lag": shell.lag(partition),
        "live": standing.live_at is not None and standing.flowing,
        "open_rounds": engine.open_rounds(partition),
        "gates_shut": engine.shut_gates(partition),
        "hole": hole,
    }


def _stuck(alarm: Alarm) -> dict[str, Any]:
    """`why`: the exception's last line, "" for an unknown version; `stack`: all of it."""
    return {
        "kind": alarm.kind,
        "table": alarm.table_id,
        "round_id": alarm.round_id,
        "partition": alarm.partition,
        "offset": alarm.offset,
        "event_id": alarm.event_id,
        "why": alarm.detail.strip().rpartition("\n")[2],
        "stack": alarm.detail,
    }


def _waiting(shell: "Shell", now: float) -> Iterator[dict[str, Any]]:
    """Of each partition the decision that is derived longest and not on the journal."""
    for partition, standing in sorted(shell.standings.items()):
        found = shell.engine.oldest_unseen(partition)
        if found is None:
            continue
        table_id, decision = found
        since = standing.waits_since if standing.waits_for == decision.event_id else now
        yield {
            "event_id": decision.event_id,
            "question": decision.question,
            "owner": decision.owner,
            "table": table_id,
            "round_id": decision.round_id,
            "partition": partition,
            "waits_s": round(now - since, 1),
        }


def _foreign(at: float, alarm: Alarm) -> dict[str, Any]:
    kind, _, by = alarm.detail.partition(" by ")
    return {
        "type": kind,
        "by": by,
        "table": alarm.table_id,
        "round_id": alarm.round_id,
        "partition": alarm.partition,
        "offset": alarm.offset,
        "event_id": alarm.event_id,
        "age_s": round(time.time() - at, 1),
    }
