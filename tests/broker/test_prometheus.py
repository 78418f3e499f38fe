"""A real Prometheus with our configuration, scraping the real processes while a floor plays."""

import time

import kafka
import pytest
import yaml

from pitledger.audit.auditor import audit
from pitledger.audit.report import render
from pitledger.sources.topics import create_topics
from services.cli.new_key import new_key
from services.runtime.settings import OWNERS
from tests.broker.rig import ROOT, Rig, wait_until
from tests.kit.dashboards import DASHBOARDS, expressions
from tests.kit.prometheus import Prometheus
from tests.unit.audit.desk import PARTITIONS, Desk

CONFIG = ROOT / "deploy" / "prometheus" / "prometheus.yml"
WAIT_S = 120
MONEY = {
    "PitledgerConservationBroken",
    "PitledgerReplayDifferent",
    "PitledgerDecisionMissing",
    "PitledgerAuditFinding",
}
MAY_BE_EMPTY = {
    "Alerts",
    "Decisions read again a minute",
    "Facts without effect a minute, by reason",
    "Foreign decisions, by type",
    "Kept in quarantine, by reason",
    "No facts, by reason",
}
"""Panels whose labels appear with the first thing of their kind, which may not happen here."""


@pytest.fixture(scope="module")
def processes(embedded_broker, tmp_path_factory):
    """All seven by name, and the rig that they run on."""
    folder = tmp_path_factory.mktemp("processes")
    rig = Rig(embedded_broker, "embedded", folder, partitions=PARTITIONS)
    key = folder / "key"
    key.write_text(new_key("casino.example/floor").text())
    archive = {"ARCHIVE": folder / "archive", "ARCHIVE_KEY": key, "ARCHIVE_EVERY_S": 2}
    try:
        create_topics(rig.connection)
        workers = {name: rig.start(module=f"services.{name}") for name in (*OWNERS, "auditor")}
        workers["archivist"] = rig.start(module="services.archivist", **archive)
        workers["cases"] = rig.start(module="services.cases")
        for worker in workers.values():
            wait_until(worker.is_ready, "caught up", WAIT_S)
        yield rig, workers
    finally:
        rig.close()


@pytest.fixture(scope="module")
def prometheus(processes, tmp_path_factory):
    """As in docker-compose.yml, but for the addresses of what it scrapes."""
    _, workers = processes
    folder = tmp_path_factory.mktemp("prometheus")
    config = yaml.safe_load(CONFIG.read_text())
    config["rule_files"] = [str(CONFIG.parent / pattern) for pattern in config["rule_files"]]
    jobs = {job["job_name"]: job for job in config["scrape_configs"]}
    ours = jobs.pop("pitledger")
    for each in ours["static_configs"]:
        port = workers[each["labels"]["processor"]].line("http")["port"]
        each["targets"] = [f"127.0.0.1:{port}"]
    copy = folder / "prometheus.yml"
    copy.write_text(yaml.safe_dump(config | {"scrape_configs": [ours]}))
    assert set(jobs) == {"pitledger-mirror", "prometheus"}
    with Prometheus(copy, folder) as prometheus:
        yield prometheus


@pytest.fixture(scope="module")
def floor(processes):
    """Some rounds of both games, played to the end."""
    return play(processes[0], seconds=12, seed=5)


def play(rig, seconds, seed):
    load = "--rate=3", "--tables=4", "--patience=60"
    return rig.floor(*load, f"--seconds={seconds}", f"--seed={seed}")


def test_all_processes_are_scraped(prometheus, floor):
    def up():
        return {
            target["labels"]["processor"]
            for target in prometheus.targets()
            if target["health"] == "up"
        }

    wait_until(lambda: up() == {*OWNERS, "auditor", "archivist", "cases"}, "all targets up", WAIT_S)


def test_every_panel_of_every_dashboard_shows_what_the_floor_plays(prometheus, floor):
    def empty():
        return [
            (name, title, expression)
            for name in DASHBOARDS
            for title, expression in expressions(name)
            if title not in MAY_BE_EMPTY and not prometheus.query(expression)
        ]

    try:
        wait_until(lambda: not empty(), "data in all panels", WAIT_S)
    except AssertionError:
        assert empty() == []
    assert floor.process.wait(WAIT_S) == 0


def test_every_expression_is_one_that_prometheus_answers(prometheus):
    for rule in all_rules(prometheus):
        prometheus.query(rule["query"])
        assert rule["health"] == "ok", rule
    for name in DASHBOARDS:
        for _, expression in expressions(name):
            prometheus.query(expression)


def test_the_money_of_all_rounds_played_sums_to_zero(prometheus, floor):
    assert floor.process.wait(WAIT_S) == 0
    sums = prometheus.query("sum by (currency) (pitledger_audit_money_minor_units)")
    assert sums
    assert {each["value"][1] for each in sums} == {"0"}
    assert not {name for name, _ in prometheus.alerts()} & MONEY


def test_bytes_that_are_no_fact_raise_an_alert(processes, prometheus):
    rig, _ = processes
    rig.send(3, value=b"no fact at all")
    wait_until(lambda: ("PitledgerQuarantine", "firing") in prometheus.alerts(), "alert", WAIT_S)
    assert ("PitledgerForeignDecision", "firing") not in prometheus.alerts()


def test_a_table_that_is_held_raises_an_alert_and_a_round_opened_there_another(
    processes, prometheus
):
    # given
    rig, _ = processes
    desk = Desk(table="held-1")
    open_and_void(rig, desk)
    assert ("PitledgerTableHeld", "firing") not in prometheus.alerts()
    # when: a person holds the table, then
    done = rig.pitledger("hold", "place", desk.table, "--reason", "a claim", "--by", "s1")
    assert done.returncode == 0, done.stderr
    wait_until(lambda: ("PitledgerTableHeld", "firing") in prometheus.alerts(), "alert", WAIT_S)
    assert ("PitledgerHeldTablePlayed", "firing") not in prometheus.alerts()
    # and when: its console does not obey, then
    open_and_void(rig, desk)
    wait_until(
        lambda: ("PitledgerHeldTablePlayed", "firing") in prometheus.alerts(), "alert", WAIT_S
    )


def open_and_void(rig, desk):
    """A round's facts, as a console of its own writes them."""
    desk.clock = time.time_ns() // 1_000_000
    desk.records.clear()
    desk.open()
    desk.fact("void_ordered")
    producer = kafka.KafkaProducer(
        bootstrap_servers=rig.connection.bootstrap, acks="all", enable_idempotence=False
    )
    for stored in desk.records:
        if not desk.parse(stored).causation_id:
            place = {"key": stored.key, "partition": stored.partition}
            headers = list(stored.headers)
            producer.send(rig.connection.topic, stored.value, headers=headers, **place)
    producer.close()


def test_a_processor_that_is_killed_raises_an_alert(processes, prometheus):
    _, workers = processes
    workers["settlement"].kill()
    wait_until(
        lambda: any(name == "PitledgerProcessDown" for name, _ in prometheus.alerts()),
        "alert",
        WAIT_S,
    )


def test_a_settlement_that_decides_otherwise_raises_alerts_and_the_true_one_mends_it(
    processes, prometheus
):
    # given: in place of the settlement, one of another build
    rig, workers = processes
    workers["settlement"].kill()
    port = workers["settlement"].line("http")["port"]
    odd = rig.start(module="tests.kit.odd_settlement", HTTP_PORT=port)
    wait_until(odd.is_ready, "caught up", WAIT_S)
    # when: rounds are played
    assert play(rig, seconds=4, seed=6).process.wait(WAIT_S) == 0
    # then: the others say that its outcomes are foreign, and that theirs are missing
    wanted = {("PitledgerForeignDecision", "firing"), ("PitledgerDecisionLate", "firing")}
    wait_until(lambda: wanted <= prometheus.alerts(), "alerts", WAIT_S)
    # and: the handbook's remedy, the true build, writes the outcomes that the facts derive
    odd.kill()
    workers["settlement"] = rig.start(module="services.settlement", HTTP_PORT=port)
    processors = [workers[name] for name in OWNERS]
    wait_until(
        lambda: (
            not sum(worker.metric("pitledger_open_rounds") for worker in processors)
            and workers["settlement"].is_ready()
        ),
        "all rounds finished",
        WAIT_S,
    )
    journal, partitions = rig.journal(), rig.connection.partitions
    report = audit(journal, partitions)
    assert report.sound, render(report)
    assert {finding.text.split("/")[0] for finding in report.foreign} == {"round_settled"}


def all_rules(prometheus):
    groups = prometheus.ask("rules")["groups"]
    assert len(groups) == 6
    return [rule for group in groups for rule in group["rules"]]
