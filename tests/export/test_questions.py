"""The queries of docs/export.md, run as they stand there, against what the auditor works out."""

import re
import sqlite3
from collections import Counter, defaultdict
from datetime import datetime

import pytest

from pitledger.audit import audit
from pitledger.sources.file import read_file, write_file
from services.export.schema import TABLES
from tests.cases.desk import Desk
from tests.export.conftest import read_all
from tests.export.document import DOCUMENT
from tests.kit.house import House
from tests.kit.log import Log
from tests.kit.table import Table

HOLD, WIN, HANDS, HANDLE, PAID, ADJUSTED = re.findall(
    r"```sql\n(.*?)```", DOCUMENT.read_text(), re.S)


def _date_diff(_unit, one, other):
    """DuckDB's, of seconds: of the boundaries between whole seconds that lie between."""
    return int(datetime.fromisoformat(other).timestamp()) - int(
        datetime.fromisoformat(one).timestamp())


def answers(tables, query):
    """The rows of a query, as plain values by column, over tables in SQLite."""
    base = sqlite3.connect(":memory:")
    base.row_factory = sqlite3.Row
    base.create_function("date_diff", 3, _date_diff)
    for table in TABLES:
        columns = ", ".join(f'"{name}"' for name in table.names)
        base.execute(f"CREATE TABLE {table.name} ({columns})")
        values = [[_plain(row.get(name)) for name in table.names] for row in tables[table.name]]
        marks = ", ".join("?" * len(table.names))
        base.executemany(f"INSERT INTO {table.name} VALUES ({marks})", values)
    return [dict(row) for row in base.execute(query)]


def _plain(value):
    return str(value) if isinstance(value, list | dict) else value


@pytest.fixture
def tables(export):
    return read_all(export())


def test_win_by_table_is_the_house_net_of_its_settled_rounds(tables, journal):
    rows = answers(tables, HOLD)
    audited = {table.table_id: table.house_net for table in audit(read_file(journal), 48).tables}
    assert {row["table_id"]: row["win_minor"] for row in rows} == audited  # a void moves nothing
    for row in rows:
        hold = 100 * row["win_minor"] / row["handle_minor"]
        assert row["hold_percent"] == pytest.approx(hold, abs=0.005)


def test_win_by_table_day_and_wager_adds_up_to_what_each_table_won_a_day(tables):
    rows, won = answers(tables, WIN), Counter()
    for row in rows:
        won[row["table_id"], row["gaming_day"]] += row["win_minor"]
    net = Counter()
    for row in tables["rounds"]:
        if row["state"] == "settled":
            net[row["table_id"], row["gaming_day"]] += row["house_net_minor"]
    assert won == net
    assert len({row["kind"] for row in rows}) > 1


def test_hands_an_hour_are_those_of_settled_rounds(tables):
    rows = answers(tables, HANDS)
    settled = [row for row in tables["rounds"] if row["state"] == "settled"]
    rounds = Counter((row["table_id"], row["gaming_day"]) for row in settled)
    assert {(row["table_id"], row["gaming_day"]): row["rounds"] for row in rows} == rounds
    ids = {row["round_id"] for row in settled}
    hands = {(row["round_id"], row["position"]) for row in tables["lines"] if row["booked"]}
    assert sum(row["hands"] for row in rows) == sum(round_id in ids for round_id, _ in hands)
    for row in rows:
        assert row["hands_an_hour"] / row["hands"] == pytest.approx(
            row["rounds_an_hour"] / row["rounds"], rel=0.01)


def test_handle_by_wager_and_what_was_paid_add_up_to_the_rounds(tables):
    sums = defaultdict(int)
    for row in tables["rounds"]:
        if row["state"] == "settled":
            for name in ("staked", "returned", "positions_net"):
                sums[name] += row[f"{name}_minor"]
    assert sum(row["handle_minor"] for row in answers(tables, HANDLE)) == sums["staked"]
    paid = answers(tables, PAID)
    assert {row["outcome"] for row in paid} == {"win", "lose", "return"}
    for column, name in (("staked", "staked"), ("returned", "returned"), ("won", "positions_net")):
        assert sum(row[f"{column}_minor"] for row in paid) == sums[name]


def test_adjustments_are_booked_in_their_month_against_the_house(export, tmp_path):
    table = Table(log=Log(48))
    table.play((1, 2), gaming_day="2026-11-30")
    House(table.log).run()
    desk = Desk(table)
    desk.open()
    desk.approve(desk.propose())
    desk.record_what_is_missing()
    write_file(tmp_path / "cases.pit", desk.log.all())
    tables = read_all(export(source=tmp_path / "cases.pit"))
    assert answers(tables, ADJUSTED) == [
        {"month": "2026-11", "currency": "USD", "lines": 1, "house_minor": -1500}]
