"""The other build of the chaos run is one that everybody can tell from the true one."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest

from pitledger.audit import audit, render
from pitledger.journal.record import JournalRecord, Stored, serialize
from pitledger.processors import evaluation
from pitledger.replay import replay_all
from pitledger.sources.file import read_file
from services.simulation import simulate
from tests.kit import other_build

PARTITIONS = 48


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("simulated") / "journal"
    simulate(("saigon5", "five_card_hi_lo"), tables=2, rounds=6, seed=3, faults=False, path=path)
    return list(read_file(path))


def evaluated(journal) -> list[Stored]:
    return [s for s in journal if JournalRecord.FromString(s.value).HasField("hands_evaluated")]


def test_the_true_build_never_looks_like_the_other(good):
    assert evaluated(good)
    for stored in evaluated(good):
        body = JournalRecord.FromString(stored.value).hands_evaluated
        assert not other_build.is_of_other_build(body)


def test_what_the_other_build_records_is_foreign_to_the_auditor(good):
    journal = []
    for stored in good:
        if stored in evaluated(good):
            record = JournalRecord.FromString(stored.value)
            other_build.falsify(record.hands_evaluated)
            assert other_build.is_of_other_build(record.hands_evaluated)
            journal.append(replace(stored, value=serialize(record)))
        journal.append(stored)
    report = audit(renumbered(journal), PARTITIONS)
    assert report.sound, render(report)
    assert len(report.foreign) == len(evaluated(good))


def renumbered(journal):
    numbers = Counter()
    for stored in journal:
        yield replace(stored, offset=numbers[stored.partition])
        numbers[stored.partition] += 1


def test_the_other_build_derives_other_bytes(good, monkeypatch):
    monkeypatch.setattr(evaluation, "hands_evaluated", evaluation.hands_evaluated)
    other_build.patch()
    different = [one for one in replay_all(good, PARTITIONS) if not one.identical]
    assert len(different) == len({s.headers for s in evaluated(good)})


def test_without_a_broker_it_ends_as_any_processor_does():
    done = subprocess.run(
        (sys.executable, "-m", "tests.kit.other_build", "evaluation"),
        env={"PITLEDGER_LOG": "morse"}, capture_output=True, text=True, check=False, timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("evaluation: PITLEDGER_LOG=morse")
