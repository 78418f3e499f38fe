"""What needs more than Python says so by a mark, and is skipped only where that is missing."""

import os
import shutil

import pytest

from services.broker.apache import find_java
from services.broker.process import BrokerError


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("apache") is None:
        return
    if missing := _missing_for_apache():
        if os.environ.get("PITLEDGER_SKIP_NOTHING"):
            pytest.fail(missing, pytrace=False)
        pytest.skip(missing)


def _missing_for_apache() -> str:
    """Which tool that Apache Kafka needs is not on this machine, in one line; "" if none."""
    try:
        find_java()
    except BrokerError as error:
        return str(error)
    return "" if shutil.which("mvn") else "Apache Kafka's jars are resolved by Maven: no mvn"
