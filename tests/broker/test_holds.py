"""A hold on a real broker: placed and released by a person, obeyed by the floor."""

import json
import signal
import time

import kafka
import pytest

from pitledger.journal.record import JournalRecord, partition_of
from services.cli.run import run
from services.floor.floor import Floor
from tests.broker.rig import Rig, wait_until
from tests.simulation.floor.test_live import Answerer

HELD, OTHER = "saigon-001", "hilo-002"
WAIT_S = 100


@pytest.fixture
def rig(embedded_broker, tmp_path, monkeypatch):
    rig = Rig(embedded_broker, "embedded", tmp_path, partitions=4)
    rig.create()
    rig.lend_environment(monkeypatch)
    yield rig
    rig.close()


@pytest.fixture
def answerer(rig):
    """The four engines in this process."""
    answerer = Answerer(rig.connection)
    answerer.start()
    assert answerer.ready.wait(WAIT_S)
    yield
    answerer.stop()


def floor(rig, *options):
    return rig.floor("--tables=2", "--rate=3", "--seed=1", "--patience=100", *options)


def told(capsys, *arguments):
    """What a command that succeeds prints as JSON."""
    capsys.readouterr()
    assert run([*arguments, "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def of_table(rig, table, *bodies):
    """Facts of a table, in order, as (body, offset, round id)."""
    found = []
    for stored in rig.journal():
        record = JournalRecord.FromString(stored.value)
        body = record.WhichOneof("body")
        if record.table_id == table and body in bodies:
            found.append((body, stored.offset, record.round_id))
    return found


def wait_for_a_round_elsewhere(rig):
    count = len(of_table(rig, OTHER, "round_opened"))
    wait_until(lambda: len(of_table(rig, OTHER, "round_opened")) > count, "a round", WAIT_S)


def put(rig, fact):
    """Write a fact of the floor's."""
    producer = kafka.KafkaProducer(
        bootstrap_servers=list(rig.connection.bootstrap), acks="all", enable_idempotence=False)
    partition = partition_of(fact.table_id, rig.connection.partitions)
    producer.send(rig.connection.topic, fact.value, key=fact.key, partition=partition,
                  headers=list(fact.headers)).get(WAIT_S)
    producer.close()


@pytest.mark.usefixtures("answerer")
@pytest.mark.timeout(600)
def test_the_floor_opens_and_closes_nothing_at_a_held_table_and_goes_on_when_released(rig, capsys):
    playing = floor(rig, "--think=0.1")
    try:
        wait_until(lambda: of_table(rig, HELD, "round_opened"), "a round", WAIT_S)
        placed = told(capsys, "hold", "place", HELD, "--reason", "a claim", "--by", "s1",
                      "--about", "case-7")
        (listed,) = told(capsys, "hold", "list", "--from", "kafka")["holds"]
        assert (listed["event_id"], listed["about_id"]) == (placed["id"], "case-7")

        wait_for_a_round_elsewhere(rig)  # what was on its way when the hold came is there now
        before = of_table(rig, HELD, "round_opened", "round_closed")
        wait_for_a_round_elsewhere(rig)
        wait_for_a_round_elsewhere(rig)
        assert of_table(rig, HELD, "round_opened", "round_closed") == before

        released = told(capsys, "hold", "release", HELD, "--reason", "settled", "--by", "s2")
        at = int(released["position"].partition(":")[2])
        wait_until(
            lambda: {body for body, offset, _ in
                     of_table(rig, HELD, "round_opened", "round_closed") if offset > at}
            == {"round_opened", "round_closed"}, "the table goes on", WAIT_S)
        assert told(capsys, "hold", "list", "--from", "kafka") == {"holds": []}

        told(capsys, "hold", "place", HELD, "--reason", "again", "--by", "s1")
    finally:
        playing.process.send_signal(signal.SIGTERM)
        result = playing.summary(WAIT_S)
    rows = told(capsys, "rounds", "--from", "kafka")["rounds"]
    assert len(rows) == result["rounds"]
    assert {row["state"] for row in rows} <= {"settled", "voided"}

    capsys.readouterr()
    assert run(["doctor", "--from", "kafka", "--json"]) == 1
    waits = json.loads(capsys.readouterr().out)["waits"]
    assert [finding["table"] for finding in waits if finding["kind"] == "held"] == [HELD]

    # A floor that is started while the table is held reads so from the journal.
    begun = len(of_table(rig, HELD, "round_opened"))
    playing = floor(rig, "--seconds=3")
    assert playing.summary(WAIT_S)["rounds"] > 0
    assert len(of_table(rig, HELD, "round_opened")) == begun
    said = f"floor: {HELD} is held by 's1' ('again') and opens and closes no round before"
    assert playing.errors.read_text().count(said) == 1


def test_a_command_that_is_tried_again_writes_nothing_twice_and_bad_input_nothing_at_all(
        rig, capsys):
    script = Floor(1, 1).scripts[0]
    opened = script.step(time.time_ns() // 1000)[0]
    put(rig, opened)
    command = ("hold", "place", HELD, "--reason", "a claim", "--by", "s1")
    placed = told(capsys, *command)

    again = told(capsys, *command, "--id", placed["id"])

    assert again["position"] == placed["position"]
    release = ("hold", "release", HELD, "--reason", "x", "--by", "s1")
    released = told(capsys, *release)
    assert told(capsys, *release, "--id", released["id"])["position"] == released["position"]
    assert [body for body, _, _ in of_table(rig, HELD, "table_held", "table_released")] == [
        "table_held", "table_released"]

    for arguments, line in {
        (*command[:5], "--by", "s1", "--id", placed["id"], "--about", "x"):
            f"--id {placed['id']}: is on the journal with another content",
        release: f"{HELD}: is not held",
        ("hold", "place", "nowhere", "--reason", "x", "--by", "s1"):
            f"nowhere: no such table ever opened on {rig.connection.topic}",
        ("hold", "place", HELD, "--reason", " ", "--by", "s1"): "--reason: is empty",
        ("hold", "place", HELD, "--reason", "x", "--by", ""): "--by: is empty",
        ("hold", "place", HELD, "--reason", "x", "--by", "J. Smith"):
            "--by J. Smith: has blanks; give the opaque id of a person, not a name",
        ("hold", "place", "", "--reason", "x", "--by", "s1"): "TABLE: is empty",
        ("hold", "place", HELD, "--reason", "x", "--by", "s1", "--id", "7"):
            "--id 7: is no UUIDv7 in lower case",
        (*release, "--held", "7"): f"{HELD}: no hold 7 is in force there",
    }.items():
        capsys.readouterr()
        assert run(list(arguments)) == 2
        assert capsys.readouterr().err == f"pitledger: {line}\n"
    assert len(of_table(rig, HELD, "table_held", "table_released")) == 2


def test_a_missing_topic_is_said(rig, capsys, monkeypatch):
    monkeypatch.setenv("PITLEDGER_TOPIC", "none-such")

    assert run(["hold", "place", HELD, "--reason", "x", "--by", "s1"]) == 2

    assert capsys.readouterr().err == (
        "pitledger: none-such: does not exist; make it with: pitledger topics create\n")
