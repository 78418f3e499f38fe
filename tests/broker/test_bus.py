"""The whole bus over TLS, each process with a login: rounds settle, a forgery changes nothing."""

import random
import re
import time

import kafka
import pytest

from pitledger.journal.ids import decision_id
from pitledger.journal.record import JournalRecord
from pitledger.pb import decisions_pb2
from pitledger.pb.money_pb2 import WAGER_KIND_ANTE
from services.floor.pen import Pen
from services.runtime.settings import OWNERS
from tests.broker.rig import wait_until
from tests.broker.secured import Bus, password_of

ROUND = "pitledger.v1.RoundOpened"


@pytest.fixture(scope="module")
def bus(secured_broker, tmp_path_factory):
    bus = Bus(secured_broker, tmp_path_factory.mktemp("bus"))
    bus.grant("--profile", "load")
    yield bus
    bus.rig.close()


@pytest.fixture(scope="module")
def processors(bus):
    started = {
        owner: bus.rig.start(module=f"services.{owner}", CONNECT_S=60, **bus.login(owner))
        for owner in OWNERS
    }
    for worker in started.values():
        wait_until(worker.is_ready, "ready", 120)
    return started


def play(bus, rounds, *options):
    """Simulated tables that log in as `floor`."""
    return bus.rig.floor(
        f"--rounds={rounds}", "--tables=2", "--rate=20", "--seed=3", "--patience=60", *options,
        **bus.login("floor"),
    )  # fmt: skip


def replayed(bus):
    return bus.rig.pitledger("replay", "--all", "--from", "kafka", **bus.login("auditor"))


def test_rounds_settle_over_tls_with_a_login_for_each_process(bus, processors):
    play(bus, 4).summary()
    for worker in processors.values():
        wait_until(lambda worker=worker: not worker.metric("pitledger_open_rounds"), "done", 60)
        bad = [line for line in worker.lines() if line["level"] in ("error", "critical")]
        # aiokafka says at first that no coordinator is known yet.
        assert not [line for line in bad if not line["logger"].startswith("aiokafka")]
        assert worker.line("not checked") is None
        assert worker.line("a group's commits cannot be read") is None
    verdict = replayed(bus)
    assert (verdict.returncode, verdict.stderr) == (0, "")
    assert verdict.stdout.endswith("verdict: identical: all 4 rounds\n")
    quarantine = bus.rig.pitledger("quarantine", "list", "--from", "kafka", **bus.login("desk"))
    assert quarantine.returncode == 0, quarantine.stderr


def test_a_decision_that_the_gateway_forges_is_named_and_changes_nothing(bus, processors):
    floor = play(bus, 6, "--think=0.3")
    forgery = forge_in_an_open_round(bus)
    floor.summary()
    for worker in processors.values():
        wait_until(lambda worker=worker: alarm_of(worker, forgery), "the alarm", 60)
        line = alarm_of(worker, forgery)
        assert line["kind"] == "foreign_decision"
        assert (line["partition"], line["offset"]) == (forgery.partition, forgery.offset)
        assert "PayoutDue" in line["detail"]
        assert line["round_id"] == forgery.round_id
        assert worker.metric("pitledger_foreign_decisions_total") == 1
        assert worker.metric("pitledger_alarms_total") == 1
        wait_until(lambda worker=worker: not worker.metric("pitledger_open_rounds"), "done", 60)
    wait_until(bus.rig.quarantined, "the copy", 60)
    (copy,) = bus.rig.quarantined()
    assert copy.key.decode() == f"{forgery.partition}:{forgery.offset}"
    verdict = replayed(bus).stdout
    assert f"{forgery.round_id}: PayoutDue at offset {forgery.offset} is recorded, but" in verdict
    assert "10 rounds" in verdict
    assert "10 settled, 0 voided, 0 open" in verdict
    assert verdict.endswith("verdict: DIFFERENT: 1 of 10 rounds\n")
    (derived,) = re.findall(r"decisions: (\d+) derived, (\d+) of them recorded", verdict)
    assert derived[0] == derived[1]
    audited = bus.rig.pitledger("audit", "--from", "kafka", **bus.login("auditor"))
    assert audited.returncode == 0, audited.stdout
    assert audited.stdout.startswith("audit: sound\n")
    assert f"foreign at {forgery.partition}/{forgery.offset}" in audited.stdout


def test_no_process_says_its_password(bus, processors):
    for owner, worker in processors.items():
        said = worker.log.read_text() + worker.errors.read_text()
        said += worker.http("/healthz")[1] + worker.http("/metrics")[1] + worker.http("/status")[1]
        assert "starting" in said
        assert password_of(owner) not in said


class Forgery:
    def __init__(self, record, sent):
        self.event_id, self.round_id = record.event_id, record.round_id
        self.partition, self.offset = sent.partition, sent.offset


def forge_in_an_open_round(bus):
    """As the gateway, a payout for the round that was opened last, under a payout's true id."""
    reader = kafka.KafkaConsumer(
        bus.rig.connection.topic, group_id=None, auto_offset_reset="latest",
        bootstrap_servers=list(bus.rig.connection.bootstrap),
    )  # fmt: skip
    opened = next_opening(reader)
    reader.close()
    settings = bus.connection("gateway").client_settings()
    producer = kafka.KafkaProducer(acks="all", enable_idempotence=True, **settings)
    record = payout(JournalRecord.FromString(opened.value))
    message = Pen(record.table_id, random.Random(1)).message("stranger", "payout_due", record)
    sent = producer.send(
        bus.rig.connection.topic, message.value, key=message.key, partition=opened.partition,
        headers=list(message.headers),
    ).get(60)  # fmt: skip
    producer.close()
    return Forgery(record, sent)


def next_opening(reader):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for records in reader.poll(200).values():
            for record in records:
                if dict(record.headers)["ce_type"] == ROUND.encode():
                    return record
    raise AssertionError("no round was opened")


def payout(opening):
    """A payout that no hand of cards stands behind, for position 1."""
    line = decisions_pb2.SettlementLine(
        position=1, kind=WAGER_KIND_ANTE, stake_minor=10_000, profit_minor=90_000,
        returned_minor=100_000, counterparty=decisions_pb2.COUNTERPARTY_HOUSE,
    )  # fmt: skip
    totals = decisions_pb2.Totals(
        staked_minor=10_000, returned_minor=100_000, positions_net_minor=90_000,
        house_net_minor=-90_000,
    )  # fmt: skip
    return JournalRecord(
        event_id=decision_id(opening.table_id, opening.round_id, "payout", "1"),
        table_id=opening.table_id,
        round_id=opening.round_id,
        causation_id=opening.event_id,
        occurred_at=opening.occurred_at,
        source="settlement",
        payout_due=decisions_pb2.PayoutDue(revision=1, lines=[line], totals=totals),
    )


def alarm_of(worker, forgery):
    """The log line that names the forged decision."""
    return next(
        (line for line in worker.lines() if line.get("event_id") == forgery.event_id
         and line["event"] == "alarm"), None,
    )  # fmt: skip
