"""`python -m services.floor` on a real broker; the four engines answer in this process."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaTimeoutError, OutOfOrderSequenceNumber

from pitledger.engine import Emit, Engine
from pitledger.journal.holds import Hold
from pitledger.sources.connection import Connection
from pitledger.sources.kafka import read_topic
from pitledger.sources.topics import create_topics
from services.broker.embedded import EmbeddedBroker
from services.floor.__main__ import main
from services.floor.faults import CLEAN
from services.floor.floor import Floor
from services.floor.live import LiveFloor
from services.floor.receipts import digest_of, read_receipts
from tests.simulation.floor.room import OWNERS

PARTITIONS = 4


class Answerer(threading.Thread):
    """A bare shell: one consumer, one producer, the engines; for one short run only."""

    def __init__(self, connection: Connection, owners: tuple[str, ...] = OWNERS) -> None:
        super().__init__(daemon=True)
        self._owners = owners
        self._connection = connection
        self._stopping = threading.Event()
        self.ready = threading.Event()

    def run(self) -> None:
        asyncio.run(self._answer())

    def stop(self) -> None:
        self._stopping.set()
        self.join(10)

    async def _answer(self) -> None:
        settings = self._connection.client_settings()
        consumer = AIOKafkaConsumer(auto_offset_reset="earliest", fetch_max_wait_ms=50, **settings)
        producer = AIOKafkaProducer(linger_ms=0, **settings)
        await consumer.start()
        await producer.start()
        topic = self._connection.topic
        consumer.assign([TopicPartition(topic, n) for n in range(PARTITIONS)])
        engines = [Engine(owner, PARTITIONS) for owner in self._owners]
        for engine in engines:
            for partition in range(PARTITIONS):
                engine.on_assigned(partition, watermark=0, end=0)
        self.ready.set()
        while not self._stopping.is_set():
            for partition, records in (await consumer.getmany(timeout_ms=100)).items():
                for record in records:
                    if record.offset > engines[0].next_offset(partition.partition):
                        consumer.seek(partition, engines[0].next_offset(partition.partition))
                        break
                    for engine in engines:
                        for effect in engine.on_record(
                            partition.partition, record.offset, record.timestamp, record.key,
                            record.headers, record.value,
                        ):
                            if isinstance(effect, Emit):
                                await producer.send(topic, effect.value, effect.key,
                                                    effect.partition, headers=list(effect.headers))
        await producer.stop()
        await consumer.stop()


@pytest.fixture(scope="module")
def bootstrap(tmp_path_factory):
    with EmbeddedBroker(log=tmp_path_factory.mktemp("floor") / "broker.log") as broker:
        connection = Connection(bootstrap=(broker.bootstrap,), broker="embedded",
                                partitions=PARTITIONS)
        create_topics(connection)
        answerer = Answerer(connection)
        answerer.start()
        assert answerer.ready.wait(20)
        yield broker.bootstrap
        answerer.stop()


@pytest.fixture
def environment(monkeypatch, bootstrap):
    monkeypatch.setenv("PITLEDGER_BROKER", "embedded")
    monkeypatch.setenv("PITLEDGER_BOOTSTRAP", bootstrap)


@pytest.mark.usefixtures("environment")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("faults", [(), ("--faults",)])
def test_the_floor_plays_its_rounds_on_a_broker_and_measures(capfd, faults):
    code = main(["--rate", "8", "--tables", "4", "--rounds", "16", "--seed", "3", *faults])
    out, errors = capfd.readouterr()
    result = json.loads(out)
    assert (code, errors) == (0, "")
    assert result["rounds"] == 16
    assert result["settled"] + result["voided"] == 16
    if not faults:
        measured = result["exposed_to_payout_ms"]
        assert measured["count"] >= 14
        assert 0 < measured["p50"] <= measured["p99"] <= measured["max"]


@pytest.mark.usefixtures("environment")
@pytest.mark.timeout(60)
def test_a_producer_that_is_lost_is_replaced_and_each_receipt_is_true(
    capfd, bootstrap, monkeypatch, tmp_path
):
    send, count = AIOKafkaProducer.send, 0

    async def fails_once(self, *arguments, **options):
        nonlocal count
        count += self.client._client_id == "pitledger.floor"
        if count == 50:
            count += 1
            raise OutOfOrderSequenceNumber
        return await send(self, *arguments, **options)

    monkeypatch.setattr(AIOKafkaProducer, "send", fails_once)
    path = tmp_path / "receipts"
    code = main(["--rate", "8", "--tables", "4", "--rounds", "12", "--seed", "5", "--faults",
                 "--receipts", str(path)])
    result = json.loads(capfd.readouterr().out)
    assert code == 0
    assert (result["resent"], result["producers_renewed"]) == (1, 1)
    receipts = read_receipts(path)
    assert len(receipts.acknowledged) == result["facts"]
    connection = Connection(bootstrap=(bootstrap,), broker="embedded", partitions=PARTITIONS)
    journal = {(one.partition, one.offset): digest_of(one.key, one.headers, one.value)
               for one in read_topic(connection)}
    assert all(journal[one.partition, one.offset] == one.digest for one in receipts.acknowledged)
    assert receipts.foul <= set(journal.values())


@pytest.mark.usefixtures("environment")
def test_receipts_that_cannot_be_written_are_one_line_and_exit_code_2(capfd):
    assert main(["--receipts", "/nowhere/file"]) == 2
    assert capfd.readouterr().err == "floor: receipts /nowhere/file: No such file or directory\n"


@pytest.mark.usefixtures("environment")
@pytest.mark.timeout(60)
def test_the_benchmark_stops_opening_rounds_after_its_seconds(capfd):
    code = main(["--profile", "bench", "--rate", "4", "--tables", "4", "--seconds", "3"])
    result = json.loads(capfd.readouterr().out)
    assert code == 0
    assert 8 <= result["rounds"] <= 16
    assert result["settled"] == result["rounds"]
    assert result["seconds"] < 10


@pytest.mark.parametrize("name", [
    "BROKER", "FLOOR_PROFILE", "FLOOR_METHOD", "FLOOR_FAULTS", "FLOOR_RATE", "FLOOR_TABLES",
])
def test_a_wrong_setting_is_one_line_and_exit_code_2(monkeypatch, capfd, name):
    monkeypatch.setenv(f"PITLEDGER_{name}", "carrier-pigeon")
    assert main([]) == 2
    assert capfd.readouterr().err.startswith(f"floor: PITLEDGER_{name}=carrier-pigeon")


@pytest.mark.parametrize("option", [
    "--rate=nan", "--rate=0", "--rate=1e-320", "--rate=inf", "--patience=inf", "--patience=nan",
    "--seconds=-1", "--think=nan", "--warmup=inf", "--rounds=-1", "--first=9223372036854775808",
    "--positions=10", "--tables=0", "--seed=--5", "--seed=²",
])
def test_a_number_that_is_none_for_an_option_is_said_with_exit_code_2(capfd, option):
    with pytest.raises(SystemExit) as ended:
        main([option])
    assert ended.value.code == 2
    *_, line = capfd.readouterr().err.strip().splitlines()
    name = option[2:].partition("=")[0]
    assert line.startswith("python -m services.floor: error: ")
    assert name in line


def test_a_broker_that_is_not_there_is_one_line_and_exit_code_1(monkeypatch, capfd):
    monkeypatch.setenv("PITLEDGER_BOOTSTRAP", "127.0.0.1:1")
    assert main(["--rounds", "1"]) == 1
    *_, line = capfd.readouterr().err.strip().splitlines()
    assert line.startswith("floor: Kafka at 127.0.0.1:1")


@pytest.mark.timeout(60)
@pytest.mark.usefixtures("environment")
@pytest.mark.timeout(60)
def test_where_no_processor_answers_it_says_so_once_and_not_line_after_line(capfd, monkeypatch):
    monkeypatch.setenv("PITLEDGER_TOPIC", "nobody-answers-here")
    create_topics(Connection.from_environment())
    assert main(["--tables", "4", "--rounds", "8", "--rate", "50", "--patience", "0.2"]) == 0
    (line,) = capfd.readouterr().err.splitlines()
    assert "waited in vain for a decision; do all four processors run?" in line


def test_interrupted_while_it_waits_for_kafka_it_says_so_in_one_line():
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        floor = subprocess.Popen(
            [sys.executable, "-m", "services.floor"],
            env=os.environ | {"PITLEDGER_BOOTSTRAP": f"127.0.0.1:{deaf.getsockname()[1]}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        deaf.settimeout(120)
        deaf.accept()[0].close()  # it has begun to ask
        floor.send_signal(signal.SIGINT)
        out, errors = floor.communicate(timeout=120)
    assert (floor.returncode, out) == (130, "")
    assert errors == "floor: stopped; nothing was played\n"


def test_a_partition_that_nobody_serves_is_told_and_not_waited_for_without_end(
    bootstrap, monkeypatch
):
    monkeypatch.setattr("services.floor.live._GIVE_UP_S", 1.0)
    connection = Connection(
        bootstrap=(bootstrap,), broker="embedded", partitions=PARTITIONS + 1
    )

    async def connect():
        floor = Floor(1, 1, ("saigon5",), CLEAN)
        await LiveFloor(
            floor, connection, idempotent=False, fetch_wait_ms=50, gather_ms=0
        ).connect()

    with pytest.raises(KafkaTimeoutError, match=f"no answer for partition {PARTITIONS}"):
        asyncio.run(connect())


@pytest.mark.parametrize(("actor", "who"), [("s1", "'s1'"), ("", "nobody named")])
def test_a_hold_is_told_of_once_with_who_placed_it(capsys, actor, who):
    hold = Hold("1", "T1", "count of the tray", "", actor, 0)
    floor = SimpleNamespace(_told_holds=set())
    for _ in range(2):
        LiveFloor._tell_of(floor, hold)
    assert capsys.readouterr().err.startswith(f"floor: T1 is held by {who} ('count of the tray')")
    assert floor._told_holds == {"1"}
