"""Gaming days: quiet ones, and those on which the clock is changed."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pyarrow.parquet as pq
import pytest

from pitledger.sources.file import write_file
from services.export.parquet import schema
from services.export.schema import TABLES
from services.floor.gaming_day import gaming_day
from tests.export.conftest import read_all, rows_in
from tests.kit.house import House
from tests.kit.log import Log
from tests.kit.table import Table

PARTITIONS = 48
NEW_YORK = ZoneInfo("America/New_York")


def test_a_quiet_day_has_every_table_with_its_columns_and_no_row(export):
    folder = export("--format", "parquet", "--gaming-day", "2026-12-24")
    for table in TABLES:
        (part,) = (folder / table.name).iterdir()
        read = pq.read_table(part)
        assert read.schema.equals(schema(table)), table.name
        assert read.num_rows == 0
    lines = export("--format", "jsonl", "--gaming-day", "2026-12-24", to="lines")
    assert all((lines / table.name / "part-00.jsonl").read_bytes() == b"" for table in TABLES)


@pytest.fixture
def clock_changes(tmp_path):
    """One round a second before, and one at, 06:00 of the days around both clock changes."""
    log = Log(PARTITIONS)
    days = []
    for month, day in ((3, 7), (3, 8), (3, 9), (10, 31), (11, 1), (11, 2)):
        for hour, minute, second in ((5, 59, 59), (6, 0, 0)):
            local = datetime(2026, month, day, hour, minute, second, tzinfo=NEW_YORK)
            now_ms = int(local.timestamp()) * 1000
            log.clock = now_ms
            table = Table(table_id=f"T{len(days)}", log=log)
            table.play((1,), gaming_day=gaming_day(now_ms * 1000))
            days.append((gaming_day(now_ms * 1000), local.date().isoformat(), now_ms))
    House(log).run()
    path = tmp_path / "days.pit"
    write_file(path, log.all())
    return path, days


def test_each_round_is_in_the_day_that_began_at_six_on_both_sides_of_a_clock_change(
    export, clock_changes
):
    path, days = clock_changes
    whole = read_all(export("--format", "parquet", source=path))
    assert len(whole["rounds"]) == len(days)
    seen = 0
    for day in sorted({day for day, _, _ in days}):
        rows = read_all(export("--format", "parquet", "--gaming-day", day, source=path, to=day))
        expected = [ms for own, _, ms in days if own == day]
        opened = [row["opened_broker_time"] for row in rows["rounds"]]
        assert len(opened) == len(expected)
        for name in ("lines", "records", "cards"):
            own = [row for row in whole[name] if row["gaming_day"] == day]
            assert len(rows[name]) == len(own)
        seen += len(opened)
    assert seen == len(days)
    november = read_all(export("--gaming-day", "2026-11", source=path, to="november"))
    assert {row["gaming_day"] for row in november["rounds"]} == {"2026-11-01", "2026-11-02"}
    late = {day for day, local, _ in days if day < local}
    assert late == {"2026-03-06", "2026-03-07", "2026-03-08", "2026-10-30", "2026-10-31",
                    "2026-11-01"}


def test_a_quiet_tables_one_round_at_the_days_last_second_is_written(export, clock_changes):
    path, _ = clock_changes
    folder = export("--gaming-day", "2026-10-31", "--table", "T8", source=path)
    (row,) = rows_in(folder, "rounds")
    assert row["state"] == "settled"
    assert row["opened_at"] if "opened_at" in row else row["occurred_at"] == (
        "2026-11-01T10:59:59.000000Z"
    )
