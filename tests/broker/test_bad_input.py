"""What is wrong with a broker, a topic, a record or a process: one line, an exit code, /healthz."""

import json
import random
import socket
import struct
import threading
import time
import zlib

import kafka
import pytest

from pitledger.journal.record import partition_of
from pitledger.pb import facts_pb2
from services.broker.process import free_port
from services.floor.pen import Pen
from tests.broker.rig import Rig, wait_until

BAD_SETTINGS, START_AGAIN = 2, 70


@pytest.fixture
def rig(apache_broker, tmp_path):
    rig = Rig(apache_broker, "apache", tmp_path)
    yield rig
    rig.close()


def one_line(worker, code=BAD_SETTINGS):
    assert worker.wait_exit(120) == code
    (line,) = worker.errors.read_text().strip().splitlines()
    return line


def reason(worker):
    status, body = worker.http("/healthz")
    return json.loads(body)["reason"] if status == 503 else ""


def test_a_broker_that_is_away_is_waited_for_and_healthz_says_so(rig):
    port = free_port()
    worker = rig.start(BOOTSTRAP=f"127.0.0.1:{port}", CONNECT_S=7)
    wait_until(lambda: "nobody listens there" in reason(worker), "the reason", 60)
    assert worker.http("/livez")[0] == 200
    assert "nobody listens there" in one_line(worker, START_AGAIN)
    waits = [line for line in worker.lines() if line["event"] == "waits for Kafka"]
    assert len(waits) >= 2
    assert f"127.0.0.1:{port}" in waits[0]["reason"]


def test_a_processor_that_waits_stops_when_it_is_told_to(rig):
    worker = rig.start(BOOTSTRAP="127.0.0.1:1", CONNECT_S=600)
    wait_until(lambda: reason(worker), "listening", 60)
    assert worker.terminate() == 0
    assert worker.errors.read_text() == ""


WRONG = {
    ("cleanup.policy", "compact"): "cleanup.policy is compact, must be delete",
    ("retention.ms", "1000"): "retention.ms is 1000, must be -1",
    ("message.timestamp.type", "CreateTime"): "is CreateTime, must be LogAppendTime",
    ("compression.type", "lz4"): "compression.type is lz4, must be uncompressed, gzip or zstd",
    ("max.message.bytes", "1000"): "max.message.bytes is 1000, must be at least 1048588",
    ("min.insync.replicas", "2"): "is 2 of 1 replicas: nothing can be written",
}


def test_settings_of_the_journal_that_are_wrong_are_one_line(rig):
    rig.create()
    for name, value in WRONG:
        rig.alter(name, value)
    line = one_line(rig.start(module="services.dealing"))
    assert line.startswith(f"dealing: {rig.connection.topic}: ")
    told = line.removeprefix("dealing: ").split("; ")
    assert len(told) == len(WRONG)
    for words in WRONG.values():
        assert words in line


def test_too_few_replicas_in_sync_are_one_line(rig):
    rig.create()
    line = one_line(rig.start(module="services.dealing", REPLICATION=3, MIN_INSYNC=2))
    assert "min.insync.replicas is 1, must be at least 2" in line
    assert "has 1 replicas, must have 3" in line


def test_the_other_kind_of_broker_is_one_line(rig, embedded_broker):
    apache = one_line(rig.start(BOOTSTRAP=embedded_broker.bootstrap))
    assert "is the embedded broker: set PITLEDGER_BROKER=embedded" in apache
    embedded = one_line(rig.start(BROKER="embedded"))
    assert "is Apache Kafka: set PITLEDGER_BROKER=apache" in embedded


def test_a_broker_that_is_too_old_is_one_line(rig):
    with OldBroker() as old:
        line = one_line(rig.start(BOOTSTRAP=f"127.0.0.1:{old.port}"))
    assert "Apache Kafka 4.0 or newer is needed" in line


def test_a_port_that_is_taken_is_one_line(rig):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = one_line(rig.start(HTTP_PORT=port))
    assert "PITLEDGER_HTTP_PORT" in line
    assert str(port) in line


def test_a_record_of_a_foreign_partitioner_is_an_alarm_and_a_copy(rig):
    """librdkafka's default is CRC32 of the key; ours is murmur2."""
    rig.create()
    table = next(
        table
        for n in range(100)
        if crc32_partition(table := f"table-{n}", 2) != partition_of(table, 2)
    )
    pen = Pen(table, random.Random(1))
    pen.now_us = time.time_ns() // 1000
    fact = pen.fact("console", "table_opened", facts_pb2.TableOpened())
    producer = kafka.KafkaProducer(bootstrap_servers=list(rig.connection.bootstrap))
    sent = producer.send(
        rig.connection.topic, fact.value, key=fact.key, headers=list(fact.headers),
        partition=crc32_partition(table, 2),
    ).get(60)  # fmt: skip
    producer.close()
    worker = rig.start(module="services.wagers")
    wait_until(lambda: worker.line("alarm"), "the alarm", 60)
    alarm = worker.line("alarm")
    assert (alarm["partition"], alarm["offset"]) == (sent.partition, sent.offset)
    assert (alarm["kind"], alarm["detail"]) == ("not_a_fact", "foreign_partition")
    assert alarm["table_id"] == table
    worker.wait_ready()
    wait_until(rig.quarantined, "the copy", 60)
    told = json.loads(worker.http("/healthz")[1])
    assert told["warning"].startswith("1 records lie in another partition than their table's")


def test_of_two_workers_with_one_instance_the_first_ends_and_the_second_goes_on(rig):
    first = rig.create().start(INSTANCE="a")
    first.wait_ready()
    ids = rig.send(20)
    second = rig.start(INSTANCE="a")
    assert first.wait_exit(120) == BAD_SETTINGS
    (line,) = [line for line in first.lines() if line["level"] == "critical"]
    assert line["event"].startswith("another process has the same PITLEDGER_INSTANCE")
    assert (line["instance"], line["group"]) == ("a", f"{rig.group}.wagers")
    said = first.errors.read_text()
    assert said.startswith("wagers: another process has the same PITLEDGER_INSTANCE")
    assert said.count("\n") == 1
    second.wait_ready()
    rig.wait_answered(ids + rig.send(20))
    assert second.process.poll() is None
    assert second.events().count("assigned") == 1


def crc32_partition(key, partitions):
    return zlib.crc32(key.encode()) % partitions


VERSIONS = {0: 6, 1: 8, 2: 3, 3: 6, 18: 2, 36: 0}
"""Of Kafka 2.0: the highest version of some requests, by their keys."""


class OldBroker:
    """Answers what Kafka 2.0 answers to ApiVersions and Metadata, and nothing else."""

    def __enter__(self):
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client):
        stream = client.makefile("rwb")
        while size := stream.read(4):
            request = stream.read(struct.unpack(">i", size)[0])
            api, version, correlation = struct.unpack_from(">hhi", request)
            answer = self._versions(version) if api == 18 else self._metadata()
            stream.write(struct.pack(">ii", len(answer) + 4, correlation) + answer)
            stream.flush()

    def _versions(self, version):
        apis = b"".join(struct.pack(">hhh", api, 0, most) for api, most in VERSIONS.items())
        unsupported = 35 if version > 2 else 0
        throttle = struct.pack(">i", 0) if version in (1, 2) else b""
        return struct.pack(">hi", unsupported, len(VERSIONS)) + apis + throttle

    def _metadata(self):
        """Version 6: one broker, which is the controller, and no topic."""
        host = b"127.0.0.1"
        broker = struct.pack(">ih", 1, len(host)) + host + struct.pack(">ih", self.port, -1)
        cluster = struct.pack(">h", 3) + b"old"
        return struct.pack(">ii", 0, 1) + broker + cluster + struct.pack(">ii", 1, 0)
