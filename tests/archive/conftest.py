"""A journal with foul play, made once."""

import pytest

from pitledger.sources.file import read_file
from services.simulation import simulate

PARTITIONS = 48


@pytest.fixture(scope="session")
def journal(tmp_path_factory):
    """Its file: 150 rounds of both games, with repeats, forgeries, junk and lost sends."""
    path = tmp_path_factory.mktemp("journal") / "journal"
    simulate(("saigon5", "five_card_hi_lo"), 6, 150, 3, True, path)
    return path


@pytest.fixture(scope="session")
def records(journal):
    return list(read_file(journal))
