"""The file of a simulation is a whole journal, or is not there."""

import pytest

from services.simulation import driver, simulate


def test_an_interrupted_simulation_leaves_no_half_journal(tmp_path, monkeypatch):
    def interrupted(run):
        raise KeyboardInterrupt

    monkeypatch.setattr(driver._Run, "drain", interrupted)
    path = tmp_path / "journal"
    with pytest.raises(KeyboardInterrupt):
        simulate(("saigon5",), 1, 1, 1, False, path)
    assert not path.exists()
