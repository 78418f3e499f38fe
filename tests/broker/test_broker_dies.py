"""A broker that is killed and comes back with its data: it is said, and nothing is lost."""

import os
import signal
import time

import pytest

from services.broker.apache import ApacheKafka
from tests.broker.rig import Rig, wait_until

ALL = ("wagers", "settlement", "auditor", "cases")


@pytest.fixture
def mortal(apache_tools, tmp_path):
    with ApacheKafka(data=tmp_path / "data") as broker:
        yield broker


def test_after_a_broker_was_killed_each_fact_is_answered(mortal, tmp_path):
    rig = Rig(mortal, "apache", tmp_path).create()
    worker = rig.start()
    worker.wait_ready()
    ids = rig.send(20)
    rig.wait_answered(ids)
    mortal.kill()
    wait_until(lambda: worker.http("/healthz")[0] in (0, 503), "no longer caught up")
    mortal.start()
    ids += rig.send(20)
    if worker.process.poll() is not None:
        worker = rig.start()
    rig.wait_answered(ids)
    worker.wait_ready()
    rig.close()


@pytest.mark.timeout(200)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_processes_that_are_told_to_stop_end_although_their_broker_is_gone(mortal, tmp_path, how):
    rig = Rig(mortal, "apache", tmp_path).create()
    workers = [rig.start(module=f"services.{owner}") for owner in ALL]
    for worker in workers:
        worker.wait_ready()
    rig.send(20)
    os.kill(mortal.pid, how)
    wait_until(lambda: all(each.http("/healthz")[0] == 503 for each in workers), "it shows", 60)
    time.sleep(10)  # by then they ask in vain for the group's coordinator, too
    for worker in workers:
        worker.process.send_signal(signal.SIGTERM)
    assert [worker.wait_exit(20) for worker in workers] == [0] * len(ALL)
    os.kill(mortal.pid, signal.SIGKILL)  # the producer of this test would wait for it
    rig.close()
