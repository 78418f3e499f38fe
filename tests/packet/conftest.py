"""A sealed archive to make packets from."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from pitledger.replay import replay_all
from pitledger.sources.file import read_file, write_file
from services.cli.new_key import new_key
from services.cli.run import run
from services.simulation import simulate
from tests.unit.cli.conftest import pitledger  # noqa: F401  (a fixture)

PARTITIONS = 48


@dataclass(frozen=True)
class Archive:
    """`rounds`: sealed ones, as TABLE/NUMBER; `open`: one of the journal that is not."""

    home: Path
    key: Path
    public: Path
    rounds: tuple[str, ...]
    open: str


@pytest.fixture(scope="session")
def sealed(tmp_path_factory) -> Archive:
    """Thirty rounds with faults; the journal's last records are not there yet."""
    home = tmp_path_factory.mktemp("packets")
    simulate(("saigon5", "five_card_hi_lo"), 3, 30, 3, True, home / "journal")
    records = list(read_file(home / "journal"))
    records.sort(key=lambda record: record.broker_time)
    write_file(home / "cut", records[: len(records) * 9 // 10])
    key = new_key("casino.example/floor")
    (home / "key").write_text(key.text())
    (home / "key.pub").write_text(f"{key.public}\n")
    call("archive", "--from", home / "cut", "-o", home / "archive", "--key", home / "key")
    reports = list(replay_all(read_file(home / "cut"), PARTITIONS))
    names = {f"{r.table_id}/{r.opened.round_opened.round_number}": r for r in reports}
    done = tuple(name for name, r in names.items() if r.state != "open" and not r.missing)
    waits = next(name for name, r in names.items() if r.state == "open")
    return Archive(home / "archive", home / "key", home / "key.pub", done, waits)


@pytest.fixture
def archive(sealed, tmp_path) -> Archive:
    """One's own copy."""
    home = tmp_path / "archive"
    shutil.copytree(sealed.home, home)
    return Archive(home, sealed.key, sealed.public, sealed.rounds, sealed.open)


def call(*arguments: object) -> None:
    """Run `pitledger` in this process."""
    assert run([str(argument) for argument in arguments]) == 0
