"""One S3 service for all tests here; each has prefixes of its own."""

import uuid

import pytest

from tests.storage.house import House
from tests.storage.service import Service


@pytest.fixture(scope="session")
def running_service():
    service = Service()
    yield service
    service.close()


@pytest.fixture
def service(running_service, monkeypatch):
    """It heeds conditions and answers all; commands of this process find it, too."""
    for name, value in running_service.environment().items():
        monkeypatch.setenv(name, value)
    running_service.requests.clear()
    yield running_service
    running_service.before = lambda _: None
    running_service.heeds = True


@pytest.fixture
def prefix():
    return f"p{uuid.uuid4().hex[:8]}"


@pytest.fixture(autouse=True)
def quiet(caplog):
    """Without a line for each request."""
    caplog.set_level("WARNING", logger="werkzeug")


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A house's archive, sealed in four steps; see House."""
    return House.made(tmp_path_factory.mktemp("house"))


@pytest.fixture
def house(made, tmp_path):
    """A copy of it, to do with as one likes."""
    return made.copied(tmp_path / "house")
