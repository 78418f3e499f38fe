"""Rounds to suppose things of: from simulated floors, and from tables of these tests."""

import pytest

from services.simulation import simulate
from tests.unit.cli.conftest import pitledger  # noqa: F401  (a fixture)
from tests.whatif.rounds import played_in


@pytest.fixture(scope="session")
def foul_journal(tmp_path_factory):
    """Both games, with forgeries, repeats, voids, corrections, and rounds that nobody closed."""
    path = tmp_path_factory.mktemp("journals") / "foul.pit"
    simulate(("saigon5", "five_card_hi_lo"), 4, 120, 11, True, path)
    return path


@pytest.fixture(scope="session")
def fair_journal(tmp_path_factory):
    path = tmp_path_factory.mktemp("journals") / "fair.pit"
    simulate(("saigon5", "five_card_hi_lo"), 4, 60, 12, False, path)
    return path


@pytest.fixture(scope="session")
def rounds(foul_journal, fair_journal):
    """Every round of both journals that ended."""
    return Rounds((*played_in(foul_journal), *played_in(fair_journal)))


class Rounds(tuple):
    """Megabytes of rounds, which no failure should print."""

    def __repr__(self) -> str:
        return f"{len(self)} rounds"
