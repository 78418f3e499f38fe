"""A journal in memory with the four engines around it: what closes the floor's loop in tests."""

from collections import Counter, deque

from pitledger.engine import Alarm, Emit, Engine, Quarantine
from pitledger.journal.record import JournalRecord, Stored, partition_of
from services.floor.floor import Floor
from services.floor.pen import OutgoingFact

PARTITIONS = 4
OWNERS = ("wagers", "dealing", "evaluation", "settlement")
START_US = 1_788_300_000_000_000
STEP_US = 500_000


class Room:
    """Runs a floor step by step; keeps every record, alarm and refusal."""

    def __init__(self, floor: Floor) -> None:
        self.floor = floor
        self.now_us = START_US
        self.journal: list[Stored] = []
        self.facts: list[OutgoingFact] = []
        self.alarms: Counter[str] = Counter()
        self.quarantined: Counter[str] = Counter()
        self.empty_steps = 0
        self.emitted: list[bytes] = []
        self._next = [0] * PARTITIONS
        self.engines = [Engine(owner, PARTITIONS) for owner in OWNERS]
        for engine in self.engines:
            for partition in range(PARTITIONS):
                engine.on_assigned(partition, watermark=0, end=0)

    def run(self, steps: int = 1_000_000) -> "Room":
        for _ in range(steps):
            if self.floor.done:
                break
            facts = self.floor.step(self.now_us)
            self.empty_steps += not facts
            for fact in facts:
                self.facts.append(fact)
                partition = partition_of(fact.table_id, PARTITIONS)
                if fact.astray:
                    partition = (partition + 1) % PARTITIONS
                self.append(partition, fact.key, fact.headers, fact.value)
            self.now_us += STEP_US
        return self

    def append(self, partition, key, headers, value) -> None:
        todo = deque([(key, headers, value)])
        while todo:
            key, headers, value = todo.popleft()
            offset = self._next[partition]
            self._next[partition] += 1
            time_ms = self.now_us // 1000
            self.journal.append(Stored(partition, offset, time_ms, key, headers, value))
            self.floor.observe(key, headers, value)
            for engine in self.engines:
                for effect in engine.on_record(partition, offset, time_ms, key, headers, value):
                    match effect:
                        case Emit():
                            self.emitted.append(effect.value)
                            todo.append((effect.key, effect.headers, effect.value))
                        case Alarm() if engine is self.engines[0]:
                            self.alarms[f"{effect.kind} {effect.detail[-300:]}"] += 1
                        case Quarantine() if engine is self.engines[0]:
                            self.quarantined[effect.reason] += 1
                        case _:
                            pass

    def decisions(self, *bodies: str) -> list[JournalRecord]:
        """What the engines decided, by body, in order; nothing forged."""
        records = map(JournalRecord.FromString, self.emitted)
        return [record for record in records if record.WhichOneof("body") in bodies]

    def true_outcomes(self) -> list[JournalRecord]:
        return self.decisions("round_settled", "round_voided")
