"""The archivist with its archive in a bucket: killed, it is followed, and nothing is lost."""

import json

import pytest

from services.runtime.settings import OWNERS
from services.storage.folder import Folder
from tests.broker.rig import wait_until
from tests.broker.test_archivist import PATIENCE_S, House
from tests.storage.house import verify
from tests.storage.service import Service


@pytest.fixture
def service(monkeypatch):
    service = Service()
    for name, value in service.environment().items():
        monkeypatch.setenv(name, value)
    yield service
    service.close()


def test_what_is_played_is_sealed_in_a_bucket_also_after_a_kill(embedded_broker, service, tmp_path):
    house = House(embedded_broker, "embedded", tmp_path)
    house.home = "s3://archives/floor"
    endpoint = {"S3_ENDPOINT": service.endpoint}
    try:
        for owner in OWNERS:
            house.rig.start(module=f"services.{owner}")
        archivist = house.start(**endpoint)
        wait_until(archivist.is_ready, "the archivist ready", PATIENCE_S)
        house.play(4)
        wait_until(lambda: "checkpoint" in service.keys("floor"), "a checkpoint", PATIENCE_S)
        archivist.kill()
        # The next one waits until the lock of the killed one has not been renewed for 30 s.
        next_one = house.start(**endpoint)
        house.play(4, seed=8)
        wait_until(next_one.is_ready, "the next one ready", PATIENCE_S)
        rounds = _settled(house)
        wait_until(lambda: _mirrored(house, tmp_path, endpoint)["rounds"] == rounds, "all sealed",
                   PATIENCE_S)  # fmt: skip
        assert next_one.terminate() == 0
        assert b'"released": true' in service.bucket("floor").read("lock")
    finally:
        house.close()


def _settled(house):
    told = house.rig.pitledger("rounds", "--from", "kafka", "--json")
    assert told.returncode == 0, told.stderr

    return len(json.loads(told.stdout)["rounds"])


def _mirrored(house, tmp_path, endpoint):
    mirror = tmp_path / "mirror"
    done = house.rig.pitledger("mirror", house.home, mirror, "--key", house.public, **endpoint)
    assert done.returncode == 0, done.stderr
    assert Folder(mirror).read("checkpoint")
    return verify(mirror, house.public).json
