"""Four engines on a log, with delivery that a test controls."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from pitledger import derive
from pitledger.derive import TableFold
from pitledger.engine import LOOK_BACK_MS, Alarm, Effect, Emit, Engine, Quarantine, Refold
from pitledger.journal.record import DECISION_TYPES, Stored
from pitledger.processors.chain import OWNERS, Chain
from tests.kit.log import Log
from tests.kit.table import Table


@contextmanager
def build(chains: dict[int, type[Chain]] | None) -> Iterator[None]:
    """As if another build ran: adjudication version -> how it judges a round."""
    own = dict(derive._CHAINS)
    if chains is not None:
        derive._CHAINS.clear()
        derive._CHAINS.update(chains)
    try:
        yield
    finally:
        derive._CHAINS.clear()
        derive._CHAINS.update(own)


class Worker:
    """A process: an engine, and the offsets that it committed. It reads when told to."""

    def __init__(
        self, owner: str, log: Log, chains: dict[int, type[Chain]] | None = None
    ) -> None:
        self.owner, self.log = owner, log
        self.chains = chains
        self.make_fold: Callable[[str], TableFold] = lambda _table_id: TableFold()
        self.committed: dict[int, int] = {}
        self.others: list[Worker] = []
        self.partitions: list[int] = list(range(log.partitions))
        self.alarms: list[Alarm] = []
        self.quarantined: list[Quarantine] = []
        self.lost: Callable[[Emit], bool] = lambda _emit: False
        self.emitted: list[Emit] = []
        self.start()

    def start(self) -> None:
        """A fresh process: all that it knows is what it committed."""
        self.engine = Engine(self.owner, self.log.partitions, make_fold=self.make_fold)
        for partition in self.partitions:
            self.assign(partition)

    def assign(self, partition: int, before_ms: int | None = None) -> None:
        """Begin a partition at the earliest of all commits, with the memory before it."""
        commits = (other.committed.get(partition) for other in (self, *self.others))
        watermark = min((offset for offset in commits if offset is not None), default=0)
        if partition not in self.committed:
            watermark = 0
        first, since = watermark, None
        if watermark:
            last = self.log.records[partition][watermark - 1].broker_time
            since = (before_ms if before_ms is not None else last) - LOOK_BACK_MS
            first = min(self.log.first_since(partition, since), watermark)
        elif before_ms is not None:
            first = 0
        records = self.log.records[partition]
        memory = records[first:watermark]
        self._do(self.engine.on_assigned(
            partition, watermark=watermark, end=len(records), memory=memory, memory_since=since))

    def read(self, partition: int | None = None, limit: int | None = None) -> int:
        """Take what is on the log, or the next `limit` records; return how many were taken."""
        taken = 0
        partitions = self.partitions if partition is None else (partition,)
        for number in partitions:
            while limit is None or taken < limit:
                offset = self.engine.next_offset(number)
                if offset >= len(self.log.records[number]):
                    break
                self.take(self.log.records[number][offset])
                taken += 1
        return taken

    def take(self, stored: Stored) -> None:
        with build(self.chains):
            effects = self.engine.on_record(
                stored.partition, stored.offset, stored.broker_time, stored.key, stored.headers,
                stored.value)
        self._do(effects)

    def resend(self) -> int:
        """Send again what is due and was not read back."""
        emits = [e for p in self.partitions for e in self.engine.outstanding(p)]
        self._do(emits)
        return len(emits)

    def commit(self) -> None:
        for partition in self.partitions:
            self.committed[partition] = self.engine.committable(partition)

    def crash(self) -> None:
        """Die after a commit and start again."""
        self.commit()
        self.start()

    def upgrade(self, chains: dict[int, type[Chain]] | None = None) -> None:
        """Start again with another build (None: the real one)."""
        self.commit()
        self.chains = chains
        self.start()

    def kinds(self) -> list[str]:
        """Kinds of the alarms so far."""
        return [alarm.kind for alarm in self.alarms]

    def _do(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Emit():
                    self.emitted.append(effect)
                    if not self.lost(effect):
                        self.log.append(
                            effect.partition, effect.key, effect.headers, effect.value)
                case Alarm():
                    self.alarms.append(effect)
                case Quarantine():
                    self.quarantined.append(effect)
                case Refold():
                    self.assign(effect.partition, effect.before_ms)


class House:
    """The four processors, one worker each."""

    def __init__(self, source: Table | Log, owners: Iterable[str] = OWNERS) -> None:
        self.log = source.log if isinstance(source, Table) else source
        self.workers = {owner: Worker(owner, self.log) for owner in owners}
        self.down: set[str] = set()
        for worker in self.workers.values():
            worker.others = [other for other in self.workers.values() if other is not worker]

    def __getitem__(self, owner: str) -> Worker:
        return self.workers[owner]

    def run(self) -> "House":
        """Read and send until nothing moves any more."""
        while True:
            while sum([w.read() for w in self.up()]):
                pass
            if not sum([w.resend() for w in self.up()]):
                return self
            if not any(self._lag(w) for w in self.up()):
                return self

    def up(self) -> list[Worker]:
        return [w for owner, w in self.workers.items() if owner not in self.down]

    def decisions(self) -> list[Stored]:
        """Every decision record on the log, true or not."""
        return [s for s in self.log.all() if dict(s.headers).get("ce_type") in DECISION_TYPES]

    def committable(self) -> set[int]:
        return {
            worker.engine.committable(partition) - len(self.log.records[partition])
            for worker in self.up()
            for partition in range(self.log.partitions)
        }

    def finished(self) -> bool:
        """Whether no round is held by anybody."""
        return self.committable() == {0}

    def _lag(self, worker: Worker) -> bool:
        return any(
            worker.engine.next_offset(p) < len(self.log.records[p])
            for p in range(self.log.partitions)
        )
