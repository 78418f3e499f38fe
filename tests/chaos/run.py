"""One chaos run: cluster, topics, workers, floor, faults, and the verdict on the journal."""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import kafka
from kafka.errors import KafkaError

from pitledger.sources.connection import Connection, ConnectionFailed
from pitledger.sources.environment import Environment
from pitledger.sources.file import write_file
from pitledger.sources.kafka import read_topic
from services.broker.cluster import MIN_INSYNC, NODES, KafkaCluster
from services.broker.process import BrokerError
from services.runtime.settings import OWNERS
from services.runtime.shell import BAD_SETTINGS
from tests.chaos.commands import pitledger
from tests.chaos.desk import Desk, judge_cases
from tests.chaos.disk import Disk
from tests.chaos.floor import Floor, FloorStuck
from tests.chaos.injector import DISK_NODE, Injector
from tests.chaos.judge import judge
from tests.chaos.processes import Children
from tests.chaos.readers import ORIGIN, Readers
from tests.chaos.report import Report, make_report
from tests.chaos.schedule import Fault
from tests.chaos.watch import Watch
from tests.chaos.workers import Death, Workers

PARTITIONS = 12
GROUP = "pitledger"
QUIET_S = 180.0
"""After the faults: until all is live, and again until every group has committed all."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Of a run, all of them."""

    seed: int
    seconds: float
    rate: float
    tables: int
    folder: Path


class NotRun(Exception):
    """It could not be run: something was wrong before the first fault."""


class NotDone(Exception):
    """The system did not become live, or did not come to rest, in time."""


def run(settings: Settings, faults: list[Fault], say: Callable[[str], None]) -> Report:
    """Inject the faults, heal everything, judge the journal.

    Raises NotRun, and what `read_topic` raises. Logs, receipts and the journal stay in the folder.
    """
    folder = settings.folder
    disk = Disk(folder / f"node-{DISK_NODE}")
    disk.tidy()
    load_before = os.getloadavg()[0]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with ExitStack() as stack:
        children = stack.enter_context(Children())
        stack.enter_context(disk)
        cluster = KafkaCluster(folder)
        stack.callback(cluster.stop)
        with _before_the_first_fault():
            cluster.start()
            for node in cluster.nodes.values():
                children.guard(node.name, node.pid)
            environment = environment_of(cluster)
            create_topics(environment)
            connection = Connection.from_environment(Environment(environment))
            workers = stack.enter_context(Workers(children, environment, folder))
            readers = stack.enter_context(Readers(children, environment, folder))
            watch = stack.enter_context(Watch(workers, cluster, connection.topic, PARTITIONS))
            _wait_live(watch, "before the first fault")
        say(f"three brokers, {len(workers.places)} workers live; the floor opens")
        floor = Floor(children, environment, folder, settings.seed, settings.rate, settings.tables)
        with floor:
            injector = Injector(
                cluster, children, workers, readers, floor, disk, watch, connection.topic, say
            )
            with Desk(environment, folder, readers.archive, ORIGIN, settings.seed) as desk:
                unrest = injector.inject(faults)
            say("the faults are over; the tables play their rounds to the end and close")
            try:
                _wait_live(watch, "after the last fault")
                floor.finish()
                _wait_finished(connection)
                if not readers.wait_answered():
                    raise NotDone("cases are not answered")
            except (NotDone, FloorStuck) as trouble:
                unrest.append(str(trouble))
        journal = list(read_topic(connection))
        write_file(folder / "journal", journal)
        say(f"{len(journal):,} records on the journal; judging")
        unrest += settings_taken_for_wrong([*workers.deaths, *readers.deaths])
        verdict = judge(journal, PARTITIONS, floor.receipts(), unrest)
        read = judge_cases(journal, PARTITIONS, desk.told), *readers.judge(journal, verdict.counts)
        verdict = replace(verdict, sentences=(*verdict.sentences, *read))
    clock = time.time() - time.monotonic()
    return make_report(
        settings, load_before, injector.done, watch, workers, readers, floor, disk, verdict, clock
    )


def environment_of(cluster: KafkaCluster) -> dict[str, str]:
    """Of every process on this cluster; settings of the user's own are not for it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PITLEDGER_")}
    return kept | {
        "PITLEDGER_BOOTSTRAP": cluster.bootstrap,
        "PITLEDGER_PARTITIONS": str(PARTITIONS),
        "PITLEDGER_REPLICATION": str(NODES),
        "PITLEDGER_MIN_INSYNC": str(MIN_INSYNC),
        "PITLEDGER_GROUP": GROUP,
    }


def create_topics(environment: dict[str, str]) -> None:
    """By the command that an operator types."""
    code, _, error = pitledger(environment, ("topics", "create"))
    if code:
        raise NotRun(error)


def settings_taken_for_wrong(deaths: Sequence[Death]) -> list[str]:
    """Workers that ended as if a person had to mend something: no fault is a reason for that."""
    return [
        f"{death.name} ended by itself with exit code {death.code}: {death.reason}"
        for death in deaths
        if death.code == BAD_SETTINGS
    ]


@contextmanager
def _before_the_first_fault() -> Iterator[None]:
    try:
        yield
    except (BrokerError, ConnectionFailed, NotDone) as trouble:
        raise NotRun(str(trouble)) from trouble


def _wait_live(watch: Watch, when: str) -> None:
    if not watch.wait_live(QUIET_S):
        raise NotDone(f"{when}: not live within {QUIET_S:.0f} s: {watch.why}")


def _wait_finished(connection: Connection) -> None:
    """Until each group has committed up to the end: no round is open, no decision is missing."""
    deadline = time.monotonic() + QUIET_S
    while behind := _behind(connection):
        if time.monotonic() > deadline:
            raise NotDone(f"not finished within {QUIET_S:.0f} s: {'; '.join(behind)}")
        time.sleep(1)


def _behind(connection: Connection) -> list[str]:
    """Each group's partitions whose commit is not the end; or why nobody can say."""
    try:
        ends, found = _ends(connection), _commits(connection)
    except (KafkaError, ConnectionFailed) as trouble:  # a broker that is just coming back
        return [f"the brokers do not say how far: {trouble!r}"]
    return [
        f"{group} partition {tp.partition}: {offset} of {end}"
        for group, offsets in found.items()
        for tp, end in ends.items()
        if end and (offset := offsets[tp].offset if tp in offsets else -1) != end
    ]


def _commits(connection: Connection) -> dict[str, dict]:
    admin = connection.admin()
    try:
        return admin.list_group_offsets({f"{GROUP}.{owner}": None for owner in OWNERS})
    finally:
        admin.close()


def _ends(connection: Connection) -> dict[kafka.TopicPartition, int]:
    consumer = kafka.KafkaConsumer(group_id=None, **connection.client_settings())
    try:
        tps = [kafka.TopicPartition(connection.topic, n) for n in range(connection.partitions)]
        return consumer.end_offsets(tps)
    finally:
        consumer.close()
