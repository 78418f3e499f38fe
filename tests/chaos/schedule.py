"""What goes wrong when: a pure function of a seed and a length.

Every kind comes once, in an order of the seed's; then kinds by weight until the time is over.
"""

from dataclasses import dataclass
from enum import Enum
from random import Random

CALM_S = 3.0
"""Nothing goes wrong before, so that there is a floor to disturb."""


class Kind(Enum):
    """A fault that is injected; what the floor does wrong by itself is not here."""

    WORKER_KILLED = "worker killed"
    WORKER_STOPPED = "worker stopped beyond its session, then continued"
    WORKER_ADDED = "worker added"
    WORKER_REMOVED = "worker removed"
    WORKERS_ROLLED = "rolling restart of all workers"
    REBALANCE_STORM = "rebalance storm"
    OTHER_BUILD = "worker of another build"
    BROKER_KILLED = "broker killed"
    LEADER_KILLED = "leader of a journal partition killed"
    BROKER_STOPPED = "broker stopped beyond its session, then continued"
    BROKERS_ROLLED = "rolling restart of all brokers"
    DISK_FULL = "broker's disk full"
    FLOOR_KILLED = "floor killed in mid-round"
    FLOOR_STOPPED = "floor stopped, then continued: its facts come late"
    READER_KILLED = "auditor, archivist or cases killed"
    READER_STOPPED = "auditor, archivist or cases stopped, then continued"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. `pick` chooses the victim among those there then; `hold_s`: how long it lasts."""

    number: int
    at_s: float
    kind: Kind
    pick: int
    hold_s: float


@dataclass(frozen=True, slots=True)
class _Shape:
    """`share_s`: time until the next fault; `weight`: beside the others; `hold_s`: a range."""

    share_s: float
    weight: int
    hold_s: tuple[float, float] = (0.0, 0.0)


_SHAPES = {
    Kind.WORKER_KILLED: _Shape(4.5, 6),
    Kind.WORKER_STOPPED: _Shape(6.0, 3, (8.0, 13.0)),
    Kind.WORKER_ADDED: _Shape(4.5, 3),
    Kind.WORKER_REMOVED: _Shape(4.5, 3),
    Kind.WORKERS_ROLLED: _Shape(14.0, 1),
    Kind.REBALANCE_STORM: _Shape(8.0, 2),
    Kind.OTHER_BUILD: _Shape(8.0, 1, (5.0, 9.0)),
    Kind.BROKER_KILLED: _Shape(9.0, 2, (0.5, 5.0)),
    Kind.LEADER_KILLED: _Shape(9.0, 2, (0.5, 5.0)),
    Kind.BROKER_STOPPED: _Shape(10.0, 1, (8.0, 11.0)),
    Kind.BROKERS_ROLLED: _Shape(24.0, 0),
    Kind.DISK_FULL: _Shape(12.0, 1, (5.0, 8.0)),
    Kind.FLOOR_KILLED: _Shape(4.5, 3),
    Kind.FLOOR_STOPPED: _Shape(5.0, 2, (4.0, 8.0)),
    Kind.READER_KILLED: _Shape(3.0, 3),
    Kind.READER_STOPPED: _Shape(3.0, 1, (8.0, 13.0)),
}

SHORT = (
    Kind.WORKER_KILLED,
    Kind.LEADER_KILLED,
    Kind.WORKER_STOPPED,
    Kind.FLOOR_KILLED,
    Kind.FLOOR_STOPPED,
    Kind.WORKER_ADDED,
    Kind.DISK_FULL,
    Kind.OTHER_BUILD,
    Kind.REBALANCE_STORM,
    Kind.READER_KILLED,
)
"""What fits into a minute, between one kind and the next."""


def schedule(seed: int, seconds: float, kinds: tuple[Kind, ...] = tuple(Kind)) -> list[Fault]:
    """The faults of a run, in their order."""
    rng = Random(f"chaos/{seed}")
    order = list(kinds)
    rng.shuffle(order)
    weights = [_SHAPES[kind].weight for kind in kinds]
    faults: list[Fault] = []
    at = CALM_S
    while (at_s := round(at, 1)) <= seconds:
        [drawn] = rng.choices(kinds, weights)
        kind = order.pop() if order else drawn
        hold_s = round(rng.uniform(*_SHAPES[kind].hold_s), 1)
        fault = Fault(len(faults) + 1, at_s, kind, rng.getrandbits(32), hold_s)
        faults.append(fault)
        at += _SHAPES[kind].share_s * rng.uniform(0.8, 1.2)
    return faults
