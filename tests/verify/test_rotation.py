"""A rotation by the real commands: what lies beside the log is sealed by the next append."""

import json
from pathlib import Path

from pitledger.sources.file import read_file, write_file
from services.cli.new_key import new_key
from tests.verify.conftest import pitledger, run


def test_the_writer_seals_what_lies_beside_the_log(tmp_path: Path) -> None:
    """The real commands: an archive, a rotation, and an append by the new key."""
    home = tmp_path / "archive"
    old = new_key("casino.example/floor")
    for name, key in (("old", old), ("new", new_key(old.name))):
        (tmp_path / name).write_text(key.text())
        (tmp_path / f"{name}.pub").write_text(str(key.public))
    pitledger(tmp_path, "simulate", "--rounds", "40", "--tables", "3", "--faults", "--no-audit",
              "--seed", "3", "-o", "journal")
    records = list(read_file(tmp_path / "journal"))
    write_file(tmp_path / "part", records[: len(records) // 2])
    pitledger(tmp_path, "archive", "--from", "part", "-o", "archive", "--key", "old")
    pitledger(tmp_path, "keys", "rotate", "archive", "--key", "old", "--to", "new")
    pitledger(tmp_path, "archive", "--from", "journal", "-o", "archive", "--key", "new")
    for name in ("old", "new"):
        outcome = run(str(home), "--key", str(tmp_path / f"{name}.pub"), "--json")
        assert outcome.code == 0, outcome
        assert json.loads(outcome.out)["keys"] == 2
    [statement] = (home / "keys").iterdir()
    statement.unlink()
    assert run(str(home), "--key", str(tmp_path / "new.pub")).code == 1
