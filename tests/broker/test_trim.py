"""`pitledger topics trim` on Apache Kafka: what goes, what stays, who goes on."""

import json
import shutil
import time

import kafka
import pytest
from kafka.admin import ConfigResource, ConfigResourceType

from pitledger.archive.note import SecretKey
from pitledger.archive.statements import name_of, revoke_packets
from pitledger.sources.topics import create_topics, topic_settings
from services.cli.new_key import new_key
from services.runtime.settings import OWNERS
from tests.broker.rig import Rig, wait_until
from tests.storage.house import verify

PATIENCE_S = 120
PARTITIONS, OLD = 2, 300
HOUR_MS = 3_600_000


class House:
    """A journal with an old beginning that is junk, tables that play now, archive and mirror."""

    def __init__(self, broker, folder):
        self.rig = Rig(broker, "apache", folder, partitions=PARTITIONS)
        self.rig.create(producer_time=True)
        hours_ago = time.time_ns() // 1_000_000 - 3 * HOUR_MS
        for partition in range(PARTITIONS):
            self.rig.send(OLD, partition=partition, time_ms=hours_ago)
        self._as_it_must_be()
        self.archive, self.mirror = folder / "archive", folder / "mirror"
        self.key, self.public = folder / "key", folder / "key.pub"
        secret = new_key("casino.example/floor")
        self.key.write_text(secret.text())
        self.key.chmod(0o600)
        self.public.write_text(str(secret.public))

    def _as_it_must_be(self):
        connection = self.rig.connection
        admin = connection.admin()
        settings = topic_settings(connection)
        admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, connection.topic, settings)])
        admin.close()
        create_topics(connection)
        assert self.rig.pitledger("topics", "check").returncode == 0

    def start(self):
        processors = [self.rig.start(module=f"services.{owner}") for owner in OWNERS]
        processors.append(self.rig.start(
            module="services.archivist", ARCHIVE=self.archive, ARCHIVE_KEY=self.key,
            ARCHIVE_EVERY_S=1,
        ))  # fmt: skip
        for process in processors:
            wait_until(process.is_ready, "ready", PATIENCE_S)
        return processors

    def play(self, seed):
        load = "--rate=4", "--tables=4", "--patience=60", "--seconds=5", f"--seed={seed}"
        self.rig.floor(*load).summary(PATIENCE_S)

    def begins(self):
        consumer = kafka.KafkaConsumer(bootstrap_servers=list(self.rig.connection.bootstrap))
        tps = [kafka.TopicPartition(self.rig.connection.topic, n) for n in range(PARTITIONS)]
        found = consumer.beginning_offsets(tps)
        consumer.close()
        return [found[tp] for tp in tps]

    def mirrored(self):
        return self.rig.pitledger("mirror", self.archive, self.mirror, "--key", self.public)

    def trim(self, *options, archive=None, mirror=None, key=None, **settings):
        return self.rig.pitledger(
            "topics",
            "trim",
            "--archive",
            archive or self.archive,
            "--mirror",
            mirror or self.mirror,
            "--key",
            key or self.public,
            *options,
            **settings,
        )

    def all_sealed(self):
        trimmed = json.loads(self.trim("--older-than", "0s", "--json").stdout)
        return all(each["bound"] >= OLD for each in trimmed["partitions"])


@pytest.fixture
def house(apache_broker, tmp_path):
    house = House(apache_broker, tmp_path)
    yield house
    house.rig.close()


def test_what_is_sealed_mirrored_and_old_goes_and_everybody_goes_on(house):
    # Given an old beginning, and tables that play now
    processes = house.start()
    house.play(1)

    def ready_to_trim():
        assert house.mirrored().returncode == 0
        return house.all_sealed()

    wait_until((house.archive / "checkpoint").exists, "a checkpoint", PATIENCE_S)
    wait_until(ready_to_trim, "all old records are sealed and committed", PATIENCE_S)
    # When it is shown, nothing goes
    shown = house.trim("--older-than", "1h")
    assert shown.returncode == 0, shown.stderr
    assert f"{PARTITIONS * OLD} records would be deleted" in shown.stdout
    assert house.begins() == [0] * PARTITIONS
    # When nothing is so old, nothing goes
    none = json.loads(house.trim("--older-than", "4h", "--yes", "--json").stdout)
    assert none["records"] == 0
    assert {each["why"] for each in none["partitions"]} == {"not old enough"}
    # When it is done, what is old is gone, and what a start reads is there
    done = json.loads(house.trim("--older-than", "1h", "--yes", "--json").stdout)
    assert (done["deleted"], done["records"]) == (True, PARTITIONS * OLD)
    assert house.begins() == [OLD] * PARTITIONS
    again = json.loads(house.trim("--older-than", "0s", "--yes", "--json").stdout)
    assert again["records"] == 0
    assert {each["why"] for each in again["partitions"]} == {"round numbers that a start reads"}
    # Then all start again, and go on
    for process in processes:
        process.kill()
    house.start()
    house.play(2)
    auditor = house.rig.start(module="services.auditor")
    wait_until(auditor.is_ready, "the auditor ready", PATIENCE_S)
    wait_until(lambda: house.rig.pitledger("doctor", "--from", "kafka").returncode == 0,
               "nothing waits", PATIENCE_S)  # fmt: skip
    assert auditor.metric("pitledger_audit_findings_total") == 0
    assert house.mirrored().returncode == 0
    assert verify(house.mirror, house.public).code == 0
    everything = house.rig.pitledger("doctor", "--from", "kafka", "--all")
    assert everything.returncode == 0, everything.stdout


def test_nothing_goes_that_is_not_mirrored_or_not_sealed_or_not_finished(house):
    # Given records that are sealed, and no processor that has finished any
    sealed = house.rig.pitledger(
        "archive", "--from", "kafka", "-o", house.archive, "--key", house.key
    )
    assert sealed.returncode == 0, sealed.stderr
    no_mirror = house.trim("--yes")
    assert no_mirror.returncode == 2
    assert "is no archive" in no_mirror.stderr
    # Nor with a copy that no mirror made, nor with one that lacks a leaf
    house.mirrored()
    copy = house.archive.with_name("copy")
    shutil.copytree(house.archive, copy)
    for other in (house.archive, house.archive / "." / ".", copy):
        refused = house.trim("--yes", mirror=other)
        assert (refused.returncode, "is no mirror" in refused.stderr) == (2, True)
    # Nor where somebody else signed
    stranger = house.archive.with_name("stranger")
    house.rig.pitledger("keys", "new", "casino.example/floor", "-o", stranger)
    refused = house.trim("--yes", key=f"{stranger}.pub")
    assert (refused.returncode, "is not signed by" in refused.stderr) == (2, True)
    # Nor where a statement about another log's keys lies beside it
    secret = SecretKey.parse(house.key.read_text())
    foreign = revoke_packets("casino.example/other", secret, secret.public)
    strange = house.archive / name_of(foreign)
    strange.parent.mkdir(exist_ok=True)
    strange.write_bytes(foreign)
    refused = house.trim("--yes")
    assert (refused.returncode, "not of casino.example/floor" in refused.stderr) == (2, True)
    strange.unlink()
    leaf = next((house.mirror / "leaf").rglob("*.zst"))
    away = leaf.rename(house.mirror / "away")
    refused = house.trim("--yes")
    assert (refused.returncode, "is missing" in refused.stderr) == (2, True)
    away.rename(leaf)
    shown = json.loads(house.trim("--older-than", "1h", "--yes", "--json").stdout)
    assert shown["records"] == 0
    assert {each["why"] for each in shown["partitions"]} == {"not finished by dealing"}
    # When they have finished all, then the memory of the archive's cut is the whole beginning
    house.rig.send(10, partition=0)
    house.rig.send(10, partition=1)
    for owner in OWNERS:
        house.rig.commit({0: OLD + 10, 1: OLD + 10}, owner)
    shown = json.loads(house.trim("--older-than", "1h", "--yes", "--json").stdout)
    assert shown["records"] == 0
    assert {each["why"] for each in shown["partitions"]} == {"round numbers that a start reads"}
    # And when all is sealed, then up to the mirror's end
    again = house.rig.pitledger("archive", "--from", "kafka", "-o", house.archive, "--key",
                                house.key)  # fmt: skip
    assert again.returncode == 0, again.stderr
    ready = json.loads(house.trim("--older-than", "0s", "--json").stdout)
    assert [(each["bound"], each["why"]) for each in ready["partitions"]] == [
        (OLD, "not mirrored")
    ] * PARTITIONS
    assert house.begins() == [0, 0]
    # And where the journal is another one than the archive's
    other = house.trim("--yes", TOPIC=house.rig.connection.quarantine_topic, PARTITIONS=1)
    assert other.returncode == 2
    assert "and not of" in other.stderr


def test_the_embedded_broker_is_refused_in_one_line(house):
    told = house.trim("--yes", BROKER="embedded")
    assert told.returncode == 2
    assert told.stderr.count("\n") == 1
