"""The archivist as a process: what is played is sealed while it is played, whatever ends it."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, closing

import kafka
import pytest

from pitledger.archive.log import leaf_data, manifests, newest
from pitledger.journal.stored import messages_from
from pitledger.sources.topics import create_topics
from services.broker.embedded import EmbeddedBroker
from services.cli.new_key import new_key
from services.runtime.settings import OWNERS
from services.storage.folder import Folder
from services.storage.index import Index
from tests.broker.rig import ROOT, Rig, wait_until
from tests.kit import house as kit
from tests.kit.log import Log
from tests.kit.table import Table

PATIENCE_S = 120
PARTITIONS = 4
MINUTE = 60_000


class House:
    """A journal, its four processors when wanted, and an archive that is to hold it."""

    def __init__(self, broker, kind, folder):
        self.rig = Rig(broker, kind, folder, partitions=PARTITIONS)
        create_topics(self.rig.connection)
        self.home = folder / "archive"
        self.secret = new_key("casino.example/floor")
        self.key, self.public = folder / "key", folder / "key.pub"
        self.key.write_text(self.secret.text())
        self.key.chmod(0o600)
        self.public.write_text(str(self.secret.public))

        self._producer = kafka.KafkaProducer(
            bootstrap_servers=[broker.bootstrap], acks="all", enable_idempotence=False
        )

    def close(self):
        self._producer.close()
        self.rig.close()

    def processors(self):
        processors = [self.rig.start(module=f"services.{owner}") for owner in OWNERS]
        for processor in processors:
            wait_until(processor.is_ready, "a processor ready", PATIENCE_S)
        return processors

    def start(self, **settings):
        chosen = {"ARCHIVE": self.home, "ARCHIVE_KEY": self.key, "ARCHIVE_EVERY_S": 1} | settings
        return self.rig.start(module="services.archivist", **chosen)

    def archivist(self, **settings):
        archivist = self.start(**settings)
        wait_until(archivist.is_ready, "the archivist ready", PATIENCE_S)
        return archivist

    def floor(self, seconds, seed=7):
        load = "--rate=4", "--tables=6", "--patience=60"
        return self.rig.floor(*load, f"--seconds={seconds}", f"--seed={seed}")

    def play(self, seconds, seed=7):
        return self.floor(seconds, seed).summary(seconds + PATIENCE_S)

    def write(self, records):
        sent = [
            self._producer.send(
                self.rig.connection.topic,
                stored.value,
                key=stored.key,
                partition=stored.partition,
                headers=list(stored.headers),
                timestamp_ms=stored.broker_time,  # counts where the topic is told so
            )
            for stored in records
        ]
        for each in sent:
            each.get(30)

    def manifests(self):
        store = Folder(self.home)
        checkpoint = newest(store, self.secret.name)
        return list(manifests(store, checkpoint.size if checkpoint else 0))

    def sealed_rounds(self):
        return [each.round for each in self.manifests() if each.HasField("round")]

    def sealed_places(self):
        """How often each place of the journal is in a leaf, copies left out."""
        found, store = Counter(), Folder(self.home)
        for manifest in self.manifests():
            if manifest.HasField("document"):
                continue
            copied = manifest.round.copied if manifest.round.HasField("copied") else None
            for message in messages_from(leaf_data(store, manifest.sha256, manifest.length)):
                if message.offset != copied:
                    found[message.partition, message.offset] += 1
        return found

    def wait_sealed(self):
        """Until each record of the journal is in a leaf; none may be in two."""
        places = Counter((s.partition, s.offset) for s in self.rig.journal())
        wait_until(lambda: len(self.sealed_places()) >= len(places), "all sealed", PATIENCE_S)
        assert self.sealed_places() == places

    def verify(self, public=None):
        code = "import sys; from services.verify import main; sys.exit(main())"
        return subprocess.run(
            [sys.executable, "-c", code, str(self.home), "--key", str(public or self.public)],
            capture_output=True, text=True, check=False, cwd=ROOT, timeout=PATIENCE_S,
        )  # fmt: skip


@pytest.fixture
def house(broker, kind, tmp_path):
    house = House(broker, kind, tmp_path)
    yield house
    house.close()


def test_what_the_floor_plays_is_sealed_while_it_plays_and_after_a_kill(house):
    house.processors()
    archivist = house.archivist()
    floor = house.floor(seconds=12)
    wait_until(lambda: len(house.sealed_rounds()) > 5, "some rounds sealed", PATIENCE_S)
    assert floor.process.poll() is None
    archivist.kill()
    before = house.verify()
    assert before.returncode == 0, before.stderr
    archivist = house.archivist()
    played = floor.summary(PATIENCE_S)
    house.wait_sealed()
    assert len(house.sealed_rounds()) >= played["rounds"]
    size = len(house.manifests())
    assert archivist.metric("pitledger_archive_entries") == size
    assert archivist.terminate() == 0
    assert archivist.events()[-1] == "stopped"
    after = house.verify()
    assert after.returncode == 0, after.stderr
    assert len(house.manifests()) == size


class Script:
    """What one table plays, written with the decisions that its facts derive; no processors run."""

    def __init__(self, house, name="T1"):
        self.house, self.log = house, Log(PARTITIONS)
        self.log.clock = time.time_ns() // 1_000_000
        self.table = Table(table_id=name, log=self.log)
        self.engines = kit.House(self.log)
        self._written = [0] * PARTITIONS

    def play(self, rounds=1):
        for _ in range(rounds):
            self.table.play((1,))
        return self.write()

    def write(self):
        """What was not written yet."""
        self.engines.run()
        for partition, records in enumerate(self.log.records):
            self.house.write(records[self._written[partition] :])
            self._written[partition] = len(records)
        return self

    @property
    def partition(self):
        return next(n for n, records in enumerate(self.log.records) if records)


def refused(worker, code):
    """The one line that it ended with."""
    assert worker.wait_exit(PATIENCE_S) == code, worker.log.read_text()[-3000:]
    (line,) = worker.errors.read_text().splitlines()
    assert line.startswith("archivist: ")
    return line


def told_of_another_journal(archivist):
    """It ends: by what it read, or by what it looked at before it signed."""
    if archivist.wait_exit(PATIENCE_S) == 70:
        assert "lost its end, or was made anew" in refused(archivist, 70)
    else:
        assert "the journal does not continue the archive" in refused(archivist, 2)


def health(archivist):
    return json.loads(archivist.http("/healthz")[1])


@pytest.mark.parametrize("kind", ["embedded"])
def test_a_quiet_tables_round_is_sealed_within_the_cadence_and_nothing_new_signs_nothing(house):
    archivist = house.archivist()
    Script(house).play()
    took = wait_until(house.sealed_rounds, "sealed", PATIENCE_S)
    assert took < 30
    house.wait_sealed()
    (sealed,) = house.sealed_rounds()
    index = Index.open(Folder(house.home), house.home / "index.sqlite")
    wait_until(lambda: [each.round_id for each in index.rounds()] == [sealed.round_id], "indexed")
    signed = archivist.metric("pitledger_archive_checkpoints_total")
    time.sleep(4)
    assert archivist.metric("pitledger_archive_checkpoints_total") == signed
    assert archivist.metric("pitledger_archive_unsealed_seconds") < 4
    assert archivist.terminate() == 0


@pytest.mark.parametrize("kind", ["embedded"])
def test_what_is_complete_when_it_is_told_to_stop_is_sealed(house):
    archivist = house.archivist(ARCHIVE_EVERY_S=3600)
    Script(house).play(3)
    records = len(house.rig.journal())
    wait_until(
        lambda: archivist.metric("pitledger_archive_records_total") == records, "read", PATIENCE_S
    )
    assert house.sealed_rounds() == []
    assert archivist.terminate() == 0
    assert len(house.sealed_rounds()) == 3
    told = house.rig.pitledger(
        "archive", "--from", "kafka", "-o", house.home, "--key", house.key, "--json"
    )
    assert json.loads(told.stdout)["records"] == 0, told.stderr


@pytest.mark.parametrize("kind", ["embedded"])
def test_a_second_archivist_and_one_of_another_archive_are_refused(house):
    first = house.archivist()
    assert "another process writes there" in refused(house.start(), 70)
    assert first.terminate() == 0
    line = refused(house.start(ARCHIVE_ORIGIN="another.example/floor"), 2)
    assert "this is the archive of casino.example/floor" in line


@pytest.mark.parametrize("kind", ["embedded"])
def test_a_key_of_another_name_goes_on_where_it_was_rotated_to(house, tmp_path):
    first = house.archivist()
    Script(house).play()
    wait_until(house.sealed_rounds, "sealed", PATIENCE_S)
    assert first.terminate() == 0
    made = house.rig.pitledger("keys", "new", "casino.example/floor-2", "-o", tmp_path / "key2")
    assert made.returncode == 0, made.stderr
    rotated = house.rig.pitledger(
        "keys", "rotate", house.home, "--key", house.key, "--to", tmp_path / "key2"
    )
    assert rotated.returncode == 0, rotated.stderr
    second = house.archivist(ARCHIVE_KEY=tmp_path / "key2")
    assert second.terminate() == 0
    for public in (house.public, tmp_path / "key2.pub"):
        verified = house.verify(public)
        assert verified.returncode == 0, verified.stderr
    assert "signs no more: casino.example/floor-2+" in refused(house.start(), 2)


@pytest.mark.parametrize("kind", ["embedded"])
@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"ARCHIVE": ""}, "PITLEDGER_ARCHIVE: say where the archive lies"),
        ({"ARCHIVE_KEY": ""}, "PITLEDGER_ARCHIVE_KEY: name the file of the key"),
        ({"ARCHIVE_KEY": __file__}, "is not in base64"),
        ({"ARCHIVE_EVERY_S": "0"}, "PITLEDGER_ARCHIVE_EVERY_S=0: must be from 1"),
        ({"TOPIC": "no.such.journal"}, "no.such.journal: does not exist"),
    ],
)
def test_a_setting_that_is_wrong_is_one_line_and_nothing_is_written(house, settings, line):
    assert line in refused(house.start(**settings), 2)
    assert not house.home.exists()


@pytest.mark.parametrize("kind", ["embedded"])
def test_a_store_that_fails_ends_it_with_one_line_and_a_start_goes_on(house):
    house.home.mkdir()
    (house.home / "leaf").write_text("in the way")
    archivist = house.archivist()
    Script(house).play(2)
    assert str(house.home / "leaf") in refused(archivist, 70)
    (house.home / "leaf").unlink()
    archivist = house.archivist()
    house.wait_sealed()
    assert len(house.sealed_rounds()) == 2
    assert archivist.terminate() == 0
    assert house.verify().returncode == 0


@pytest.mark.parametrize("kind", ["embedded"])
def test_rounds_that_should_not_wait_are_named_and_hold_up_no_other(house):
    odd, lacking, other = Script(house, "T1"), Script(house, "T2"), Script(house, "T3")
    odd.table.open((1,), adjudication_version=99)
    odd.play()
    lacking.engines.down.add("settlement")
    lacking.play()
    other.play()
    archivist = house.archivist(ARCHIVE_WAIT_S=1)
    wait_until(
        lambda: archivist.metric("pitledger_archive_waiting_rounds") == 2, "named", PATIENCE_S
    )
    told = {each["table"]: each["why"] for each in health(archivist)["waiting"]}
    assert told == {
        "T1": "is not judged by this build: adjudication version 99 is not known",
        "T2": "is over, and lacks PayoutDue, RequestAnswered, RoundSettled",
    }
    logged = {line["table"]: line["why"] for line in archivist.lines() if "why" in line}
    assert logged == told
    assert health(archivist)["ready"]
    assert {each.table_id for each in house.sealed_rounds()} == {"T1", "T3"}
    lacking.engines.down.clear()
    lacking.write()
    wait_until(lambda: archivist.line("round waits no more"), "the decisions came", PATIENCE_S)
    assert {each.table_id for each in house.sealed_rounds()} == {"T1", "T2", "T3"}
    assert archivist.terminate() == 0
    assert house.verify().returncode == 0


@pytest.mark.parametrize("kind", ["apache"])
def test_a_trimmed_journal_is_read_on_as_long_as_all_that_was_trimmed_is_sealed(house):
    script = Script(house)
    archivist = house.archivist()
    third = script.play(3).table.round_id
    house.wait_sealed()
    assert archivist.terminate() == 0
    trim(house, script.partition, script.table.written[third].offset)
    # an opening that comes again after the restart is known from the time before
    script.table.again(third)
    script.play(2)
    archivist = house.archivist()
    wait_until(lambda: len(house.sealed_rounds()) == 5, "sealed", PATIENCE_S)
    assert archivist.metric("pitledger_archive_open_rounds") == 0
    assert archivist.terminate() == 0
    assert house.verify().returncode == 0
    script.play()
    trim(house, script.partition, len(script.log.records[script.partition]) - 5)
    line = refused(house.start(), 2)
    assert "the journal does not continue the archive" in line
    assert "begins at offset" in line


@pytest.mark.parametrize("kind", ["apache"])
def test_an_archive_may_begin_with_a_journal_that_was_trimmed_before(house):
    script = Script(house).play(2)
    first = len(script.log.records[script.partition])
    script.play()
    trim(house, script.partition, first)
    archivist = house.archivist()
    wait_until(house.sealed_rounds, "sealed", PATIENCE_S)
    assert archivist.terminate() == 0
    assert house.verify().returncode == 0


@pytest.mark.parametrize("kind", ["apache"])
@pytest.mark.parametrize(("rounds", "why"), [(1, "ends at offset"), (4, "is not the opening of")])
def test_a_topic_that_was_made_anew_does_not_continue_the_archive(house, rounds, why):
    archivist = house.archivist()
    Script(house).play(2)
    house.wait_sealed()
    before = house.manifests()
    admin = house.rig.connection.admin()
    admin.delete_topics([house.rig.connection.topic])
    admin.close()
    create_again(house)
    Script(house).play(rounds)
    told_of_another_journal(archivist)
    line = refused(house.start(), 2)
    assert "the journal does not continue the archive" in line
    assert why in line
    assert house.manifests() == before


@pytest.mark.parametrize("kind", ["apache"])
def test_a_topic_made_anew_while_nobody_looks_ends_all_who_follow_it(house):
    """Longer than the old one by the time that they read again: no offset tells."""
    cases = house.rig.start(module="services.cases", CASES_INDEX=house.home.with_name("index"))
    auditor, archivist = house.rig.start(module="services.auditor"), house.archivist()
    followers = [archivist, auditor, cases]
    Script(house).play(2)
    house.wait_sealed()
    for each in followers:
        wait_until(each.is_ready, "ready", PATIENCE_S)
    before = house.manifests()
    for each in followers:
        each.process.send_signal(signal.SIGSTOP)
    admin = house.rig.connection.admin()
    admin.delete_topics([house.rig.connection.topic])
    admin.close()
    create_again(house)
    Script(house).play(6)
    for each in followers:
        each.process.send_signal(signal.SIGCONT)
    told_of_another_journal(archivist)
    assert auditor.wait_exit(PATIENCE_S) == cases.wait_exit(PATIENCE_S) == 70
    assert "made anew" in cases.errors.read_text()
    assert house.manifests() == before
    assert house.verify().returncode == 0


@pytest.mark.parametrize("kind", ["apache"])
def test_a_topic_that_is_given_more_partitions_ends_all_who_follow_it(house):
    archivist, auditor = house.archivist(), house.rig.start(module="services.auditor")
    wait_until(auditor.is_ready, "ready", PATIENCE_S)
    admin = house.rig.connection.admin()
    admin.create_partitions({house.rig.connection.topic: PARTITIONS + 2})
    admin.close()
    line = refused(archivist, 2)
    assert f"has {PARTITIONS + 2} partitions by now, must have {PARTITIONS}" in line
    assert auditor.wait_exit(PATIENCE_S) == 2
    assert "partitions by now" in auditor.errors.read_text()


@pytest.mark.parametrize("kind", ["apache"])
def test_a_brokers_clock_that_goes_back_makes_it_begin_again_and_seals_every_round(house):
    def play(*pauses):
        """At the script's time. No process starts on a topic that lets it be given."""
        house.rig.alter("message.timestamp.type", "CreateTime")
        for minutes in pauses:
            script.log.clock += minutes * MINUTE
            script.play()
        house.rig.alter("message.timestamp.type", "LogAppendTime")

    script = Script(house)
    script.log.clock -= 6 * 60 * MINUTE
    play(0, 70, 70)
    archivist = house.archivist()
    house.wait_sealed()
    archivist.kill()
    # a quarter of an hour before the cut is known after a restart
    play(-150, 5, -10, 5)
    archivist = house.archivist()
    house.wait_sealed()
    assert len(house.sealed_rounds()) == 7
    assert archivist.events().count("clock went back") == 1
    assert archivist.terminate() == 0
    assert house.verify().returncode == 0
    other = house.home.with_name("other")
    once = ("archive", "--from", "kafka", "-o", other, "--key", house.key, "--json")
    told = house.rig.pitledger(*once)
    assert json.loads(told.stdout)["rounds"] == 7, told.stderr


def trim(house, partition, before):
    admin = house.rig.connection.admin()
    admin.delete_records({kafka.TopicPartition(house.rig.connection.topic, partition): before})
    admin.close()


def create_again(house):
    def created():
        try:
            create_topics(house.rig.connection)
        except Exception:  # the old one is still on its way out
            return False
        return True

    wait_until(created, "the topic made anew", PATIENCE_S)


def test_a_broker_that_is_gone_shows_in_healthz_and_ends_nothing(tmp_path):
    with ExitStack() as stack:
        with EmbeddedBroker(log=tmp_path / "log") as broker:
            house = stack.enter_context(closing(House(broker, "embedded", tmp_path)))
            archivist = house.archivist()
        wait_until(lambda: archivist.http("/healthz")[0] == 503, "not ready", PATIENCE_S)
        assert "has not answered" in health(archivist)["reason"]
        assert archivist.http("/livez")[0] == 200
        assert archivist.terminate() == 0
