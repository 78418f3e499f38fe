"""docs/disputes.md: its commands are run, in its order, on a broker, and say what stands there."""

import pytest

from tests.broker.conftest import embedded_broker as embedded_broker  # noqa: PLC0414
from tests.disputes.walk import Walk, commands


@pytest.fixture
def walk(embedded_broker, tmp_path):
    walk = Walk(embedded_broker, tmp_path)
    yield walk
    walk.close()


@pytest.mark.timeout(900)
def test_every_command_of_the_walk_says_what_stands_there(walk):
    for command in commands():
        code, said = walk.run(command.text)
        where = f"docs/disputes.md:{command.line}: {command.text}\n{said}"
        assert code == command.code, where
        assert walk.fits(command.said(), said), where
    assert len(commands()) > 20
