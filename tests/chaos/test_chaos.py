"""The chaos run in short: a cluster of three, two workers a processor, a minute of faults."""

from random import Random

import pytest

from pitledger.audit import audit
from pitledger.sources.file import read_file
from tests.chaos.report import document, load, save, told
from tests.chaos.run import PARTITIONS, Settings, run
from tests.chaos.schedule import SHORT, schedule
from tests.chaos.test_break_journal import check

SEED = 9
SECONDS = 60.0


@pytest.fixture(scope="module")
def folder(apache_tools, tmp_path_factory):
    return tmp_path_factory.mktemp("chaos") / "run"


@pytest.fixture(scope="module")
def report(folder):
    faults = schedule(SEED, SECONDS, SHORT)
    settings = Settings(SEED, SECONDS, rate=4, tables=12, folder=folder)
    return run(settings, faults, lambda line: print(line, flush=True))


@pytest.mark.timeout(600)
def test_after_a_minute_of_faults_the_journal_is_whole_and_each_sentence_holds(report):
    print(told(report))
    assert [sentence for sentence in report.sentences if sentence["exceptions"]] == []
    assert len({fault["kind"] for fault in report.faults}) >= 6
    assert [fault for fault in report.faults if fault["live_s"] is None] == []
    assert report.counts["rounds_settled"] > 50
    assert report.counts["decisions_foreign"] > 0
    assert report.counts["facts_repeated"] > 0
    assert report.counts["facts_delayed"] > 0


@pytest.mark.timeout(300)
def test_broken_on_purpose_the_journal_of_the_brokers_is_found_out(report, folder):
    journal = list(read_file(folder / "journal"))
    audited = audit(journal, PARTITIONS)
    for way in ("drop-decision", "pay-twice", "skip-refund"):
        check(journal, audited, PARTITIONS, way, Random(SEED))


def test_a_run_is_kept_and_becomes_a_document(report, tmp_path):
    save(report, tmp_path / "run.json")
    again = load(tmp_path / "run.json")
    assert again == report
    text = document([again, again])
    assert f"## Seed {SEED}" in text
    for fault in report.faults:
        assert fault["kind"] in text
