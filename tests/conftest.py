"""What needs more than Python is skipped only where that is missing, and never in `.ci/run`."""

import os

import pytest
from hypothesis import settings

from services.broker import apache

# A commit is judged by the same examples each time; who works on one gets others at each run.
settings.register_profile("judging", derandomize=True, deadline=None)
settings.register_profile("working", deadline=None)
settings.load_profile("judging" if os.environ.get("CI") else "working")


STARTS_BROKERS = ("tests/broker/", "tests/chaos/")


@pytest.hookimpl(tryfirst=True)  # pytest-xdist looks for the marks in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several workers, what starts brokers goes to them by whole files, which share some."""
    for item in items:
        if item.nodeid.startswith(STARTS_BROKERS):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


@pytest.fixture(scope="session")
def apache_tools() -> None:
    """Asked for by whatever starts Apache Kafka: without JDK or Maven its tests are skipped.

    With PITLEDGER_SKIP_NOTHING set they fail instead. Jars that cannot be fetched are an error.
    """
    missing = apache.why_not()
    if missing and os.environ.get("PITLEDGER_SKIP_NOTHING"):
        pytest.fail(missing, pytrace=False)
    if missing:
        pytest.skip(missing)
