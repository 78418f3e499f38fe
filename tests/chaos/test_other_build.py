"""The other build of the chaos run is one that everybody can tell from the true one."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace

from pitledger.audit import audit, render
from pitledger.journal.record import TYPE_BYTES, JournalRecord, serialize
from pitledger.processors import evaluation
from pitledger.replay import replay_all
from tests.chaos.conftest import PARTITIONS
from tests.kit import other_build


def is_evaluated(stored):
    return dict(stored.headers).get("ce_type") == TYPE_BYTES["hands_evaluated"]


def test_the_true_build_never_looks_like_the_other(journal):
    true = [JournalRecord.FromString(one.value) for one in journal if is_evaluated(one)]
    assert true
    assert not any(other_build.is_of_other_build(one.hands_evaluated) for one in true)


def test_what_the_other_build_records_is_foreign_to_the_auditor(journal, audited):
    report = audit(with_other_build(journal), PARTITIONS)
    assert report.sound, render(report)
    assert len(report.foreign) > len(audited.foreign)
    assert report.tables == audited.tables


def with_other_build(journal):
    """A journal on which, before each HandsEvaluated, the other build's stands."""
    numbers = Counter()
    for stored in journal:
        record = JournalRecord.FromString(stored.value) if is_evaluated(stored) else None
        if record is not None and record.hands_evaluated.dealer.first:
            other_build.falsify(record.hands_evaluated)
            yield replace(stored, value=serialize(record), offset=numbers[stored.partition])
            numbers[stored.partition] += 1
        yield replace(stored, offset=numbers[stored.partition])
        numbers[stored.partition] += 1


def test_the_other_build_derives_other_bytes(journal, monkeypatch):
    identical = sum(one.identical for one in replay_all(journal, PARTITIONS))
    monkeypatch.setattr(evaluation, "hands_evaluated", evaluation.hands_evaluated)
    other_build.patch()
    assert sum(one.identical for one in replay_all(journal, PARTITIONS)) < identical / 2


def test_without_a_broker_it_ends_as_any_processor_does():
    done = subprocess.run(
        (sys.executable, "-m", "tests.kit.other_build", "evaluation"),
        env={"PITLEDGER_LOG": "morse"}, capture_output=True, text=True, check=False, timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("evaluation: PITLEDGER_LOG=morse")
