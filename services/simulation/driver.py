"""Drives a simulation: the floor's facts onto the journal, the four engines over it, and back."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

from pitledger.engine import LOOK_BACK_MS, Engine
from pitledger.journal.record import Headers, partition_of
from pitledger.processors.chain import OWNERS
from pitledger.sources.file import JournalFile
from services.floor.faults import FAULTY, ORDINARY
from services.floor.floor import Floor
from services.simulation.journal import MemoryJournal
from services.simulation.sharing import shared_folds, shared_reader
from services.simulation.worker import NONE, ROUGH, Worker

PARTITIONS = 48
START_US = 1_796_040_000_000_000
"""When a simulation begins: 2026-11-30, 12:00 UTC."""
STEP_US = 500_000
"""Simulated time between two turns of the floor."""
TICK_EVERY = 10
"""Turns between two ticks of the workers' clocks: five simulated seconds."""


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """What a simulation did."""

    rounds: int
    records: int
    facts: int
    decisions: int
    simulated_seconds: int
    mishaps: dict[str, int]  # by kind, over the four engines
    counts: dict[tuple[str, str], int]  # the engines' counters, added up


def simulate(
    games: Sequence[str], tables: int, rounds: int, seed: int, faults: bool, path: Path
) -> SimulationReport:
    """Play `rounds` rounds at `tables` tables; write the journal to `path`.

    What is not played to its end is no journal: the file is removed as the exception goes by.
    `faults`: foul play on the floor, and lost, late and doubled sends and crashes of the engines.
    """
    floor = Floor(seed, tables, games, FAULTY if faults else ORDINARY, rounds=rounds)
    with JournalFile(path) as file:
        run = _Run(floor, seed, faults, file)
        try:
            run.play()
            run.drain()
        except BaseException:
            if path.is_file():
                path.unlink()
            raise
        return run.report(file.count)


class _Run:
    def __init__(self, floor: Floor, seed: int, faults: bool, file: JournalFile) -> None:
        self._floor = floor
        self._journal = MemoryJournal(PARTITIONS, file.write)
        self._seen = [0] * PARTITIONS  # by the floor
        self._now = START_US
        self._turns = 0
        self._facts = 0
        self._rng = _generator(seed, "strays")
        mishaps = ROUGH if faults else NONE
        make_engine = _engines(apart=faults)
        self._workers = [
            Worker(owner, self._journal, make_engine, mishaps, _generator(seed, owner))
            for owner in OWNERS
        ]

    def play(self) -> None:
        while not self._floor.done:
            self._turn()

    def drain(self) -> None:
        """Until every decision is on the journal and was seen."""
        self._tick()
        while any(worker.has_outstanding() for worker in self._workers):
            self._turn()
            self._tick()

    def report(self, records: int) -> SimulationReport:
        mishaps: Counter[str] = Counter()
        counts: Counter[tuple[str, str]] = Counter()
        for worker in self._workers:
            worker.crash()
            mishaps += worker.counts
            counts += worker.engine_counts
        mishaps["crashed"] -= len(self._workers)
        return SimulationReport(
            rounds=self._floor.rounds_opened,
            records=records,
            facts=self._facts,
            decisions=records - self._facts,
            simulated_seconds=(self._now - START_US) // 1_000_000,
            mishaps=dict(sorted((+mishaps).items())),
            counts=dict(sorted(counts.items())),
        )

    def _turn(self) -> None:
        self._now += STEP_US
        self._turns += 1
        changed = set()
        for fact in self._floor.step(self._now):
            partition = partition_of(fact.table_id, PARTITIONS)
            if fact.astray:
                partition = (partition + self._rng.randrange(1, PARTITIONS)) % PARTITIONS
            self._append(partition, fact.key, fact.headers, fact.value)
            changed.add(partition)
        self._settle(changed)
        if self._turns % TICK_EVERY == 0:
            self._tick()

    def _append(self, partition: int, key: bytes, headers: Headers, value: bytes) -> None:
        self._facts += 1
        self._journal.append(partition, self._now // 1000, key, headers, value)

    def _settle(self, changed: set[int]) -> None:
        """Let the engines read until nothing more comes; show the floor what was decided."""
        for partition in sorted(changed):
            while any(worker.is_behind(partition) for worker in self._workers):
                for worker in self._workers:
                    worker.turn(partition, self._now // 1000)
            self._show_floor(partition)

    def _show_floor(self, partition: int) -> None:
        for stored in self._journal.read(partition, self._seen[partition]):
            self._floor.observe(stored.key, stored.headers, stored.value)
        self._seen[partition] = self._journal.end(partition)

    def _tick(self) -> None:
        ends = [self._journal.end(partition) for partition in range(PARTITIONS)]
        for worker in self._workers:
            worker.tick(self._now // 1000)
        self._settle({p for p in range(PARTITIONS) if self._journal.end(p) > ends[p]})
        keep_from = self._now // 1000 - 2 * LOOK_BACK_MS
        for partition in range(PARTITIONS):
            lowest = min(worker.committed(partition) for worker in self._workers)
            self._journal.trim(partition, min(lowest, self._seen[partition]), keep_from)


def _engines(*, apart: bool) -> Callable[[str], Engine]:
    """Makes the engines; `apart`: each folds for itself, as it does in a process of its own."""
    read = shared_reader()
    if apart:
        return lambda owner: Engine(owner, PARTITIONS, read)
    folds = shared_folds(len(OWNERS))
    return lambda owner: Engine(owner, PARTITIONS, read, folds)


def _generator(seed: int, name: str) -> Random:
    return Random(sha256(f"{seed}/{name}".encode()).digest())
