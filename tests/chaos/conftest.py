"""One simulated journal, with everything that the floor does wrong, for all tests here."""

import pytest

from pitledger.audit import audit, render
from pitledger.sources.file import read_file
from services.simulation import simulate

PARTITIONS = 48


@pytest.fixture(scope="session")
def journal_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("simulated") / "journal"
    simulate(("saigon5", "five_card_hi_lo"), tables=6, rounds=60, seed=11, faults=True, path=path)
    return path


@pytest.fixture(scope="session")
def journal(journal_path):
    return list(read_file(journal_path))


@pytest.fixture(scope="session")
def audited(journal):
    report = audit(journal, PARTITIONS)
    assert report.sound, render(report)
    assert report.foreign, "forgeries of the floor are to be told from what a test breaks"
    return report
