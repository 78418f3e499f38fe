"""The brokers, each started once for all tests here."""

import pytest

from services.broker.apache import ApacheKafka
from services.broker.embedded import EmbeddedBroker
from tests.broker.rig import Rig
from tests.broker.secured import SecuredKafka


@pytest.fixture(scope="session")
def embedded_broker(tmp_path_factory):
    with EmbeddedBroker(log=tmp_path_factory.mktemp("embedded") / "log") as broker:
        yield broker


@pytest.fixture(scope="session")
def apache_broker(apache_tools, tmp_path_factory):
    data = tmp_path_factory.mktemp("apache") / "data"
    with ApacheKafka(data=data, users={"admin": "a-word", "wagers": "w-word"}) as broker:
        yield broker


@pytest.fixture(scope="session")
def secured_broker(apache_tools, tmp_path_factory):
    """Logins, TLS and access lists: see tests/broker/secured.py."""
    with SecuredKafka(tmp_path_factory.mktemp("secured")) as broker:
        yield broker


@pytest.fixture(params=["embedded", "apache"])
def kind(request):
    return request.param


@pytest.fixture
def broker(kind, request):
    return request.getfixturevalue(f"{kind}_broker")


@pytest.fixture
def rig(broker, kind, tmp_path):
    rig = Rig(broker, kind, tmp_path)
    yield rig
    rig.close()
