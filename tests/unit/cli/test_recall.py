"""`pitledger recall`: the last rounds of a table, a position, a patron, a day, whole."""

import json

import pytest

from pitledger.archive.deletions import Deletion
from pitledger.archive.log import About, LogWriter
from pitledger.sources.file import write_file
from services.storage.folder import Folder
from tests.archive.memory import KEY, sealed
from tests.kit.house import House
from tests.kit.log import PARTITIONS, Log
from tests.kit.table import Table

ABOUT = About(KEY.name, "pitledger.journal.v1", PARTITIONS)


@pytest.fixture(scope="module")
def log():
    """T1: thirteen rounds of which two have a patron at 5; T2: one, and one that is open."""
    log = Log()
    first, second = Table(log=log), Table(table_id="T2", log=log)
    for number in range(1, 14):
        first.play({1: "p1", 5: "p9"} if number in (3, 7) else {1: "p1", 2: "p2"},
                   gaming_day="2026-11-30")
    second.play({4: "p9"}, ante=2500, gaming_day="2026-11-30")
    second.open()
    House(log).run()
    return log


@pytest.fixture(scope="module")
def archive(log, tmp_path_factory):
    home = tmp_path_factory.mktemp("archive") / "archive"
    sealed(Folder(home), log.all(), about=ABOUT)
    return home


@pytest.fixture(scope="module")
def journal(log, tmp_path_factory):
    path = tmp_path_factory.mktemp("journal") / "journal"
    write_file(path, log.all())
    return path


def recalled(pitledger, *arguments):
    ended = pitledger("recall", *arguments, "--json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


def names(told):
    return [(round_["table"], round_["number"]) for round_ in told["rounds"]]


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        (("--table", "T1"), [("T1", n) for n in range(4, 14)]),
        (("--table", "T1", "--last", 2), [("T1", 12), ("T1", 13)]),
        (("--table", "T1", "--position", 5), [("T1", 3), ("T1", 7)]),
        (("--table", "T1", "--position", 5, "--last", 1), [("T1", 7)]),
        (("--patron", "p9"), [("T1", 3), ("T1", 7), ("T2", 1)]),
        (("--patron", "p9", "--position", 4), [("T2", 1)]),
        (("--gaming-day", "2026-11-30", "--last", 99),
         [*(("T1", n) for n in range(1, 14)), ("T2", 1)]),
        (("--round", "T1/7"), [("T1", 7)]),
    ],
)
def test_the_rounds_that_are_asked_for_are_recalled_from_archive_and_journal_alike(
    pitledger, archive, journal, options, numbers
):
    told = recalled(pitledger, "--from", archive, *options)
    whole = recalled(pitledger, "--from", journal, *options, "--partitions", PARTITIONS)

    assert names(told) == numbers
    assert told["rounds"] == whole["rounds"]
    assert told["recall"] is True


def test_a_recall_is_complete_and_is_marked_as_one(pitledger, archive):
    ended = pitledger("recall", "--from", archive, "--patron", "p9", "--last", 2)
    lines = ended.out.splitlines()

    assert ended.code == 0
    assert lines[0] == "RECALL of the last 2 of patron p9: rounds played before, no play"
    assert lines[1].startswith(f"from {archive}, made 20")
    assert " by pitledger 0." in lines[1]
    assert [line for line in lines if line.startswith("RECALL ")][1:] == [
        "RECALL 1 of 2", "RECALL 2 of 2"]
    assert ended.out.count("  RoundOpened  ") == 2
    assert ended.out.count("\nverdict: identical\n") == 2
    assert "\nsettled; wagers by kind and what they won:\n  position 4 (p9) ante: " in ended.out
    assert "staked 25.00 USD, " in ended.out


def test_wagers_are_told_by_kind_with_what_they_won(pitledger, archive):
    (round_,) = recalled(pitledger, "--from", archive, "--round", "T2/1")["rounds"]
    (wager,) = round_["wagers"]
    assert (wager["position"], wager["patron"], wager["kind"]) == (4, "p9", "ante")
    assert wager["staked"] == 2500
    assert wager["won"] == wager["returned"] - wager["staked"]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ((), "recall: say of what: --table, --patron, --gaming-day or --round"),
        (("--position", 3), "recall: say of what: --table, --patron, --gaming-day or --round"),
        (("--round", "T1/1", "--table", "T1"),
         "recall: --round names one round; give nothing else with it"),
        (("--gaming-day", "yesterday"), "--gaming-day yesterday: is no day as 2026-11-30"),
        (("--table", "T9"), "{source}: has no finished round of table T9"),
        (("--patron", "x", "--gaming-day", "2026-11-30"),
         "{source}: has no finished round of patron x, gaming day 2026-11-30"),
        (("--table", "\udcff"), "\\udcff: is not UTF-8, as every table's id is"),
        (("--patron", "\udcff"), "\\udcff: is not UTF-8, as every patron's id is"),
        (("--table", "T1", "--last", 1 << 63),
         "Invalid value for '--last': Input should be less than or equal to 1000000"
         " (see: pitledger recall --help)"),
    ],
)
def test_what_names_no_round_is_told_in_one_line(pitledger, archive, journal, options, line):
    told = pitledger("recall", "--from", archive, *options).line
    assert told == line.format(source=archive)
    told = pitledger("recall", "--from", journal, "--partitions", PARTITIONS, *options).line
    assert told == line.format(source=journal)


def test_a_round_whose_bytes_were_deleted_is_told_of(pitledger, log, tmp_path):
    store = Folder(tmp_path / "archive")
    sealed(store, log.all(), about=ABOUT)
    entries = json.loads(pitledger("rounds", "--from", tmp_path / "archive", "--json").out)
    assert len(entries["rounds"]) == 14
    deletion = Deletion("2037-01-01T00:00:00Z", "j.doe", "its time is over", "10-years", ((0, 8),))
    LogWriter(store, KEY, ABOUT).append([deletion.leaf()])
    told = recalled(pitledger, "--from", tmp_path / "archive", "--table", "T1", "--last", 13)
    assert told["gone"]
    assert len(told["gone"]) + len(told["rounds"]) == 13
    text = pitledger("recall", "--from", tmp_path / "archive", "--table", "T1", "--last", 13).out
    assert f"\n{told['gone'][0]}: not recalled, its bytes are gone\n" in text
