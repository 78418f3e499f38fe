"""deploy/kafka/acls.toml on Apache Kafka: what each principal may and may not, tried for real."""

import asyncio
import contextlib
import json

import kafka
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition, errors
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import (
    AuthorizationError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)

from services.cli.new_key import new_key
from tests.broker.rig import wait_until
from tests.broker.secured import ACLS, PRINCIPALS, Bus

PROCESSORS = ("wagers", "dealing", "evaluation", "settlement")
ALTERS = {"alter a topic's settings", "delete records", "make a topic"}
READS, WRITES = {"read the journal"}, {"write to the journal"}
KEEPS, LOOKS = {"write to quarantine"}, {"read quarantine"}
MAY = {
    "gateway": WRITES,
    "wagers": READS | WRITES | KEEPS | {"join wagers"},
    "dealing": READS | WRITES | {"join dealing"},
    "evaluation": READS | WRITES | {"join evaluation"},
    "settlement": READS | WRITES | {"join settlement"},
    "cases": READS | WRITES,
    "floor": READS | WRITES,
    "archivist": READS,
    "auditor": READS,
    "desk": READS | LOOKS,
    "operator": READS | LOOKS | ALTERS | {f"join {each}" for each in PROCESSORS},
    "stranger": set(),
}


@pytest.fixture(scope="module")
def bus(secured_broker, tmp_path_factory):
    bus = Bus(secured_broker, tmp_path_factory.mktemp("acls"), partitions=1)
    bus.grant("--profile", "load")
    bus.rig.send(1)
    yield bus
    bus.rig.close()


PATIENCE_S = 60
REFUSED = (
    errors.TopicAuthorizationFailedError,
    errors.GroupAuthorizationFailedError,
    errors.ClusterAuthorizationFailedError,
)


class Tries:
    """What a user tries, each by a client of its own."""

    def __init__(self, bus, user):
        self.connection, self.group, self.user = bus.connection(user), bus.rig.group, user
        self.settings = self.connection.client_settings()

    async def all(self):
        """What of it the broker lets."""
        journal, quarantine = self.connection.topic, self.connection.quarantine_topic
        tried = {
            "write to the journal": await self.writes(journal),
            "write to quarantine": await self.writes(quarantine),
            "read the journal": await self.reads(journal),
            "read quarantine": await self.reads(quarantine),
            **await asyncio.to_thread(self.alters, journal),
        }
        for owner in PROCESSORS:
            tried[f"join {owner}"] = await self.joins(f"{self.group}.{owner}", journal)
        return {what for what, allowed in tried.items() if allowed}

    async def writes(self, topic):
        """As an idempotent producer: asks for more rights than another."""
        producer = AIOKafkaProducer(acks="all", enable_idempotence=True, **self.settings)

        async def write():
            await producer.start()
            await producer.send_and_wait(topic, b"v", partition=0)

        return await is_allowed(write(), producer)

    async def reads(self, topic):
        consumer = AIOKafkaConsumer(topic, group_id=None, **self.settings)

        async def read():
            await consumer.start()
            tp = TopicPartition(topic, 0)
            while consumer.highwater(tp) is None:
                await consumer.getmany(tp, timeout_ms=200)

        return await is_allowed(read(), consumer)

    async def joins(self, group, topic):
        consumer = AIOKafkaConsumer(
            topic, group_id=group, enable_auto_commit=False, session_timeout_ms=6000,
            **self.settings,
        )  # fmt: skip

        async def join():
            await consumer.start()
            while not consumer.assignment():
                await asyncio.sleep(0.05)

        return await is_allowed(join(), consumer)

    def alters(self, topic):
        admin = self.connection.admin()
        name = f"made.by.{self.user}.{self.group}"
        configs = ConfigResource(ConfigResourceType.TOPIC, topic, {"retention.ms": "-1"})
        shape = {"num_partitions": 1, "replication_factor": 1}
        records = {kafka.TopicPartition(topic, 0): 0}
        tries = {
            "alter a topic's settings": lambda: altered(admin, configs),
            "delete records": lambda: admin.delete_records(records),
            "make a topic": lambda: admin.create_topics({name: shape}),
            # Nobody may: the operator has rights on our own topics, and none on others'.
            "delete another's topic": lambda: admin.delete_topics([name]),
        }
        try:
            return {what: not refused(attempt) for what, attempt in tries.items()}
        finally:
            admin.close()


async def is_allowed(attempt, client):
    try:
        async with asyncio.timeout(PATIENCE_S):
            await attempt
    except REFUSED:
        return False
    finally:
        with contextlib.suppress(TimeoutError):  # of a producer with something unsent
            await asyncio.wait_for(client.stop(), 1)
    return True


def altered(admin, resource):
    answer = admin.alter_configs([resource], raise_on_unknown=False)["topic"][resource.name]
    if answer != "OK":
        raise TopicAuthorizationFailedError(answer)


def refused(attempt):
    try:
        attempt()
    except (AuthorizationError, UnknownTopicOrPartitionError):  # what one may not see is unknown
        return True
    return False


async def tried_by_all(bus):
    at_once = asyncio.Semaphore(4)

    async def tried(user):
        async with at_once:
            return await Tries(bus, user).all()

    return dict(zip(MAY, await asyncio.gather(*map(tried, MAY)), strict=True))


def test_each_principal_may_what_the_file_says_and_nothing_else(bus):
    assert asyncio.run(tried_by_all(bus)) == MAY


def test_the_table_of_this_test_knows_every_principal_of_the_file():
    assert set(MAY) == {*PRINCIPALS, "stranger"}


def test_without_a_profile_the_floor_may_nothing_and_a_right_too_much_is_found(bus):
    def check(*options):
        done = bus.rig.pitledger("topics", "acls", "check", ACLS, *options, "--json",
                             **bus.login("operator"))  # fmt: skip
        return done.returncode, json.loads(done.stdout)["problems"]

    journal = bus.rig.connection.topic
    assert check("--profile", "load") == (0, [])
    assert check() == (
        1,
        [f"too much: User:floor may {what} topic {journal}" for what in ("read", "write")],
    )
    taken = bus.grant()
    assert f"taken back: User:floor may write topic {journal}" in taken.stdout
    assert check() == (0, [])
    assert not asyncio.run(Tries(bus, "floor").writes(journal))


def test_an_installation_whose_groups_begin_with_our_name_keeps_its_rights(bus):
    names = {"TOPIC": "journal.b", "QUARANTINE_TOPIC": "kept.b", "GROUP": f"{bus.rig.group}.b"}
    other = bus.login("admin") | names
    bus.rig.pitledger("topics", "acls", "apply", ACLS, **other)

    def missing_to_the_other():
        done = bus.rig.pitledger("topics", "acls", "check", ACLS, "--json", **other)
        problems = json.loads(done.stdout)["problems"]
        return [line for line in problems if line.startswith("missing")]

    assert missing_to_the_other() == []
    assert "taken back" not in bus.grant().stdout
    assert missing_to_the_other() == []


def test_the_lists_are_changed_by_the_operator_alone(bus):
    for user in ("wagers", "desk", "stranger"):
        refused = bus.rig.pitledger("topics", "acls", "apply", ACLS, **bus.login(user))
        assert refused.returncode == 2
        (line,) = refused.stderr.strip().splitlines()
        assert "ClusterAuthorizationFailedError" in line


def test_a_processor_without_the_right_to_its_group_says_so_and_ends(bus):
    worker = bus.rig.start(module="services.dealing", CONNECT_S=60, **bus.login("wagers"))
    assert worker.wait_exit(120) == 2
    (line,) = [line for line in worker.lines() if line["level"] == "critical"]
    assert "may not join its group" in line["event"]
    assert (line["user"], line["group"]) == ("wagers", f"{bus.rig.group}.dealing")


def test_the_operator_who_may_not_write_does_all_that_is_his(bus, tmp_path):
    """But to make topics and to delete records, which are tried above."""
    secret, rig = new_key("casino.example/floor"), bus.rig
    key, public = tmp_path / "key", tmp_path / "key.pub"
    key.write_text(secret.text())
    public.write_text(str(secret.public))
    archive, mirror = tmp_path / "archive", tmp_path / "mirror"
    archivist = rig.start(
        module="services.archivist", ARCHIVE=archive, ARCHIVE_KEY=key, ARCHIVE_EVERY_S=1,
        CONNECT_S=60, **bus.login("archivist"),
    )  # fmt: skip
    wait_until((archive / "checkpoint").exists, "a checkpoint", 120)
    assert archivist.terminate() == 0
    for command in (
        ("topics", "create"),
        ("topics", "check"),
        ("topics", "acls", "apply", ACLS, "--profile", "load"),
        ("topics", "acls", "check", ACLS, "--profile", "load"),
        ("mirror", archive, mirror, "--key", public),
        ("topics", "trim", "--archive", archive, "--mirror", mirror, "--key", public, "--yes"),
    ):
        done = rig.pitledger(*command, **bus.login("operator"))
        assert done.returncode == 0, (command, done.stdout, done.stderr)


def test_a_floor_that_may_not_write_says_so_in_one_line(bus):
    floor = bus.rig.floor("--rounds=1", **bus.login("archivist"))
    assert floor.process.wait(120) == 1
    (line,) = floor.errors.read_text().strip().splitlines()
    assert line.startswith("floor: Kafka at")
    assert "AuthorizationFailedError" in line


def test_the_archivist_needs_no_right_but_its_own_and_says_what_it_lacks(bus, tmp_path):
    key = tmp_path / "key"
    key.write_text(new_key("casino.example/floor").text())
    settings = {"ARCHIVE": tmp_path / "archive", "ARCHIVE_KEY": key, "CONNECT_S": 60}

    def start(user, **more):
        login = bus.login(user)
        return bus.rig.start(module="services.archivist", **settings, **login | more)

    archivist = start("archivist")
    wait_until(archivist.is_ready, "ready", 120)
    assert archivist.line("not checked") is None
    assert archivist.terminate() == 0
    for user, more, reason in (
        ("gateway", {}, "TopicAuthorizationFailedError"),
        ("archivist", {"SASL_PASSWORD_FILE": key}, "as archivist"),
    ):
        refused = start(user, **more)
        assert refused.wait_exit(120) == 2
        (line,) = refused.errors.read_text().strip().splitlines()
        assert line.startswith("archivist: Kafka at")
        assert reason in line


def test_the_process_of_cases_needs_no_right_but_its_own_and_says_what_it_lacks(bus):
    def start(user):
        return bus.rig.start(module="services.cases", CONNECT_S=60, **bus.login(user))

    cases = start("cases")
    wait_until(cases.is_ready, "ready", 120)
    assert cases.line("not checked") is None
    assert cases.terminate() == 0
    refused = start("gateway")
    assert refused.wait_exit(120) == 2
    (line,) = refused.errors.read_text().strip().splitlines()
    assert line.startswith("cases: Kafka at")
    assert "TopicAuthorizationFailedError" in line


def test_a_command_that_may_not_read_says_so_in_one_line(bus):
    refused = bus.rig.pitledger("rounds", "--from", "kafka", **bus.login("gateway"))
    assert refused.returncode == 2
    (line,) = refused.stderr.strip().splitlines()
    assert "TopicAuthorizationFailedError" in line


def test_a_file_that_is_wrong_is_one_line(bus, tmp_path):
    for text, words in (
        ("[principals.a]\njournal = ['fly']", "fly is none of"),
        ("[principals.a]\ntopics = []", "unknown key topics"),
        ("principals = 3", "is not as"),
        ("[", "Invalid"),
    ):
        path = tmp_path / "acls.toml"
        path.write_text(text)
        failed = bus.rig.pitledger("topics", "acls", "check", path)
        assert failed.returncode == 2
        (line,) = failed.stderr.strip().splitlines()
        assert words in line
        assert str(path) in line
