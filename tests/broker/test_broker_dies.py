"""A broker that is killed and comes back with its data: it is said, and nothing is lost."""

import pytest

from services.broker.apache import ApacheKafka
from tests.broker.rig import Rig, wait_until


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
