"""`pitledger rounds`, `replay` and `audit` on real brokers say what they say of a file."""

import json

import kafka
import pytest

from pitledger.journal.record import partition_of
from pitledger.sources.file import read_file
from services.broker.apache import ApacheKafka
from services.simulation import simulate
from tests.broker.rig import Rig


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A journal file of nine rounds."""
    path = tmp_path_factory.mktemp("played") / "journal"
    simulate(("saigon5", "five_card_hi_lo"), 3, 9, 3, False, path)
    return path


@pytest.fixture
def on_broker(rig, played):
    """The same records on the broker, with their own times, be they past or future."""
    create_journal(rig.connection)
    producer = kafka.KafkaProducer(
        bootstrap_servers=list(rig.connection.bootstrap), acks="all", enable_idempotence=False
    )
    for stored in read_file(played):
        producer.send(
            rig.connection.topic,
            stored.value,
            key=stored.key,
            partition=partition_of(stored.key.decode(), rig.connection.partitions),
            headers=list(stored.headers),
            timestamp_ms=stored.broker_time,
        )
    producer.flush(30)
    producer.close()
    return rig


def create_journal(connection):
    settings = {} if connection.broker == "embedded" else {
        "message.timestamp.after.max.ms": str(2**62)}
    admin = connection.admin()
    admin.create_topics(
        {connection.topic: {"num_partitions": connection.partitions, "replication_factor": 1,
                            "configs": settings}},
        wait_for_metadata=True,
    )
    admin.close()


def test_rounds_are_those_of_the_file(on_broker, played):
    of_broker = on_broker.pitledger("rounds", "--from", "kafka", "--json")
    of_file = on_broker.pitledger("rounds", "--from", played, "--json")

    assert len(json.loads(of_file.stdout)["rounds"]) == 9
    assert json.loads(of_broker.stdout) == json.loads(of_file.stdout)


def test_all_rounds_are_identical_and_audited(on_broker):
    replayed = on_broker.pitledger("replay", "--all", "--from", "kafka")
    audited = on_broker.pitledger("audit", "--from", "kafka", "--json")

    assert replayed.returncode == audited.returncode == 0
    assert replayed.stdout.endswith("verdict: identical: all 9 rounds\n")
    assert json.loads(audited.stdout)["counts"]["rounds_opened"] == 9


def test_one_round_is_found_by_either_name(on_broker):
    rows = json.loads(on_broker.pitledger("rounds", "--from", "kafka", "--json").stdout)["rounds"]
    row = rows[4]

    by_id = on_broker.pitledger("replay", row["round_id"], "--from", "kafka")
    by_number = on_broker.pitledger("replay", f"{row['table']}/{row['number']}", "--from", "kafka")

    assert by_id.returncode == 0
    assert "\nverdict: identical\n" in by_id.stdout
    assert by_number.stdout == by_id.stdout


def test_what_if_says_what_it_says_of_the_file(on_broker, played):
    """On all cores: each process reads partitions of its own."""
    asked = ("whatif", "--all", "--set", "poker_bonus_table=B", "--json", "--from")
    told = []
    for source in ("kafka", played):
        ended = on_broker.pitledger(*asked, source)
        assert ended.returncode == 0, ended.stderr
        told.append(json.loads(ended.stdout))

    rates = ("seconds", "rounds_per_second", "processes")
    of_broker, of_file = ({k: v for k, v in one.items() if k not in rates} for one in told)
    assert of_broker == of_file
    assert of_file["rounds"] == 9


def test_an_export_has_all_that_an_export_of_the_file_has(on_broker, played, tmp_path):
    manifests = []
    for source in ("kafka", played):
        folder = tmp_path / f"of-{len(manifests)}"
        ended = on_broker.pitledger("export", "--from", source, "-o", folder)
        assert ended.returncode == 0, ended.stderr
        manifests.append(json.loads((folder / "manifest.json").read_text()))

    of_broker, of_file = manifests
    assert of_broker["money"] == of_file["money"]
    assert of_broker["source"]["kind"] == "kafka"
    for name, table in of_file["tables"].items():
        assert of_broker["tables"][name]["rows"] == table["rows"]


def test_a_flood_of_records_gone_astray_hides_no_round(on_broker):
    """Given a journal most of whose records lie in other partitions than their tables' (all of
    those of one table), when it is read, then its rounds are all there."""
    topic, partitions = on_broker.connection.topic, on_broker.connection.partitions
    table = next(f"stray-{n}" for n in range(99) if partition_of(f"stray-{n}", partitions) == 1)
    producer = kafka.KafkaProducer(
        bootstrap_servers=list(on_broker.connection.bootstrap), acks="all",
        enable_idempotence=False,
    )
    for _ in range(3000):
        producer.send(topic, b"junk", key=table.encode(), partition=0)
    producer.flush(60)
    producer.close()

    rounds = on_broker.pitledger("rounds", "--from", "kafka", "--json")
    audited = on_broker.pitledger("audit", "--from", "kafka", "--json")
    holds = on_broker.pitledger("hold", "list", "--from", "kafka")

    assert len(json.loads(rounds.stdout)["rounds"]) == 9
    assert audited.returncode == 0, audited.stderr
    assert holds.stdout == "no table is held\n"


def test_on_a_cluster_that_has_just_begun_the_desk_says_what_is_to_be_done(apache_tools, tmp_path):
    """Given Apache Kafka as it is first started, no process yet, and no authorizer, when topics
    are made and the doctor is asked, then it names whom to start; of access lists it is said
    what the brokers lack."""
    with ApacheKafka(data=tmp_path / "data") as broker:
        rig = Rig(broker, "apache", tmp_path)
        assert rig.pitledger("topics", "create").returncode == 0

        examined = rig.pitledger("doctor", "--from", "kafka")
        lists = rig.pitledger("topics", "acls", "check", "deploy/kafka/acls.toml")
        rig.close()

    assert (examined.returncode, examined.stderr) == (1, "")
    assert "-> start it: python -m services.settlement" in examined.stdout
    assert "The brokers need authorizer.class.name" in lists.stderr


def test_another_number_of_partitions_than_the_topics_is_said(on_broker):
    ended = on_broker.pitledger("rounds", "--from", "kafka", PARTITIONS=7)

    assert ended.returncode == 2
    assert ended.stderr == (
        f"pitledger: {on_broker.connection.topic}: has 2 partitions, must have 7"
        " (PITLEDGER_PARTITIONS)\n"
    )
