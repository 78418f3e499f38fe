"""`pitledger topics` on real brokers."""

import json
from dataclasses import replace

import pytest

from pitledger.sources.topics import check_topics, create_topics


def test_topics_are_made_once_and_then_as_they_must_be(rig):
    assert check_topics(rig.connection) == [
        f"{rig.connection.topic}: does not exist; make it with: pitledger topics create",
        f"{rig.connection.quarantine_topic}: does not exist; make it with: pitledger topics create",
    ]
    assert [topic.new for topic in create_topics(rig.connection)] == [True, True]
    assert [topic.new for topic in create_topics(rig.connection)] == [False, False]
    assert check_topics(rig.connection) == []


def test_a_difference_is_one_line(rig):
    create_topics(rig.connection)
    problems = check_topics(replace(rig.connection, partitions=7))
    assert problems == [
        f"{rig.connection.topic}: has 2 partitions, must have 7 (PITLEDGER_PARTITIONS)"
    ]


def test_the_journal_is_kept_for_ever_and_bears_the_brokers_time(rig):
    if rig.connection.broker == "embedded":
        pytest.skip("the embedded broker knows no topic settings")
    rig.create(producer_time=True)
    assert {line.split(": ")[1] for line in check_topics(rig.connection)} == {
        "retention.ms is 604800000, must be -1",
        "message.timestamp.type is CreateTime, must be LogAppendTime",
        "compression.type is producer, must be uncompressed, gzip or zstd",
    }


def test_the_command_makes_and_checks(rig):
    missing = rig.pitledger("topics", "check", "--json")
    assert missing.returncode == 1
    assert json.loads(missing.stdout)["ok"] is False
    made = rig.pitledger("topics", "create")
    assert made.returncode == 0, made.stderr
    assert rig.connection.topic in made.stdout
    assert rig.pitledger("topics", "check").returncode == 0
    again = json.loads(rig.pitledger("topics", "create", "--json").stdout)
    assert [topic["new"] for topic in again["topics"]] == [False, False]


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"BOOTSTRAP": "127.0.0.1:1"}, "nobody listens there"), ({"BROKER": "x"}, "PITLEDGER_BROKER")],
)
def test_what_cannot_be_asked_is_one_line_and_exit_2(rig, settings, words):
    failed = rig.pitledger("topics", "check", **settings)
    assert failed.returncode == 2
    assert words in failed.stderr
    assert len(failed.stderr.strip().splitlines()) == 1
