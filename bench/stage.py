"""A broker with fresh topics, and the four processors on it in one of the shells."""

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from types import TracebackType

import kafka
from kafka.errors import KafkaError

from bench.environment import HOME, ROOT
from bench.processes import stop
from bench.shells import PRODUCT, Shell
from pitledger.sources.connection import Connection
from pitledger.sources.environment import Environment
from pitledger.sources.topics import create_topics
from services.broker.apache import ApacheKafka
from services.broker.process import free_port
from services.runtime.settings import OWNERS, Settings

READY_S = 900
"""A worker may have hours of a journal to fold."""
POLL_S = 0.02


@dataclass(slots=True)
class Worker:
    """One process of a processor; `process` is another one after a restart."""

    owner: str
    command: list[str]
    environment: dict[str, str]
    port: int
    log: Path
    process: "subprocess.Popen[bytes]" = field(init=False)

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )

    def is_ready(self) -> bool:
        """What /healthz says; exits where the process is no more."""
        if self.process.poll() is not None:
            sys.exit(f"bench: {self.owner} ended ({self.process.returncode}); see {self.log}")
        try:
            url = f"http://127.0.0.1:{self.port}/healthz"
            with urllib.request.urlopen(url, timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


class Stage:
    """A context manager: all that it starts, it ends, and the broker's data go with it."""

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        HOME.mkdir(parents=True, exist_ok=True)
        self.home = HOME / f"stage-{os.getpid()}-{time.monotonic_ns()}"
        self._broker = ApacheKafka(data=self.home / "kafka")
        self._settings = dict(settings or {})
        self.workers: list[Worker] = []

    def __enter__(self) -> "Stage":
        self.home.mkdir()
        try:
            self._broker.start()
            create_topics(self.connection)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self.stop_workers()
        if kind is None:
            self._remove()
        else:
            self._broker.stop()

    @property
    def environment(self) -> dict[str, str]:
        """Of all its clients."""
        return {
            **os.environ,
            **self._settings,
            "PITLEDGER_BOOTSTRAP": self._broker.bootstrap,
            "PITLEDGER_BROKER": "apache",
        }

    @property
    def connection(self) -> Connection:
        return Connection.from_environment(Environment(self.environment))

    @property
    def pids(self) -> dict[str, list[int]]:
        """Of the broker, and of each processor's workers."""
        assert self._broker.pid is not None
        found = {
            owner: [w.process.pid for w in self.workers if w.owner == owner] for owner in OWNERS
        }
        return {**found, "broker": [self._broker.pid]}

    def start_workers(self, shell: Shell = PRODUCT, each: int = 1, *, static: bool = False) -> None:
        """`each` workers of every processor, all caught up when this returns."""
        for owner in OWNERS:
            for number in range(each):
                port = free_port()
                environment = self.environment | {"PITLEDGER_HTTP_PORT": str(port)}
                if static:
                    environment["PITLEDGER_INSTANCE"] = f"{owner}-{number}"
                settings = Settings.from_environment(owner, Environment(environment))
                log = self.home / f"{owner}-{number}.log"
                worker = Worker(owner, shell.command(settings), environment, port, log)
                worker.start()
                self.workers.append(worker)
        if shell.has_health:
            for worker in self.workers:
                self.wait_until_ready(worker)
        else:
            self._wait_until_stable()

    def wait_until_ready(self, worker: Worker) -> None:
        deadline = time.monotonic() + READY_S
        while not worker.is_ready():
            if time.monotonic() > deadline:
                sys.exit(f"bench: {worker.owner} is not ready; see {worker.log}")
            time.sleep(POLL_S)

    def ended(self) -> list[str]:
        """The processors of which a worker is no more."""
        return [worker.owner for worker in self.workers if worker.process.poll() is not None]

    def records(self) -> int:
        """How many records lie on the journal."""
        connection = self.connection
        consumer = kafka.KafkaConsumer(group_id=None, **connection.client_settings())
        try:
            tps = [kafka.TopicPartition(connection.topic, n) for n in range(connection.partitions)]
            return sum(consumer.end_offsets(tps).values())
        finally:
            consumer.close()

    def stop_workers(self) -> None:
        stop(worker.process for worker in self.workers)
        self.workers = []

    def _wait_until_stable(self) -> None:
        groups = [Settings.from_environment(o, Environment(self.environment)).group for o in OWNERS]
        with self.admin() as admin:

            def are_stable() -> bool:
                found = admin.describe_groups(groups).values()
                return all(group["group_state"] == "Stable" for group in found)

            deadline = time.monotonic() + 60
            while not answers(are_stable):
                if time.monotonic() > deadline:
                    sys.exit(f"bench: a group is not stable; see {self.home}")
                time.sleep(POLL_S)

    @contextmanager
    def admin(self) -> Iterator["kafka.KafkaAdminClient"]:
        admin = self.connection.admin()
        try:
            yield admin
        finally:
            admin.close()

    def _remove(self) -> None:
        self._broker.stop()
        rmtree(self.home, ignore_errors=True)


def answers(ask: Callable[[], bool]) -> bool:
    """Whether a question about groups is answered with yes: a new broker has no coordinator yet."""
    try:
        return ask()
    except KafkaError:
        return False


def clear_old_stages() -> None:
    """Remove what runs left that failed: their logs were kept to be looked at."""
    for home in HOME.glob("stage-*"):
        if not Path(f"/proc/{home.name.split('-')[1]}").exists():
            rmtree(home, ignore_errors=True)
