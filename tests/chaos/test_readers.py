"""What is wrong with the auditor or the archive after a chaos run is named."""

import io
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest

from pitledger.archive.log import About, LogWriter
from pitledger.journal.record import TYPE_BYTES
from services.archivist.by_partition import seal_records
from services.auditor.judge import Judge
from services.auditor.metrics import Metrics, Standing
from services.storage.folder import Folder
from tests.chaos.conftest import PARTITIONS
from tests.chaos.readers import ORIGIN, Readers, counted_in, differences

# ---- The auditor ---------------------------------------------------------------------------


def counts_of(journal):
    """As an auditor shows them that has read this journal."""
    judge = Judge(PARTITIONS)
    with redirect_stdout(io.StringIO()):  # its log
        for stored in journal:
            judge.take(stored)
    standing = Standing(
        records=judge.records, caught_up=True, silent_s=0.0, lag_records=0, open_rounds=0,
        oldest_unsettled_s=0.0, held_tables=0, conservation_broken=False, rounds_lacking={},
    )  # fmt: skip
    return counted_in(Metrics(judge.tally, lambda: standing).text().decode())


@pytest.fixture(scope="module")
def counts(journal):
    return counts_of(journal)


def test_an_auditor_that_counts_as_one_that_begins_afterwards_is_right(journal, audited, counts):
    assert len(counts) > 30
    assert differences(counts, counts, len(journal), audited.counts) == []


def test_an_auditor_that_counted_a_round_twice_is_named(journal, audited, counts):
    settled = next(
        series for series in counts
        if series[0] == "pitledger_audit_rounds_total" and ("state", "settled") in series[1]
    )
    wrong = differences(counts | {settled: counts[settled] + 1}, counts, len(journal),
                        audited.counts)
    assert wrong[0].startswith("pitledger_audit_rounds_total{game=")
    assert wrong[1].startswith(f"{audited.counts['rounds_settled'] + 1} rounds settled, on the")


def test_an_auditor_that_passed_over_a_record_is_named(journal, audited, counts):
    short = counts_of(journal[:-1])
    wrong = differences(short, counts, len(journal), audited.counts)
    assert f"it has judged {len(journal) - 1} of {len(journal):,} records" in wrong


def test_an_auditor_that_does_not_answer_is_no_good_auditor(journal, audited):
    assert differences({}, {}, len(journal), audited.counts)


# ---- The archive ---------------------------------------------------------------------------


class Ended:
    """The place of an archivist that is told to end."""

    starts = 1

    def __init__(self, code=0):
        self.process = self
        self.wait = lambda _timeout: code


@pytest.fixture
def archived(tmp_path, monkeypatch, journal):
    """Readers without a process, whose archive holds what of a journal is given."""
    readers = Readers(None, {}, tmp_path)

    def archived(records, *, code=0):
        about = About(ORIGIN, "pitledger.table.v1", PARTITIONS)
        writer = LogWriter(Folder(readers.archive), readers.key, about)
        seal_records(writer, PARTITIONS, records)
        monkeypatch.setattr(readers, "of", lambda _owner: [Ended(code)])
        monkeypatch.setattr(readers, "remove", lambda _worker: None)
        monkeypatch.setattr("tests.chaos.readers._has_read_all", lambda _reader: True)
        return readers._archived(journal)

    return archived


def test_an_archive_that_holds_the_journal_is_good(archived, journal):
    verdict = archived(journal)
    assert verdict.holds, verdict.exceptions
    assert f"the journal's {len(journal):,} records" in verdict.text


def test_a_record_that_the_archive_lacks_is_named_by_its_place(archived, journal):
    last = journal[-1]
    verdict = archived(journal[:-1])
    assert verdict.exceptions == (
        f"from {last.partition}/{last.offset} on they are not the same records",
    )


def test_a_record_that_the_archive_has_with_other_bytes_is_named(archived, journal):
    at = next(i for i, one in enumerate(journal)
              if dict(one.headers).get("ce_type") == TYPE_BYTES["round_settled"])
    other = replace(journal[at], broker_time=journal[at].broker_time + 1)
    verdict = archived([*journal[:at], other, *journal[at + 1:]])
    assert verdict.exceptions == (
        f"from {other.partition}/{other.offset} on they are not the same records",
    )


def test_an_archivist_that_fails_as_it_is_told_to_end_is_named(archived, journal):
    assert archived(journal, code=70).exceptions == ("told to end, it did so with 70",)


def test_an_archive_whose_bytes_were_changed_does_not_verify(archived, journal, tmp_path):
    archived(journal)
    leaf = max(Path(tmp_path, "archive").rglob("*"), key=lambda path: path.stat().st_size
               if path.is_file() and "leaf" in str(path) else -1)
    leaf.write_bytes(leaf.read_bytes()[:-1] + b"\0")
    [wrong, *_] = archived([]).exceptions
    assert "not" in wrong
