"""`pitledger report`: of a gaming day the sums that replay has, and of other days nothing kept."""

import gc
import json
import tracemalloc
from collections import Counter, defaultdict

import pytest

from pitledger.replay import Replay
from pitledger.sources.file import read_file
from services.cli.report_day import GamingDay
from services.simulation import simulate
from tests.kit.log import Log
from tests.kit.table import Table

HOUR_MS = 60 * 60 * 1000


@pytest.fixture(scope="module")
def foul(tmp_path_factory):
    """Both games, with forgeries, repeats, voids and rounds that nobody closed."""
    path = tmp_path_factory.mktemp("journals") / "foul.pit"
    simulate(("saigon5", "five_card_hi_lo"), 4, 60, 5, True, path)
    return path


def of_replay(path):
    """By gaming day: rounds that are over, and their sums."""
    replay, days = Replay(48), defaultdict(Counter)
    for stored in read_file(path, None):
        replay.take(stored)
    for one in replay.reports(so_far=True):
        if one.state != "open":
            totals = getattr(one.sums, one.sums.WhichOneof("body")).totals
            days[one.opened.round_opened.gaming_day].update(
                rounds=1, staked=totals.staked_minor, returned=totals.returned_minor,
                house_net=totals.house_net_minor)
    return days


def test_a_days_sums_are_those_of_replay(pitledger, foul):
    days = of_replay(foul)
    assert len(days) > 0
    for day, sums in days.items():
        ended = pitledger("report", "--gaming-day", day, "--from", foul, "--json")
        found = Counter()
        for row in json.loads(ended.out)["rows"]:
            found.update({name: row[name] for name in sums})
        assert found == sums


def test_memory_does_not_grow_with_the_rounds_of_other_days():
    log = Log()
    table = Table(log=log)
    table.play(gaming_day="2026-11-29")
    for _ in range(120):
        log.clock += HOUR_MS
        table.play(gaming_day="2026-11-30")
    records = log.all()
    bytes_read_by(GamingDay(log.partitions, "2026-11-29", None), records)  # games have caches
    day = GamingDay(log.partitions, "2026-11-29", None)
    half, whole = bytes_read_by(day, records)
    assert [one.table_id for one in day.settled()] == ["T1"]
    assert whole - half < 60 * 200


def bytes_read_by(fold, records):
    """What is allocated when half of them are read, and when all are."""
    found = []
    tracemalloc.start()
    for number, stored in enumerate(records, 1):
        fold.take(stored)
        if number in (len(records) // 2, len(records)):
            gc.collect()
            found.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    return found
