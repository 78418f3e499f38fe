"""What needs more than Python is skipped only where that is missing, and never in `.ci/run`."""

import os

import pytest
from hypothesis import settings

from services.broker import apache

# A commit is judged by the same examples each time; who works on one gets others at each run.
settings.register_profile("judging", derandomize=True, deadline=None)
settings.register_profile("working", deadline=None)
settings.load_profile("judging" if os.environ.get("CI") else "working")


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
