"""An archive some of whose rounds were deleted after their term: the rest, and what is gone."""

import json
from datetime import date

import pytest

from tests.export.conftest import rows_in
from tests.storage.house import House, pitledger


@pytest.fixture
def swept(tmp_path, monkeypatch):
    """An archive of which all rounds are gone but one table's, which is held; and before."""
    house = House.made(tmp_path)
    before = pitledger("whatif", "--all", "--from", house.archive, "--json").json
    held = ("legal-hold", "place", house.archive, "--by", "counsel", "--reason", "b")
    assert pitledger(*held, "--table", "saigon-001").code == 0
    monkeypatch.setattr("services.cli.retention._today", lambda: date.max)
    done = pitledger(
        "retention", "delete", house.archive, "--policy", "pa-table-games", "--key", house.key,
        "--by", "a", "--reason", "b", "--yes", "--json",
    )
    assert done.code == 0, done.err
    return house.archive, before


def test_what_if_counts_what_was_deleted_and_adds_up_the_rest(swept):
    archive, before = swept
    after = pitledger("whatif", "--all", "--from", archive, "--json").json
    reason = "its bytes were deleted from the archive after their term"
    assert after["rounds"] == before["rounds"]
    assert after["reasons"] == {reason: after["not_judged"]}
    assert 0 < after["not_judged"] < after["rounds"]
    kept = [row for row in before["totals"]["table"] if row["name"] == "saigon-001"]
    assert after["totals"]["table"] == kept


def test_an_export_has_the_rest_and_says_what_is_gone(swept, tmp_path):
    archive, _ = swept
    ended = pitledger("export", "--from", archive, "-o", tmp_path / "out")
    assert ended.code == 0, ended.err
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["source"]["deleted_entries"]
    rounds = rows_in(tmp_path / "out", "rounds")
    assert {row["table_id"] for row in rounds if row["state"] != "open"} == {"saigon-001"}
