"""A simulated process of one processor: an engine, its sends, its commits and its mishaps."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from pitledger.engine import LOOK_BACK_MS, Alarm, Effect, Emit, Engine, Quarantine, Refold
from pitledger.journal.record import Stored
from services.simulation.journal import MemoryJournal


@dataclass(frozen=True, slots=True)
class Mishaps:
    """How often things go wrong, per send or per turn."""

    send_lost: float = 0.0
    send_doubled: float = 0.0
    send_late: float = 0.0
    crash: float = 0.0
    zombie: float = 0.0  # of the crashed: sends that were under way arrive all the same, late


NONE = Mishaps()
ROUGH = Mishaps(send_lost=0.01, send_doubled=0.01, send_late=0.03, crash=0.0005, zombie=0.5)


class Worker:
    """Reads all partitions of the journal with one engine; restarts it when it crashes."""

    def __init__(
        self,
        owner: str,
        journal: MemoryJournal,
        make_engine: Callable[[str], Engine],
        mishaps: Mishaps,
        rng: Random,
    ) -> None:
        self.owner = owner
        self.counts: Counter[str] = Counter()
        self.engine_counts: Counter[tuple[str, str]] = Counter()
        self._journal = journal
        self._make_engine = make_engine
        self._mishaps = mishaps
        self._rng = rng
        self._committed = [0] * journal.partitions
        self._late: deque[Emit] = deque()
        self._start()

    def turn(self, partition: int, now_ms: int) -> None:
        """Read a partition to its end; write what is due."""
        if self._mishaps.crash and self._rng.random() < self._mishaps.crash:
            self.crash()
        effects: list[Effect] = []
        for stored in self._journal.read(partition, self._engine.next_offset(partition)):
            effects += self._engine.on_record(
                partition,
                stored.offset,
                stored.broker_time,
                stored.key,
                stored.headers,
                stored.value,
            )
        self._carry_out(effects, now_ms)

    def tick(self, now_ms: int) -> None:
        """What a shell does by its clock: late sends, sends of what was not read back, commits."""
        while self._late:
            self._write(self._late.popleft(), now_ms)
        for partition in range(self._journal.partitions):
            for emit in self._engine.outstanding(partition):
                self.counts["sent again"] += 1
                self._send(emit, now_ms)
            self._committed[partition] = self._engine.committable(partition)

    def is_behind(self, partition: int) -> bool:
        return self._engine.next_offset(partition) < self._journal.end(partition)

    def committed(self, partition: int) -> int:
        return self._committed[partition]

    def has_outstanding(self) -> bool:
        """Whether an own decision is still to be seen on the journal."""
        return bool(self._late) or any(
            self._engine.outstanding(partition) for partition in range(self._journal.partitions)
        )

    def crash(self) -> None:
        """Lose all state; begin again from what was committed."""
        self.counts["crashed"] += 1
        if self._rng.random() >= self._mishaps.zombie:
            self._late.clear()
        self.engine_counts += self._engine.counts
        self._start()

    def _start(self) -> None:
        self._engine = self._make_engine(self.owner)
        for partition in range(self._journal.partitions):
            before_ms = self._journal.time_before(partition, self._committed[partition])
            self._assign(partition, before_ms)

    def _assign(self, partition: int, before_ms: int | None) -> None:
        """Begin a partition afresh with the memory of before a time."""
        since = None if before_ms is None else before_ms - LOOK_BACK_MS
        watermark = self._committed[partition]
        self._engine.on_assigned(
            partition,
            watermark=watermark,
            end=self._journal.end(partition),
            memory=self._memory(partition, since, watermark),
            memory_since=since,
        )

    def _memory(self, partition: int, since: int | None, watermark: int) -> list[Stored]:
        first = 0 if since is None else self._journal.offset_at(partition, since)
        if first >= watermark:
            return []
        return self._journal.read(partition, first)[: watermark - first]

    def _carry_out(self, effects: list[Effect], now_ms: int) -> None:
        for effect in effects:
            match effect:
                case Emit():
                    self._send(effect, now_ms)
                case Quarantine():
                    self.counts["quarantined"] += 1
                case Alarm():
                    self.counts[effect.kind] += 1
                case Refold():
                    self.counts["refolded"] += 1
                    self._assign(effect.partition, effect.before_ms)

    def _send(self, emit: Emit, now_ms: int) -> None:
        mishaps, chance = self._mishaps, 1.0
        if mishaps is not NONE:
            chance = self._rng.random()
        if chance < mishaps.send_lost:
            self.counts["sends lost"] += 1
            return
        chance -= mishaps.send_lost
        if chance < mishaps.send_late:
            self.counts["sends late"] += 1
            self._late.append(emit)
            return
        self._write(emit, now_ms)
        if chance - mishaps.send_late < mishaps.send_doubled:
            self.counts["sends doubled"] += 1
            self._write(emit, now_ms)

    def _write(self, emit: Emit, now_ms: int) -> None:
        self._journal.append(emit.partition, now_ms, emit.key, emit.headers, emit.value)
