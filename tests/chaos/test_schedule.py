"""The schedule of a chaos run is a pure function of its seed, and enough goes wrong."""

import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.chaos.schedule import CALM_S, SHORT, Kind, schedule

SEEDS = st.integers(0, 10**9)


@given(SEEDS)
def test_the_same_seed_gives_the_same_faults(seed):
    assert schedule(seed, 300) == schedule(seed, 300)


def test_another_seed_gives_other_faults():
    assert len({str(schedule(seed, 300)) for seed in range(50)}) == 50


@pytest.mark.parametrize("minutes", ["0", "-1", "nan", "0.01"])
def test_a_run_in_which_nothing_goes_wrong_is_no_run(minutes):
    command = sys.executable, "-m", "tests.chaos", "--plan", f"--minutes={minutes}"
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("chaos: no fault fits into")


@given(SEEDS)
def test_five_minutes_see_thirty_faults_or_more_of_every_kind(seed):
    faults = schedule(seed, 300)
    assert len(faults) >= 30
    assert {fault.kind for fault in faults} == set(Kind)


@given(SEEDS)
def test_a_minute_of_the_short_setting_sees_six_kinds_or_more(seed):
    faults = schedule(seed, 60, SHORT)
    assert len({fault.kind for fault in faults}) >= 6
    assert {fault.kind for fault in faults} <= set(SHORT)


@given(SEEDS, st.floats(10, 600))
@example(seed=913, seconds=523.1875)  # its last one rounded to beyond the end
def test_faults_come_in_order_and_all_within_the_time(seed, seconds):
    faults = schedule(seed, seconds)
    times = [fault.at_s for fault in faults]
    assert times == sorted(times)
    assert all(CALM_S <= at <= seconds for at in times)
    assert [fault.number for fault in faults] == list(range(1, len(faults) + 1))


@given(SEEDS, st.floats(10, 300))
@example(seed=238765914, seconds=34.96875)  # its last one was put forward to the end
def test_a_longer_run_begins_as_a_shorter_one(seed, seconds):
    short = schedule(seed, seconds)
    assert schedule(seed, 2 * seconds)[: len(short)] == short
