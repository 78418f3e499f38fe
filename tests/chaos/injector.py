"""The faults of a schedule, done: each in a thread, so that one may begin before another is over.

One broker at a time: the next is hit when all replicas are in sync again.
"""

import signal
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from services.broker.cluster import KafkaCluster, Node, partitions_of
from services.broker.process import BrokerError
from services.runtime.settings import OWNERS
from tests.chaos.disk import Disk
from tests.chaos.floor import Floor
from tests.chaos.processes import Children
from tests.chaos.readers import Readers
from tests.chaos.schedule import Fault, Kind
from tests.chaos.watch import Watch
from tests.chaos.workers import Worker, Workers

IN_SYNC_S = 120.0
READY_S = 40.0
STORM = 3
_JOIN_S = 15.0
_LOOK_S = 0.2
DISK_NODE = 3


class NotHealed(Exception):
    """What a fault broke did not come back in time."""


@dataclass(slots=True)
class Done:
    """A fault that was injected. Times are monotonic; `trouble`: why it was not healed."""

    fault: Fault
    injected_at: float = 0.0
    healed_at: float = 0.0
    target: str = ""
    trouble: str = ""


class Injector:
    """Injects a schedule's faults."""

    def __init__(
        self, cluster: KafkaCluster, children: Children, workers: Workers, readers: Readers,
        floor: Floor, disk: Disk, watch: Watch, topic: str, say: Callable[[str], None],
    ) -> None:
        self.done: list[Done] = []
        self._cluster = cluster
        self._children = children
        self._workers = workers
        self._readers = readers
        self._floor = floor
        self._disk = disk
        self._watch = watch
        self._topic = topic
        self._say = say
        self._brokers = threading.Lock()
        self._begun = 0.0

    def inject(self, faults: list[Fault]) -> list[str]:
        """Return when all faults are over: which of them were not healed, and why."""
        self._begun = time.monotonic()
        with ThreadPoolExecutor(len(faults) or 1) as pool:
            for fault in faults:
                time.sleep(max(0.0, self._begun + fault.at_s - time.monotonic()))
                pool.submit(self._do, fault)
        self.done.sort(key=lambda one: one.injected_at)
        return [f"{one.fault.kind.value}: {one.trouble}" for one in self.done if one.trouble]

    def _do(self, fault: Fault) -> None:
        done = Done(fault)
        try:
            if fault.kind in _ON_BROKERS:
                with self._brokers:
                    self._begin(done)
                    _ON_BROKERS[fault.kind](self, done)
                    self._wait_in_sync()
            else:
                self._begin(done)
                _ON_OTHERS[fault.kind](self, done)
        except (NotHealed, BrokerError) as trouble:
            done.trouble = str(trouble)
        except Exception as bug:
            done.trouble = repr(bug)
        done.healed_at = time.monotonic()
        self.done.append(done)
        took = done.healed_at - done.injected_at
        at = done.injected_at - self._begun
        name = f"{fault.kind.value}: {done.target or '-'}"
        self._say(f"{at:6.1f} s  {fault.number:>3}  {name}, {took:.1f} s  {done.trouble}")

    def _begin(self, done: Done) -> None:
        done.injected_at = time.monotonic()

    # ---- workers -----------------------------------------------------------------------------

    def _kill_worker(self, done: Done) -> None:
        self._kill_one(done, self._workers)

    def _stop_worker(self, done: Done) -> None:
        self._stop_one(done, self._workers)

    def _kill_reader(self, done: Done) -> None:
        self._kill_one(done, self._readers)

    def _stop_reader(self, done: Done) -> None:
        self._stop_one(done, self._readers)

    def _kill_one(self, done: Done, among: Workers) -> None:
        self._restart([_victim(done, among)], signal.SIGKILL)

    def _stop_one(self, done: Done, among: Workers) -> None:
        worker = _victim(done, among)
        worker.signal(signal.SIGSTOP)
        time.sleep(done.fault.hold_s)
        worker.signal(signal.SIGCONT)
        self._wait_ready([worker])

    def _add_worker(self, done: Done) -> None:
        fewest = min(len(self._workers.of(owner)) for owner in OWNERS)
        owners = [owner for owner in OWNERS if len(self._workers.of(owner)) == fewest]
        pick = done.fault.pick
        worker = self._workers.add(owners[pick % len(owners)], static=bool(pick & 1 << 20))
        done.target = _name(worker)
        self._wait_ready([worker])

    def _remove_worker(self, done: Done) -> None:
        """One of a processor that keeps another."""
        places = [w for o in OWNERS if len(of := self._workers.of(o)) > 1 for w in of]
        if not places:
            return self._add_worker(done)
        worker = places[done.fault.pick % len(places)]
        done.target = _name(worker)
        self._workers.remove(worker)
        return self._wait_ready(self._workers.of(worker.owner))

    def _roll_workers(self, done: Done) -> None:
        """The first of each processor, then the second, ...: never all of one at a time. Then
        the readers.
        """
        groups = [self._workers.of(owner) for owner in OWNERS]
        done.target = f"{sum(len(group) for group in groups)} workers and the readers"
        for number in range(max(len(group) for group in groups)):
            wave = [group[number] for group in groups if number < len(group)]
            self._restart(wave, signal.SIGTERM)
        self._restart(self._readers.wanted(), signal.SIGTERM)

    def _storm(self, done: Done) -> None:
        """Workers of one processor join one after the other, and leave so: by SIGTERM, by kill."""
        owner = OWNERS[done.fault.pick % len(OWNERS)]
        come, joined = [], 0
        for _ in range(STORM):
            worker = self._workers.add(owner, static=False)
            seen = self._until(lambda worker=worker: "assigned" in _text(worker), _JOIN_S)
            joined += seen is not None
            come.append(worker)
        done.target = f"{STORM} more of {owner}, {joined} of them joined in time, come and gone"
        for number, worker in enumerate(come):
            self._workers.remove(worker, signal.SIGKILL if number % 2 else signal.SIGTERM)
            time.sleep(1)
        self._wait_ready(self._workers.of(owner))

    def _other_build(self, done: Done) -> None:
        """A worker comes up in another build, beside those of the true one; and goes back."""
        places = self._workers.of("evaluation")
        worker = places[done.fault.pick % len(places)]
        done.target = _name(worker)
        for other in (True, False):
            worker.other_build = other
            self._restart([worker], signal.SIGTERM)
            time.sleep(done.fault.hold_s if other else 0)

    def _kill_floor(self, done: Done) -> None:
        done.target = f"{self._floor.tables} tables"
        starts = self._floor.starts
        self._floor.kill()
        self._until(lambda: self._floor.starts > starts, READY_S)

    def _stop_floor(self, done: Done) -> None:
        done.target = f"{self._floor.tables} tables"
        if not self._floor.stop_for(done.fault.hold_s):
            done.target += ", killed meanwhile"

    # ---- brokers -----------------------------------------------------------------------------

    def _kill_broker(self, done: Done) -> None:
        nodes = list(self._cluster.nodes.values())
        self._kill_node(done, nodes[done.fault.pick % len(nodes)], "")

    def _kill_leader(self, done: Done) -> None:
        rows = partitions_of(self._cluster.bootstrap, self._topic)
        if not rows:
            raise NotHealed("no broker says who leads")
        partition = done.fault.pick % len(rows)
        leader = rows[partition]["leader_id"]
        self._kill_node(done, self._cluster.nodes[leader], f", leader of partition {partition}")

    def _kill_node(self, done: Done, node: Node, why: str) -> None:
        done.target = f"node {node.number}{why}"
        self._watch.down.add(node.number)
        node.kill()
        time.sleep(done.fault.hold_s)
        self._start(node)

    def _stop_broker(self, done: Done) -> None:
        nodes = list(self._cluster.nodes.values())
        node = nodes[done.fault.pick % len(nodes)]
        done.target = f"node {node.number}"
        self._watch.down.add(node.number)
        node.suspend()
        time.sleep(done.fault.hold_s)
        node.resume()
        node.wait_until_ready()
        self._watch.down.discard(node.number)

    def _roll_brokers(self, done: Done) -> None:
        done.target = "3 nodes"
        for node in self._cluster.nodes.values():
            self._watch.down.add(node.number)
            node.stop()
            self._start(node)
            self._wait_in_sync()

    def _fill_disk(self, done: Done) -> None:
        node = self._cluster.nodes[DISK_NODE]
        pid = node.pid
        begun = time.monotonic()
        self._watch.down.add(node.number)
        self._disk.fill(pid)
        ended = self._until(lambda: node.exit_code() is not None, done.fault.hold_s)
        time.sleep(max(0.0, begun + done.fault.hold_s - time.monotonic()))
        how = f"ended itself after {ended:.1f} s" if ended is not None else "was killed"
        done.target = f"node {node.number}, {how}"
        node.kill()
        self._disk.free(pid)
        self._start(node)

    def _start(self, node: Node) -> None:
        node.spawn()
        self._children.guard(node.name, node.pid)
        node.wait_until_ready()
        self._watch.down.discard(node.number)

    def _wait_in_sync(self) -> None:
        if self._until(self._is_in_sync, IN_SYNC_S) is None:
            raise NotHealed(f"replicas not in sync within {IN_SYNC_S:.0f} s")

    def _is_in_sync(self) -> bool:
        rows = partitions_of(self._cluster.bootstrap, self._topic)
        return bool(rows) and all(
            len(row["isr_nodes"]) == len(row["replica_nodes"]) for row in rows.values()
        )

    # ---- below -------------------------------------------------------------------------------

    def _restart(self, workers: list[Worker], number: int) -> None:
        """End them; the supervisor starts others in their places."""
        before = {worker: worker.starts for worker in workers}
        for worker in workers:
            worker.signal(number)
        self._until(lambda: all(not w.wanted or w.starts > before[w] for w in workers), READY_S)
        self._wait_ready(workers)

    def _wait_ready(self, workers: list[Worker]) -> None:
        """Or until others removed them. Not within the time: the watch and the judge will say."""
        self._until(lambda: all(not w.wanted or is_ready(w) for w in workers), READY_S)

    def _until(self, condition: Callable[[], bool], timeout_s: float) -> float | None:
        """Seconds until it held; None: it did not in time."""
        begun = time.monotonic()
        while time.monotonic() - begun < timeout_s:
            if condition():
                return time.monotonic() - begun
            time.sleep(_LOOK_S)
        return None


_ON_OTHERS = {
    Kind.WORKER_KILLED: Injector._kill_worker,
    Kind.WORKER_STOPPED: Injector._stop_worker,
    Kind.WORKER_ADDED: Injector._add_worker,
    Kind.WORKER_REMOVED: Injector._remove_worker,
    Kind.WORKERS_ROLLED: Injector._roll_workers,
    Kind.REBALANCE_STORM: Injector._storm,
    Kind.OTHER_BUILD: Injector._other_build,
    Kind.FLOOR_KILLED: Injector._kill_floor,
    Kind.FLOOR_STOPPED: Injector._stop_floor,
    Kind.READER_KILLED: Injector._kill_reader,
    Kind.READER_STOPPED: Injector._stop_reader,
}
_ON_BROKERS = {
    Kind.BROKER_KILLED: Injector._kill_broker,
    Kind.LEADER_KILLED: Injector._kill_leader,
    Kind.BROKER_STOPPED: Injector._stop_broker,
    Kind.BROKERS_ROLLED: Injector._roll_brokers,
    Kind.DISK_FULL: Injector._fill_disk,
}


def _victim(done: Done, among: Workers) -> Worker:
    places = among.wanted()
    worker = places[done.fault.pick % len(places)]
    done.target = _name(worker)
    return worker


def is_ready(worker: Worker) -> bool:
    """Whether it runs and says itself that it has caught up."""
    if not worker.is_running():
        return False
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{worker.port}/healthz", timeout=1):
            return True
    except (urllib.error.URLError, OSError):
        return False


def _name(worker: Worker) -> str:
    if worker.owner not in OWNERS:
        return worker.owner
    return f"{worker.name} ({'static' if worker.instance else 'dynamic'})"


def _text(worker: Worker) -> str:
    return worker.log.read_text(errors="replace")
