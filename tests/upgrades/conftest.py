"""buf is there after `make lint`; without it what needs it is skipped, and never in `.ci/run`."""

import os

import pytest

from tests.contract.sources import ROOT


@pytest.fixture
def buf():
    if (ROOT / "proto" / "node_modules" / ".bin" / "buf").exists():
        return
    reason = "buf is not installed: `make lint` does it (Node.js)"
    if os.environ.get("PITLEDGER_SKIP_NOTHING"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
