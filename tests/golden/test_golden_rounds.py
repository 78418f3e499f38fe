"""Every build derives the golden rounds of every released version byte for byte, for ever."""

import shutil

import pytest

from pitledger.audit import audit
from pitledger.derive import Chain
from pitledger.replay import replay_all
from pitledger.sources.file import read_file
from tests.golden.record import FOLDER, described, manifest, record_missing
from tests.golden.rounds import ROUNDS, recorded
from tests.kit.house import build
from tests.kit.laws import check_complete, check_money, check_outcomes
from tests.kit.log import PARTITIONS, Log
from tests.kit.reading import read

OUTCOMES = {
    "saigon_void_after_the_payout": ["voided"],
    "saigon_console_forgot_the_close": ["settled", "voided"],
}


JOURNALS = sorted(FOLDER.parent.glob("v*/*.journal"))


@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_golden_journal_is_what_it_was_and_derives_what_it_did(path):
    assert described(path) == manifest(path.parent)[path.name]


def test_no_golden_journal_is_missing_or_unnoted():
    folders = sorted(FOLDER.parent.glob("v*"))
    noted = [folder / name for folder in folders for name in manifest(folder)]
    assert sorted(noted) == JOURNALS
    assert {path.stem for path in JOURNALS if path.parent == FOLDER} == set(ROUNDS)


def test_one_changed_byte_of_a_golden_journal_is_seen(tmp_path):
    path = tmp_path / JOURNALS[0].name
    shutil.copy(JOURNALS[0], path)
    assert described(path) == manifest()[path.name]
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert described(path) != manifest()[path.name]


@pytest.mark.parametrize("name", ROUNDS)
def test_a_recorded_golden_round_is_derived_again_to_the_byte(name):
    records = list(read_file(FOLDER / f"{name}.journal"))
    reports = list(replay_all(records, PARTITIONS))
    assert [report.identical for report in reports] == [True] * len(reports)
    assert [report.state for report in reports] == OUTCOMES.get(name, ["settled"])
    assert [report.recorded for report in reports] == [report.derived for report in reports]
    assert not audit(records, PARTITIONS).findings


@pytest.mark.parametrize("name", ROUNDS)
def test_a_golden_round_ends_as_it_is_told(name):
    records = recorded(name)
    log = Log()
    for stored in records:
        log.records[stored.partition].append(stored)
    reading = check_complete(log)
    check_outcomes(reading)
    check_money(reading)
    ends = [outcome.removeprefix("round_") for outcome in reading.outcomes()]
    assert ends == OUTCOMES.get(name, ["settled"])


def test_each_golden_round_is_another_story():
    journals = {name: [d.body for d in read(recorded(name)).decisions] for name in ROUNDS}
    assert len({tuple(bodies) for bodies in journals.values()}) > 8


def test_the_next_version_gets_the_same_rounds_in_a_folder_of_its_own(tmp_path):
    with build({1: Chain, 2: Chain}):
        written = record_missing(2, tmp_path / "v2")
        assert [path.stem for path in written] == list(ROUNDS)
        assert all(described(path) == manifest(path.parent)[path.name] for path in written)
        (report, *_) = replay_all(read_file(written[0]), PARTITIONS)
    assert report.opened.round_opened.adjudication_version == 2
    assert report.identical


def test_a_journal_that_is_there_is_not_written_again(tmp_path):
    first = record_missing(1, tmp_path)
    assert len(first) == len(ROUNDS)
    assert manifest(tmp_path) == {path.name: described(path) for path in first}
    before = first[0].read_bytes()
    first[1].unlink()
    assert record_missing(1, tmp_path) == [first[1]]
    assert first[0].read_bytes() == before
