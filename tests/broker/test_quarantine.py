"""`pitledger quarantine` on a real broker, with copies as the wagers process writes them."""

import json

import kafka
import pytest

from pitledger.engine import Quarantine
from pitledger.journal.record import JournalRecord, headers_of, serialize
from pitledger.pb import decisions_pb2
from services.cli.run import run
from services.runtime.producer import copy_of
from tests.broker.rig import Rig

FORGED = JournalRecord(
    event_id="019aa000-0000-7000-8000-000000000001", table_id="saigon-001", round_id="r1",
    source="settlement", betting_closed=decisions_pb2.BettingClosed(pot_minor=700))
KEPT = (
    Quarantine(2, 14, "undecodable", b"saigon-001", (("ce_type", b"x.Y"),), b"\x0a\x02e1\x07"),
    Quarantine(1, 3, "foreign_decision", b"saigon-001", headers_of(FORGED), serialize(FORGED)),
    Quarantine(2, 14, "undecodable", b"saigon-001", (("ce_type", b"x.Y"),), b"\x0a\x02e1\x07"),
    Quarantine(0, 9, "outside_vocabulary: unknown value of card", b"hilo-002", (), b"z" * 5000),
)


@pytest.fixture
def rig(embedded_broker, tmp_path, monkeypatch):
    rig = Rig(embedded_broker, "embedded", tmp_path, partitions=4)
    rig.create()
    rig.lend_environment(monkeypatch)
    yield rig
    rig.close()


@pytest.fixture
def kept(rig):
    producer = kafka.KafkaProducer(
        bootstrap_servers=list(rig.connection.bootstrap), acks="all", enable_idempotence=False)
    topic = rig.connection.quarantine_topic
    for quarantine in KEPT:
        value, key, headers = copy_of(quarantine)
        producer.send(topic, value, key=key, headers=headers).get(60)
    producer.send(topic, b"x", key=b"a stranger's").get(60)
    producer.close()
    return rig


def listed(capsys, *arguments):
    capsys.readouterr()
    assert run(["quarantine", "list", "--json", *arguments]) == 0
    return [copy["position"] for copy in json.loads(capsys.readouterr().out)["copies"]]


@pytest.mark.usefixtures("kept")
def test_each_position_is_listed_once_and_can_be_chosen(capsys):
    assert listed(capsys) == ["2:14", "1:3", "0:9"]
    assert listed(capsys, "--reason", "foreign_decision") == ["1:3"]
    assert listed(capsys, "--table", "saigon-001") == ["2:14", "1:3"]
    assert listed(capsys, "--since", "1h") == ["2:14", "1:3", "0:9"]
    assert listed(capsys, "--since", "2100-01-01") == []
    assert listed(capsys, "--last", "2") == ["0:9"]
    assert listed(capsys, "--last", "3") == ["2:14", "0:9"]

    assert run(["quarantine", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("of saigon-001: its bytes are no journal record")
    assert "BettingClosed  019aa000-0000-7000-8000-000000000001" in lines[1]
    assert lines[-1] == "3 copies"


@pytest.mark.usefixtures("kept")
def test_one_copy_is_shown_with_its_place_its_headers_its_bytes_and_what_can_be_read(rig, capsys):
    assert run(["quarantine", "show", "1:3"]) == 0
    forged = capsys.readouterr().out
    assert run(["quarantine", "show", "2:14"]) == 0
    broken = capsys.readouterr().out
    assert run(["quarantine", "show", "0:9"]) == 0
    long = capsys.readouterr().out

    assert run(["quarantine", "show", "0:9", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["position"], told["journal"]) == ("0:9", rig.connection.topic)
    assert bytes.fromhex(told["value"]) == b"z" * 5000

    assert forged.startswith("1:3: a decision that the facts do not derive so\n")
    assert f"the original lies on {rig.connection.topic}, partition 1, offset 3" in forged
    assert "  ce_source: settlement\n" in forged
    assert "    in the Pot: 7.00\n" in forged
    assert "what can be read:\n  event_id: e1\n  from byte 4 on nothing can be read\n" in broken
    assert "  00000000  0a 02 65 31 07 " in broken
    assert "  ..e1.\n" in broken
    assert "outside the vocabulary of its round's adjudication version: unknown value of" in long
    assert "  2952 more; --whole prints them\n" in long.replace(",", "")


def test_bad_input_is_one_line(rig, capsys, monkeypatch):
    topic = rig.connection.quarantine_topic
    for arguments, line in {
        ("show", "1-3"): "1-3: is no position; give PARTITION:OFFSET, as 3:1204",
        ("show", "9:3"): f"9:3: {rig.connection.topic} has the partitions 0 to 3",
        ("show", "1:3"): f"1:3: no copy of it is in {topic}",
        ("list", "--from", "f"): "--from f: quarantine is a topic; --from kafka reads it",
        ("list", "--since", "x"):
            "--since x: is neither a time as 2026-11-30T12:00 nor so long ago as 90s, 30m, 2h or"
            " 7d",
    }.items():
        capsys.readouterr()
        assert run(["quarantine", *arguments]) == 2
        assert capsys.readouterr().err == f"pitledger: {line}\n"
    assert run(["quarantine", "list", "--reason", "x"]) == 2
    assert "pitledger: --reason x: is none of undecodable, " in capsys.readouterr().err
    assert listed(capsys) == []

    monkeypatch.setenv("PITLEDGER_QUARANTINE_TOPIC", "none-such")
    assert run(["quarantine", "list"]) == 2
    assert capsys.readouterr().err == (
        "pitledger: none-such: does not exist; make it with: pitledger topics create\n")
