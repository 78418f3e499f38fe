"""Fetches on Apache Kafka: few while records flow, and after a lull no record waits for one."""

import statistics
import time

import pytest

from tests.broker.rig import Rig, wait_until

RECORDS = 200
LULLS = 3
GATHER_S, FETCH_WAIT_S = 1, 5


@pytest.fixture
def rig(apache_broker, tmp_path):
    rig = Rig(apache_broker, "apache", tmp_path, partitions=1)
    yield rig.create()
    rig.close()


def test_while_records_flow_many_come_with_one_fetch(rig):
    worker = rig.start("counted", GATHER_MS=200)
    worker.wait_ready()
    before = worker.metric("test_fetches")
    seconds = flow(rig)
    wait_until(lambda: worker.metric("pitledger_decisions_seen_total") == RECORDS, "echoes", 60)
    fetches = worker.metric("test_fetches") - before
    print(f"{fetches:.0f} fetches for {2 * RECORDS} records in {seconds:.1f} s")
    # Some five a second are due; a machine that is slow takes more of them for as many records.
    assert fetches < max(RECORDS / 4, 8 * seconds)


def test_without_gathering_nearly_every_record_is_a_fetch(rig):
    """What the broker is spared: else the test above would prove nothing."""
    worker = rig.start("counted", GATHER_MS=0)
    worker.wait_ready()
    before = worker.metric("test_fetches")
    flow(rig)
    wait_until(lambda: worker.metric("pitledger_decisions_seen_total") == RECORDS, "echoes", 60)
    assert worker.metric("test_fetches") - before > RECORDS / 4


def test_the_first_record_after_a_lull_is_answered_at_once(rig):
    """Not after it was gathered for, and not when the fetch that waits comes back empty."""
    worker = rig.start("counted", GATHER_MS=1000 * GATHER_S, FETCH_WAIT_MS=1000 * FETCH_WAIT_S)
    worker.wait_ready()
    waits = []
    for _ in range(LULLS):
        rig.send(3)
        time.sleep(3)  # facts, then echoes were gathered, then nothing
        waits.append(answered_in(rig, worker))
    print(f"after a lull: {[round(wait, 3) for wait in waits]} s")
    assert statistics.median(waits) < GATHER_S


def flow(rig):
    """Records one by one, some 200 a second; seconds that it took."""
    began = time.monotonic()
    for _ in range(RECORDS):
        rig.send(1)
        time.sleep(0.005)
    return time.monotonic() - began


def answered_in(rig, worker):
    """Seconds from sending a fact until its echo is acknowledged."""
    name = "pitledger_cause_to_decision_seconds"
    count, total = worker.metric(f"{name}_count"), worker.metric(f"{name}_sum")
    rig.send(1)
    wait_until(lambda: worker.metric(f"{name}_count") == count + 1, "the echo", 60)
    return worker.metric(f"{name}_sum") - total
