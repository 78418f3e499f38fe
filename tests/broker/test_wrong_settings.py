"""Followers of the journal in no group start, as processors do, only where settings are right."""

import pytest

from services.cli.new_key import new_key
from tests.broker.rig import Rig

BAD_SETTINGS = 2
WRONG = {
    ("retention.ms", "1000"): "retention.ms is 1000, must be -1",
    ("message.timestamp.type", "CreateTime"): "is CreateTime, must be LogAppendTime",
}


@pytest.fixture
def rig(apache_broker, tmp_path):
    rig = Rig(apache_broker, "apache", tmp_path).create()
    yield rig
    rig.close()


@pytest.mark.parametrize("process", ["archivist", "auditor", "cases"])
def test_a_journal_that_may_lose_records_is_one_line_and_the_end(rig, tmp_path, process):
    # Given a topic with settings by which records go, or tell another time than the broker's
    for name, value in WRONG:
        rig.alter(name, value)
    key = tmp_path / "key"
    key.write_text(new_key("casino.example/floor").text())
    # When the process starts
    started = rig.start(
        module=f"services.{process}", ARCHIVE=tmp_path / "archive", ARCHIVE_KEY=key
    )  # fmt: skip
    # Then it ends, names both, and has done nothing
    assert started.wait_exit(120) == BAD_SETTINGS
    (line,) = started.errors.read_text().strip().splitlines()
    assert line.startswith(f"{process}: {rig.connection.topic}: ")
    for words in WRONG.values():
        assert words in line
    assert not (tmp_path / "archive" / "checkpoint").exists()
