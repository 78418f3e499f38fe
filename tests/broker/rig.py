"""A topic of its own on a running broker, and processes of our own on it."""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import kafka
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.structs import OffsetAndMetadata

from pitledger.journal.record import Stored
from pitledger.sources.connection import Connection
from pitledger.sources.kafka import read_topic
from pitledger.sources.topics import create_topics
from tests.broker.echo import ECHO, headers_of

ROOT = Path(__file__).parents[2]


def wait_until(condition, what, timeout_s=40.0, every_s=0.05):
    """Seconds until `condition()` held."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > timeout_s:
            raise AssertionError(f"not within {timeout_s} s: {what}")
        time.sleep(every_s)
    return time.monotonic() - began


@dataclass
class Worker:
    """One process; its log is JSON, one object a line."""

    process: subprocess.Popen
    log: Path
    errors: Path

    def lines(self):
        found = []
        for line in self.log.read_text().splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue  # half written yet
        return found

    def events(self):
        return [line["event"] for line in self.lines()]

    def line(self, event):
        return next((line for line in self.lines() if line["event"] == event), None)

    def http(self, path):
        """(status, body); (0, "") before it listens."""
        line = self.line("http")
        if line is None:
            return 0, ""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{line['port']}{path}", timeout=5) as got:
                return got.status, got.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def is_ready(self):
        assert self.process.poll() is None, self.log.read_text()[-3000:]
        return self.http("/healthz")[0] == 200

    def wait_ready(self):
        return wait_until(self.is_ready, f"ready: {self.log.read_text()[-3000:]}")

    def metric(self, name):
        """The sum of a metric over its labels."""
        rows = [line.rsplit(" ", 1) for line in self.http("/metrics")[1].splitlines()]
        return sum(float(row[1]) for row in rows if row[0].split("{")[0] == name)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def terminate(self):
        self.process.terminate()
        return self.process.wait(20)

    def wait_exit(self, timeout_s=40):
        return self.process.wait(timeout_s)


@dataclass
class Floor:
    """Simulated tables of `python -m services.floor`."""

    process: subprocess.Popen
    errors: Path

    def summary(self, timeout_s=120):
        """What it prints at its end, which must be a good one."""
        out, _ = self.process.communicate(timeout=timeout_s)
        assert self.process.returncode == 0, self.errors.read_text()
        return json.loads(out)


class Rig:
    """Facts in, echoes out, commits; on one topic and group of its own."""

    def __init__(self, broker, kind, folder, partitions=2):
        name = uuid.uuid4().hex[:8]
        self.folder = folder
        self.group = f"g{name}"
        self.connection = Connection(
            bootstrap=(broker.bootstrap,),
            broker=kind,
            topic=f"journal.{name}",
            quarantine_topic=f"quarantine.{name}",
            partitions=partitions,
        )
        self.workers = []
        self.floors = []
        self._faults = ()
        self._sent = 0
        self._producer = None

    def create(self, *, producer_time=False):
        """Make the topics; with `producer_time`, the producer's timestamps count."""
        if producer_time:
            self._faults = ("any_topic",)
            admin = self.connection.admin()
            shape = {"num_partitions": self.connection.partitions, "replication_factor": 1}
            admin.create_topics({self.connection.topic: shape}, wait_for_metadata=True)
            admin.close()
        create_topics(self.connection)
        return self

    def alter(self, name, value):
        """A setting of the journal."""
        admin = self.connection.admin()
        resource = ConfigResource(ConfigResourceType.TOPIC, self.connection.topic, {name: value})
        admin.alter_configs([resource])
        admin.close()

    def close(self):
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.kill()
        for floor in self.floors:
            floor.process.kill()
            floor.process.wait()
            floor.process.stdout.close()
        if self._producer is not None:
            self._producer.close()

    def lend_environment(self, monkeypatch):
        """Commands that run in this process find the topics, too."""
        for name, value in self.environment().items():
            if name.startswith("PITLEDGER_"):
                monkeypatch.setenv(name, value)

    def environment(self, **settings):
        connection = self.connection
        return {
            **{k: v for k, v in os.environ.items() if not k.startswith("PITLEDGER_")},
            "PYTHONPATH": str(ROOT),
            "PITLEDGER_BOOTSTRAP": ",".join(connection.bootstrap),
            "PITLEDGER_BROKER": connection.broker,
            "PITLEDGER_TOPIC": connection.topic,
            "PITLEDGER_QUARANTINE_TOPIC": connection.quarantine_topic,
            "PITLEDGER_PARTITIONS": str(connection.partitions),
            "PITLEDGER_GROUP": self.group,
            "PITLEDGER_HTTP_PORT": "0",
            **{f"PITLEDGER_{name}": str(value) for name, value in settings.items()},
        }

    def start(self, *faults, owner="wagers", module="tests.broker.worker", home=ROOT, **settings):
        """One process; `home`: the tree of another build."""
        number = len(self.workers)
        log, errors = self.folder / f"{number}.log", self.folder / f"{number}.err"
        command = [sys.executable, "-m", module]
        if not module.startswith("services."):
            command += [owner, *self._faults, *faults]
        with log.open("wb") as out, errors.open("wb") as err:
            process = subprocess.Popen(
                command,
                env=self.environment(**settings) | {"PYTHONPATH": str(home)},
                stdout=out,
                stderr=err,
                cwd=home,
            )
        self.workers.append(Worker(process, log, errors))
        return self.workers[-1]

    def floor(self, *options, home=ROOT, **settings):
        """Tables that play; `home`: the tree of another build."""
        errors = self.folder / f"floor-{len(self.floors)}.err"
        with errors.open("wb") as err:
            process = subprocess.Popen(
                [sys.executable, "-m", "services.floor", *options],
                env=self.environment(**settings) | {"PYTHONPATH": str(home)},
                stdout=subprocess.PIPE,
                stderr=err,
                text=True,
                cwd=home,
            )
        self.floors.append(Floor(process, errors))
        return self.floors[-1]

    def pitledger(self, *arguments, home=ROOT, **settings):
        """The command line, once it has ended; `home`: the tree of another build."""
        return subprocess.run(
            [sys.executable, "-c", "from services.cli import main; main()", *map(str, arguments)],
            env=self.environment(**settings) | {"PYTHONPATH": str(home)},
            capture_output=True,
            text=True,
            cwd=home,
            check=False,
            timeout=120,
        )

    def send(self, count=1, *, value=b"v", partition=None, kind=None, ids=None, time_ms=None):
        """Write facts, by turns to all partitions; their ids."""
        if self._producer is None:
            self._producer = kafka.KafkaProducer(
                bootstrap_servers=list(self.connection.bootstrap),
                acks="all",
                enable_idempotence=False,
            )
        sent, futures = [], []
        for index in range(count):
            self._sent += 1
            event_id = ids[index] if ids else f"f{self._sent}-{time.time_ns() // 1000}"
            to = self._sent % self.connection.partitions if partition is None else partition
            futures.append(
                self._producer.send(
                    self.connection.topic,
                    value,
                    key=b"table",
                    partition=to,
                    headers=list(headers_of(event_id, kind) if kind else headers_of(event_id)),
                    timestamp_ms=time_ms,
                )
            )
            sent.append(event_id)
        for future in futures:
            future.get(20)
        return sent

    def journal(self) -> list[Stored]:
        return list(read_topic(self.connection))

    def quarantined(self) -> list[Stored]:
        return list(read_topic(replace(self.connection, topic=self.connection.quarantine_topic)))

    def echoes(self):
        """How often each fact was answered."""
        return Counter(
            dict(record.headers)["ce_id"].decode()
            for record in self.journal()
            if dict(record.headers)["ce_type"] == ECHO
        )

    def wait_answered(self, ids):
        wanted = set(ids)
        wait_until(lambda: wanted <= set(self.echoes()), f"{len(wanted)} echoes")

    def ends(self):
        ends = Counter(record.partition for record in self.journal())
        return {partition: ends[partition] for partition in range(self.connection.partitions)}

    def committed(self, owner="wagers"):
        """Committed offsets by partition; what was never committed is left out."""
        admin = self.connection.admin()
        group = f"{self.group}.{owner}"
        offsets = admin.list_group_offsets({group: None})[group]
        admin.close()
        return {tp.partition: meta.offset for tp, meta in offsets.items() if meta.offset >= 0}

    def commit(self, offsets, owner="wagers"):
        """Set the group's commits while it has no member."""
        consumer = kafka.KafkaConsumer(
            group_id=f"{self.group}.{owner}",
            bootstrap_servers=list(self.connection.bootstrap),
            enable_auto_commit=False,
        )
        consumer.assign([kafka.TopicPartition(self.connection.topic, p) for p in offsets])
        consumer.commit(
            {
                kafka.TopicPartition(self.connection.topic, partition): OffsetAndMetadata(
                    offset, "", -1
                )
                for partition, offset in offsets.items()
            }
        )
        consumer.close()
