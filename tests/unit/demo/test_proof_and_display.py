"""What the demo says about a journal: proved or not, and how the tables stand."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from pitledger.audit import audit
from pitledger.journal.record import JournalRecord, serialize
from pitledger.sources.environment import Environment
from pitledger.sources.file import read_file
from services.demo.display import Lines, LiveTable
from services.demo.proof import prove_all
from services.demo.sealed import seal_all
from services.demo.tables import Tables
from services.demo.vitals import Vitals
from services.floor.terms import GAMES
from services.runtime.settings import Settings
from services.runtime.started import started
from services.simulation import simulate
from services.simulation.driver import PARTITIONS

VITALS = [
    Vitals(name, 1_234_567, "catching up", 1_234_567, 123_456, 1_234)
    for name in ("wagers", "dealing", "evaluation", "settlement")
]


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "journal"
    simulate(GAMES, 6, 40, 11, False, path)
    return list(read_file(path))


@pytest.fixture
def tables(records):
    tables = Tables()
    tables.take(records)
    return tables


def _console(width=200, height=24, terminal=False):
    return Console(file=io.StringIO(), width=width, height=height, force_terminal=terminal)


def _proof(records):
    console = _console()
    proved = prove_all(records, PARTITIONS, console)
    return proved, console.file.getvalue()


def _at(records, body):
    return next(
        n for n, one in enumerate(records)
        if JournalRecord.FromString(one.value).WhichOneof("body") == body
    )


def test_a_sound_journal_is_proved(records):
    proved, text = _proof(records)
    assert proved
    assert "40 of 40 rounds identical" in text
    assert "no finding" in text
    assert "sums to zero" in text


def test_a_sound_journal_is_sealed_and_verified_again_and_again(records, tmp_path):
    for _ in range(2):
        console = _console()
        assert seal_all(records, PARTITIONS, tmp_path, console)
        text = console.file.getvalue()
        assert f"40 rounds and {len(records):,} of {len(records):,} records" in text
        assert f"pitledger-verify {tmp_path / 'archive'} --key" in text


def test_a_journal_whose_last_round_is_open_is_not_sealed_whole(records, tmp_path):
    console = _console()
    assert not seal_all(records[:-5], PARTITIONS, tmp_path, console)
    assert "pitledger-verify" not in console.file.getvalue()


@pytest.mark.parametrize("body", ["betting_closed", "hands_dealt", "payout_due", "round_settled"])
def test_a_journal_without_one_decision_is_not_proved(records, body):
    at = _at(records, body)
    gone = records[at]
    rest = [
        replace(one, offset=one.offset - 1)
        if one.partition == gone.partition and one.offset > gone.offset else one
        for one in records if one is not gone
    ]
    proved, text = _proof(rest)
    assert not proved
    assert "39 of 40 rounds identical" in text
    assert "FINDINGS" in text


def test_a_journal_with_other_money_is_not_proved(records):
    at = _at(records, "round_settled")
    record = JournalRecord.FromString(records[at].value)
    record.round_settled.totals.house_net_minor += 1
    forged = [*records[:at], replace(records[at], value=record.SerializeToString()),
              *records[at + 1:]]
    proved, text = _proof(forged)
    assert not proved
    assert "is recorded, but not derived so" in text


def test_an_empty_journal_proves_nothing():
    assert not _proof([])[0]


def test_the_tables_show_the_money_that_the_auditor_counts(records, tables):
    counted = {
        table.table_id: (table.staked, table.returned, table.house_net)
        for table in audit(records, PARTITIONS).tables
    }
    shown = {row.table_id: (row.staked, row.returned, row.house_net) for row in tables.rows}
    assert shown == counted
    total = tables.total()
    assert total.staked - total.returned == total.house_net
    assert tables.counts["opened"] == 40 == tables.counts["settled"] + tables.counts["voided"]
    assert {row.state for row in tables.rows} == {"closed"}
    assert {row.method for row in tables.rows} == {"manual shoe", "by hand", "automated shoe"}


def test_the_round_to_look_at_has_something_to_see(tables):
    chosen = tables.most_interesting()
    assert chosen.over
    assert chosen.marks


def test_a_terminal_of_80_columns_and_24_lines_shows_everything(tables):
    console = _console(80, 24, terminal=True)
    for row in tables.rows:
        row.state, row.staked, row.returned, row.house_net = "irregular", 9999999, 1234567, -8765432
    with LiveTable(console, "Apache Kafka at 127.0.0.1:65535") as display:
        display.show(tables, VITALS, 44.9)
    text = console.file.getvalue()
    assert "…" not in text
    for row in tables.rows:
        assert row.table_id in text
    for shown in ("-87,654.32", "99,999.99", "irregular", "settlement", "1,234,567", "Ctrl-C"):
        assert shown in text, shown
    assert "manual shoe" not in text


def test_a_wide_terminal_shows_how_cards_are_dealt_too(tables):
    console = _console(100, 24, terminal=True)
    with LiveTable(console, "embedded broker at 127.0.0.1:65535") as display:
        display.show(tables, VITALS, 44.9)
    text = console.file.getvalue()
    assert "…" not in text
    assert "automated shoe" in text
    assert "Five Card Hi-Lo" in text


def test_more_tables_than_lines_are_counted(tables):
    console = _console(80, 20, terminal=True)
    with LiveTable(console, "broker") as display:
        display.show(tables, VITALS, 1.0)
    text = console.file.getvalue()
    assert "2 more" in text
    assert "settlement" in text


def test_a_pipe_gets_a_line_every_five_seconds_and_one_at_the_end(tables):
    console = _console()
    with Lines(console) as display:
        for tenth in range(124):
            display.show(tables, VITALS, tenth / 10)
    lines = console.file.getvalue().splitlines()
    assert [line.split(" s:")[0].strip() for line in lines] == ["5", "10", "12"]
    assert "40 rounds opened" in lines[0]
    assert "0 of 4 processors live" in lines[0]


def test_a_processor_that_starts_is_no_table(records, tables):
    rows = [row.table_id for row in tables.rows]
    start = started(Settings.from_environment("wagers", Environment({})))

    tables.take([replace(records[0], value=serialize(start))])

    assert [row.table_id for row in tables.rows] == rows
