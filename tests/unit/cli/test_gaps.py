"""`pitledger gaps`: numbers that are missing, rounds that opened and are not sealed."""

import json

import pytest

from pitledger.archive.log import About
from pitledger.journal.record import DECISION_TYPES
from pitledger.sources.file import write_file
from services.cli.gaps import Gap, Kind, Numbered, find_gaps
from services.storage.folder import Folder
from tests.archive.memory import KEY, sealed
from tests.kit.house import House
from tests.kit.log import PARTITIONS, Log
from tests.kit.table import Table

ABOUT = About(KEY.name, "pitledger.journal.v1", PARTITIONS)
DAY, NEXT = "2026-11-30", "2026-12-01"


def numbered(*numbers, day=DAY, table="T"):
    return [Numbered(table, day, number) for number in numbers]


@pytest.mark.parametrize(
    ("rounds", "gaps"),
    [
        ([], []),
        (numbered(7, 8, 9), []),
        (numbered(1, 3), [Gap("T", DAY, Kind.MISSING, 2, 2)]),
        (numbered(1, 5, 6, 9), [Gap("T", DAY, Kind.MISSING, 2, 4),
                                Gap("T", DAY, Kind.MISSING, 7, 8)]),
        (numbered(1, 2**64 - 1), [Gap("T", DAY, Kind.MISSING, 2, 2**64 - 2)]),
        (numbered(1, 2) + numbered(4, day=NEXT), [Gap("T", NEXT, Kind.MISSING, 3, 3)]),
        (numbered(1, 2) + numbered(1, day=NEXT), [Gap("T", NEXT, Kind.SET_BACK, 1, 2)]),
        (numbered(4, table="A") + numbered(9, table="B"), []),
        ([Numbered("T", DAY, 1, complete=False), *numbered(2)],
         [Gap("T", DAY, Kind.NOT_SEALED, 1, 1)]),
        ([Numbered("T", DAY, 1, next_number=2), *numbered(2)], []),
        ([Numbered("T", DAY, 1, next_number=2), *numbered(3)],
         [Gap("T", DAY, Kind.NOT_SEALED, 2, 2)]),
        ([Numbered("T", DAY, 1, next_number=3), *numbered(6)],
         [Gap("T", DAY, Kind.MISSING, 2, 2), Gap("T", DAY, Kind.NOT_SEALED, 3, 3),
          Gap("T", DAY, Kind.MISSING, 4, 5)]),
        ([Numbered("T", DAY, 1, next_number=3)],
         [Gap("T", DAY, Kind.MISSING, 2, 2), Gap("T", DAY, Kind.NOT_SEALED, 3, 3)]),
    ],
)
def test_numbers_that_are_missing_not_sealed_or_set_back_are_found(rounds, gaps):
    assert list(find_gaps(rounds)) == gaps


@pytest.fixture
def log():
    """T1: 1, 2, 5, and 6 whose RoundOpened ended 5; T2: 1 to 3, of which 2 lacks its outcome."""
    log = Log()
    first, second = Table(log=log), Table(table_id="T2", log=log)
    first.play(gaming_day=DAY)
    first.play(gaming_day=DAY)
    first.to_payout(number=5, gaming_day=DAY)
    first.open(number=6, gaming_day=DAY)
    for _ in range(3):
        second.play(gaming_day=DAY)
    House(log).run()
    return log


def lacking(log, table_id, number):
    """The journal without the outcome of a round."""
    records = log.all()
    outcomes = [s for s in records if s.key == table_id.encode()
                and dict(s.headers)["ce_type"] == b"pitledger.v1.RoundSettled"]
    lost = outcomes[number - 1]
    assert dict(lost.headers)["ce_type"] in DECISION_TYPES
    return [type(s)(s.partition, s.offset, s.broker_time, b"", (), b"") if s is lost else s
            for s in records]


@pytest.mark.parametrize("kind", ["journal", "archive"])
def test_gaps_are_reported_and_the_exit_code_is_1(pitledger, log, tmp_path, kind):
    path = tmp_path / kind
    records = lacking(log, "T2", 2)
    if kind == "journal":
        write_file(path, records)
        options = ("--from", path, "--partitions", PARTITIONS)
    else:
        sealed(Folder(path), records, about=ABOUT)
        options = ("--from", path)
    ended = pitledger("gaps", *options)
    told = json.loads(pitledger("gaps", *options, "--json").out)

    assert ended.code == 1
    unsealed = "round 2 is missing" if kind == "archive" else "round 2 opened and is not sealed"
    assert ended.out.splitlines()[:3] == [
        "T1, gaming day 2026-11-30: rounds 3 to 4 are missing",
        "T1, gaming day 2026-11-30: round 6 opened and is not sealed",
        f"T2, gaming day 2026-11-30: {unsealed}",
    ]
    assert [gap["first"] for gap in told["gaps"]] == [3, 6, 2]
    assert pitledger("gaps", *options, "--table", "T2").out.count("gaming day") == 1
    other = pitledger("gaps", *options, "--gaming-day", "2020-01-01")
    assert (other.code, other.out) == (0, "0 rounds of 0 tables: no gaps\n")


def test_no_gaps_is_exit_code_0(pitledger, tmp_path):
    table = Table()
    for _ in range(3):
        table.play()
    House(table).run()
    write_file(tmp_path / "journal", table.log.all())
    ended = pitledger("gaps", "--from", tmp_path / "journal", "--partitions", PARTITIONS)
    assert (ended.code, ended.out) == (0, "3 rounds of 1 table: no gaps\n")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--gaming-day", "2026/11/30"), "--gaming-day 2026/11/30: is no day as 2026-11-30"),
        (("--gaming-day", "20261130"), "--gaming-day 20261130: is no day as 2026-11-30"),
        (("--table", "T9"), "{journal}: has no round of table T9"),
    ],
)
def test_what_is_mistyped_is_not_told_to_be_without_gaps(pitledger, tmp_path, options, line):
    table = Table().play()
    House(table).run()
    journal = tmp_path / "journal"
    write_file(journal, table.log.all())
    ended = pitledger("gaps", "--from", journal, "--partitions", PARTITIONS, *options)
    assert ended.line == line.format(journal=journal)
