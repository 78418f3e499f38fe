"""Three tables, four processors, and all that goes wrong: one seed, one history."""

from dataclasses import replace
from random import Random

from pitledger.engine import Emit
from pitledger.journal.record import TYPE_OF_BODY, JournalRecord, Stored, serialize
from pitledger.processors.chain import OWNERS
from tests.kit.house import Worker
from tests.kit.log import Log
from tests.kit.table import HI_LO, SAIGON, Table
from tests.kit.wild import likely_fact, open_somehow

PARTITIONS = 2
MINUTE = 60_000


class Group:
    """The workers of one processor: one or two, which share its partitions and its commits."""

    def __init__(self, owner: str, chaos: "Chaos", size: int) -> None:
        self.owner, self.chaos = owner, chaos
        self.committed: dict[int, int] = {}
        self.size = size
        self.workers: list[Worker] = []
        self.zombies: list[Worker] = []
        self.rebalance()

    def rebalance(self) -> None:
        """All partitions are given out anew, from the commits; the old workers may not know."""
        self.zombies += self.workers
        partitions = list(range(PARTITIONS))
        self.chaos.rng.shuffle(partitions)
        self.workers = [
            self._worker(partitions[number :: self.size]) for number in range(self.size)
        ]

    def commit(self) -> None:
        for worker in self.workers:
            worker.commit()
            self.committed |= worker.committed

    def _worker(self, partitions: list[int]) -> Worker:
        worker = Worker(self.owner, self.chaos.log)
        worker.partitions = partitions
        worker.committed = {p: o for p, o in self.committed.items() if p in partitions}
        worker.lost = self.chaos.send
        worker.start()
        return worker


class Chaos:
    """Runs a history; `forged` are the values that no processor wrote."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.log = Log(PARTITIONS)
        self.calm = False
        self.in_flight: list[Emit] = []
        self.forged: set[bytes] = set()
        self.tables = [
            Table(SAIGON, "A", self.log),
            Table(HI_LO, "B", self.log, adjacent_positions=True),
            Table(SAIGON, "C", self.log),
        ]
        self.watcher = Worker("wagers", self.log)
        self.watcher.lost = lambda _emit: True
        self.groups = [Group(owner, self, self.rng.choice((1, 1, 2))) for owner in OWNERS]

    def run(self, steps: int) -> "Chaos":
        for _ in range(steps):
            self._step()
        self._come_to_rest()
        return self

    def send(self, emit: Emit) -> bool:
        """A worker's send: it stays in flight, whatever becomes of it."""
        self.in_flight.append(emit)
        return True

    def _step(self) -> None:
        rng = self.rng
        self.log.clock += rng.choice((1, 20, 400, 3000))
        if rng.random() < 0.6:
            self._fact(rng.choice(self.tables))
        group = rng.choice(self.groups)
        roll = rng.random()
        if roll < 0.04:
            group.rebalance()
        elif roll < 0.06:
            group.commit()
            group.rebalance()
        elif roll < 0.20:
            group.commit()
        elif roll < 0.26:
            rng.choice(group.workers).resend()
        else:
            worker = rng.choice(group.workers)
            if worker.partitions:
                worker.read(rng.choice(worker.partitions), limit=rng.randrange(1, 30))
        self._wake_a_zombie(group)
        self._deliver()
        if rng.random() < 0.01:
            self._forge()
        if rng.random() < 0.004:
            self.log.clock += rng.choice((-4, 3, 9, 61, -58)) * MINUTE

    def _fact(self, table: Table) -> None:
        rng = self.rng
        over = self._is_over(table)
        if not table.round_id or rng.random() < (0.4 if over else 0.012):
            open_somehow(rng, table, sound=True)
            return
        roll = rng.random()
        if roll < 0.06:
            table.again(rng.choice(list(table.written)))
        elif roll < 0.08:
            self._late(table)
        elif roll < 0.09:
            self._early(table)
        elif roll < 0.104:
            table.close_table()
        else:
            likely_fact(rng, table, 0.04)

    def _is_over(self, table: Table) -> bool:
        """Whether the table's console would see that its round is over."""
        self.watcher.read()
        return not any(
            round_id == table.round_id
            for part in self.watcher.engine._assigned.values()
            for (_, round_id), held in part.held.items()
            if not held.ended
        )

    def _late(self, table: Table) -> None:
        """A fact of a round that is over, or never was."""
        now = vars(table).copy()
        table.round_id = self.rng.choice((*self._rounds(table), "nowhere"))
        table.has_set = set(table.has_set)
        likely_fact(self.rng, table)
        table.__dict__.update(now | {"serial": table.serial})

    def _early(self, table: Table) -> None:
        """A request for the next round before it opens; the console died in this one."""
        opened = table.record("round_opened", table.opened)
        opened.round_id = opened.event_id
        table.number = opened.round_opened.round_number = table.number + 1
        table.begin(opened.event_id)
        wager = table.wager(self.rng.choice(list(table.seats)), ante=500)
        table.written[opened.event_id] = self.log.put(opened)
        table.again(wager)

    def _rounds(self, table: Table) -> list[str]:
        opened = TYPE_OF_BODY["round_opened"].encode()
        return [i for i, s in table.written.items() if dict(s.headers)["ce_type"] == opened]

    def _deliver(self) -> None:
        rng = self.rng
        while self.in_flight and (self.calm or rng.random() < 0.5):
            at = 0 if self.calm else rng.randrange(len(self.in_flight))
            emit = self.in_flight.pop(at)
            roll = 1.0 if self.calm else rng.random()
            if roll < 0.2:
                continue  # lost
            if roll < 0.3:
                self.in_flight.append(emit)  # and once more, later
            self.log.append(emit.partition, emit.key, emit.headers, emit.value)

    def _wake_a_zombie(self, group: Group) -> None:
        """One that does not know yet that its partitions are another's reads and writes on."""
        if group.zombies and self.rng.random() < 0.3:
            zombie = self.rng.choice(group.zombies)
            for partition in zombie.partitions:
                zombie.read(partition, limit=self.rng.randrange(1, 60))
            if self.rng.random() < 0.3:
                group.zombies.remove(zombie)

    def _forge(self) -> None:
        records = [s for s in self.log.all() if s.key]
        decisions = [s for s in records if dict(s.headers)["ce_source"].decode() in OWNERS]
        if not decisions:
            return
        true = self.rng.choice(decisions[-40:])
        self.log.again(self._forgery(true))

    def _forgery(self, true: Stored) -> Stored:
        record = JournalRecord.FromString(true.value)
        record.occurred_at += self.rng.randrange(1, 99)
        headers = dict(true.headers)
        if self.rng.random() < 0.3:
            headers["ce_id"] = str(self.rng.random()).encode()
        value = serialize(record)
        self.forged.add(value)
        return replace(true, headers=tuple(headers.items()), value=value)

    def _come_to_rest(self) -> None:
        """Every table closes its round; then nothing fails any more."""
        self.calm = True
        for table in self.tables:
            if table.round_id:
                table.close_table()
        for group in self.groups:
            if self.rng.random() < 0.5:
                group.rebalance()
            group.zombies.clear()
        moved = True
        while moved:
            moved = False
            for group in self.groups:
                moved |= sum([worker.read() for worker in group.workers]) > 0
            self._deliver()
            if not moved:
                moved = sum([w.resend() for g in self.groups for w in g.workers]) > 0
                self._deliver()

    def finished(self) -> bool:
        """Whether no worker holds a round."""
        return all(
            worker.engine.committable(p) == len(self.log.records[p])
            for group in self.groups
            for worker in group.workers
            for p in worker.partitions
        )
