"""The auditor as a process, beside the processors, on a real broker."""

import time
from collections import Counter
from contextlib import ExitStack, closing

import kafka
import pytest

from pitledger.audit import audit
from pitledger.journal.record import JournalRecord, headers_of, serialize
from pitledger.sources.topics import create_topics
from services.broker.embedded import EmbeddedBroker
from services.runtime.settings import OWNERS
from tests.broker.rig import Rig, wait_until
from tests.unit.audit.desk import PARTITIONS, Desk

PATIENCE_S = 120


class Scene:
    """A rig whose topics are made, and tables whose console is ours."""

    def __init__(self, broker, kind, folder):
        self.rig = Rig(broker, kind, folder, partitions=PARTITIONS)
        create_topics(self.rig.connection)
        self._producer = kafka.KafkaProducer(
            bootstrap_servers=[broker.bootstrap], acks="all", enable_idempotence=False
        )

    def close(self):
        self._producer.close()
        self.rig.close()

    def auditor(self, **settings):
        auditor = self.rig.start(module="services.auditor", **settings)
        wait_until(auditor.is_ready, "the auditor ready", PATIENCE_S)
        return auditor

    def play(self, seconds):
        """The floor for some seconds."""
        options = ("--rate=4", "--tables=6", "--seed=7", "--patience=60")
        self.rig.floor(*options, f"--seconds={seconds}").summary(seconds + PATIENCE_S)

    def write(self, stored):
        sent = self._producer.send(
            self.rig.connection.topic,
            stored.value,
            key=stored.key,
            partition=stored.partition,
            headers=list(stored.headers),
        )
        sent.get(30)

    def write_facts(self, desk):
        """Of what a desk's journal has only the facts; its decisions are made elsewhere."""
        for stored in desk.records:
            if desk.parse(stored).causation_id == "":
                self.write(stored)
        desk.records.clear()


@pytest.fixture
def scene(broker, kind, tmp_path):
    scene = Scene(broker, kind, tmp_path)
    yield scene
    scene.close()


def console(table):
    """A table's console whose time is now."""
    desk = Desk(table=table)
    desk.clock = time.time_ns() // 1_000_000
    return desk


def metrics(auditor):
    """Name with labels -> value, without the common prefix."""
    rows = [line.rsplit(" ", 1) for line in auditor.http("/metrics")[1].splitlines()]
    found = {name: float(value) for name, value in rows if name.startswith("pitledger_audit_")}
    return {name.removeprefix("pitledger_audit_"): value for name, value in found.items()}


def wait_for(auditor, name, value=1):
    wait_until(lambda: metrics(auditor).get(name, 0) >= value, f"{name} >= {value}", PATIENCE_S)


def totals(auditor):
    """Rounds by state, and the money of all games."""
    found: Counter[str] = Counter()
    for name, value in metrics(auditor).items():
        for what in ("opened", "settled", "voided", "players", "house", "pots"):
            if name.startswith(("rounds_total", "money_minor")) and f'"{what}"' in name:
                found[what] += int(value)
        if name.startswith(("stakes_minor", "returned_minor")):
            found[name.partition("_")[0]] += int(value)
    return found


def expected(report):
    """The same of an audit of the whole journal."""
    return Counter(
        opened=report.counts["rounds_opened"],
        settled=report.counts["rounds_settled"],
        voided=report.counts.get("rounds_voided", 0),
        players=sum(table.positions_net for table in report.tables),
        house=sum(table.house_net for table in report.tables),
        pots=sum(table.pot_net for table in report.tables),
        stakes=sum(table.staked for table in report.tables),
        returned=sum(table.returned for table in report.tables),
    )


def journal_audit(scene):
    return audit(scene.rig.journal(), PARTITIONS, complete=False)


@pytest.mark.parametrize("kind", ["embedded"])
def test_beside_four_processors_it_agrees_and_names_what_is_forged_or_held(scene):
    rig = scene.rig
    processors = [rig.start(module=f"services.{owner}") for owner in OWNERS]
    auditor = scene.auditor()
    for processor in processors:
        wait_until(processor.is_ready, "a processor ready", PATIENCE_S)
    scene.play(seconds=8)
    wait_until(lambda: auditor.metric("pitledger_audit_open_rounds") == 0, "all", PATIENCE_S)
    wait_for(auditor, 'records_total{kind="decision"}', journal_audit(scene).counts["decisions"])
    report = journal_audit(scene)
    assert report.sound
    assert totals(auditor) == expected(report)
    assert report.counts["rounds_settled"] > 5
    assert not auditor.metric("pitledger_audit_findings_total")
    assert not auditor.metric("pitledger_audit_replay_different_total")

    pay_twice(scene, auditor)
    forge_in_an_open_round(scene, auditor)
    break_a_hold(scene, auditor)
    assert metrics(auditor)["conservation_broken"] == 0
    assert metrics(auditor)['findings_total{kind="missing"}'] == 0

    for processor in processors:
        processor.kill()
    what_nobody_decides_is_missing(scene)
    assert auditor.terminate() == 0
    assert auditor.events()[-1] == "stopped"


def pay_twice(scene, auditor):
    """A settlement with more for the players, after the true one."""
    settled = next(s for s in scene.rig.journal() if b".RoundSettled" in dict(s.headers)["ce_type"])
    record = JournalRecord.FromString(settled.value)
    record.round_settled.totals.positions_net_minor += 100
    settled.value = serialize(record)
    scene.write(settled)
    wait_for(auditor, "after_the_end_total")
    finding = auditor.line("finding")
    assert (finding["kind"], finding["round"]) == ("foreign", record.round_id)
    assert finding["record"] == record.event_id
    assert (finding["table"], finding["partition"]) == (record.table_id, settled.partition)
    assert "differs" in finding["text"]


def forge_in_an_open_round(scene, auditor):
    desk = console("forged-1")
    desk.open()
    scene.write_facts(desk)
    forged = JournalRecord(
        event_id="00000000-0000-5000-8000-000000000001",
        table_id=desk.table,
        round_id=desk.round_id,
        source="settlement",
    )
    forged.round_voided.SetInParent()
    stored = desk.stored(desk.table.encode(), headers_of(forged), serialize(forged))
    scene.write(stored)
    wait_for(auditor, "replay_different_total")
    wait_for(auditor, 'quarantined_total{reason="foreign_decision"}', 2)
    difference = auditor.line("replay_differs")
    assert (difference["round"], difference["record"]) == (desk.round_id, forged.event_id)
    assert "RoundVoided is recorded" in difference["text"]
    desk.fact("void_ordered")
    scene.write_facts(desk)
    wait_until(lambda: auditor.metric("pitledger_audit_open_rounds") == 0, "over", PATIENCE_S)


def break_a_hold(scene, auditor):
    desk = console("held-1")
    desk.write(round_id="", table_held={"reason": "a card on the floor"})
    scene.write_facts(desk)
    wait_for(auditor, "held_tables")
    desk.open()
    desk.fact("void_ordered")
    scene.write_facts(desk)
    wait_for(auditor, "held_breaches_total")
    breach = auditor.line("held_table")
    assert (breach["table"], breach["round"]) == ("held-1", desk.round_id)
    assert "a card on the floor" in breach["text"]
    wait_until(lambda: auditor.metric("pitledger_audit_open_rounds") == 0, "over", PATIENCE_S)


def what_nobody_decides_is_missing(scene):
    """Found by an auditor that starts now and reads all from the beginning."""
    desk = console("alone-1")
    desk.open()
    desk.fact("void_ordered")
    scene.write_facts(desk)
    late = scene.auditor(AUDIT_WAIT_S=1)
    wait_for(late, 'findings_total{kind="missing"}', 3)
    assert metrics(late)["oldest_unsettled_seconds"] > 0
    assert metrics(late)["open_rounds"] == 1
    assert totals(late) == expected(journal_audit(scene))
    missing = [line for line in late.lines() if line.get("kind") == "missing"]
    assert {line["round"] for line in missing} == {desk.round_id}
    assert late.terminate() == 0


@pytest.mark.parametrize("kind", ["apache"])
def test_it_may_begin_a_day_back(scene):
    desk = console("day-1")
    desk.open()
    desk.fact("void_ordered")
    scene.write_facts(desk)
    auditor = scene.auditor(AUDIT_FROM="day", AUDIT_WAIT_S=1)
    wait_for(auditor, 'findings_total{kind="missing"}', 3)
    assert metrics(auditor)['rounds_total{game="saigon5",state="opened"}'] == 1
    assert auditor.terminate() == 0


def test_a_broker_that_is_gone_shows_in_healthz_and_in_the_log_and_ends_nothing(tmp_path):
    with ExitStack() as stack:
        with EmbeddedBroker(log=tmp_path / "log") as broker:
            scene = stack.enter_context(closing(Scene(broker, "embedded", tmp_path)))
            auditor = scene.auditor()
        wait_until(lambda: auditor.http("/healthz")[0] == 503, "not ready", PATIENCE_S)
        assert "has not answered" in auditor.http("/healthz")[1]
        wait_until(
            lambda: any(line["event"] == "no answer from Kafka" for line in auditor.lines()),
            "the log says so",
            PATIENCE_S,
        )
        assert auditor.http("/livez")[0] == 200
        assert auditor.terminate() == 0


@pytest.mark.parametrize("kind", ["embedded"])
def test_a_setting_or_topic_that_is_wrong_is_one_line(scene):
    for settings, line in (
        ({"AUDIT_FROM": "yesterday"}, "PITLEDGER_AUDIT_FROM=yesterday: must be one of"),
        ({"TOPIC": "no.such.journal"}, "no.such.journal: does not exist"),
    ):
        auditor = scene.rig.start(module="services.auditor", **settings)
        assert auditor.wait_exit(PATIENCE_S) == 2
        (said,) = auditor.errors.read_text().splitlines()
        assert said.startswith("auditor: ")
        assert line in said
