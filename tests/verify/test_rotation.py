"""A rotation by the real commands: what lies beside the log is sealed by the next append."""

import json
import shutil
from pathlib import Path

from pitledger.archive.note import SecretKey
from tests.verify.conftest import Golden, pitledger, run


def test_the_writer_seals_what_lies_beside_the_log(golden: Golden, tmp_path: Path) -> None:
    """The real commands: a rotation, and an append by the new key."""
    home = tmp_path / "archive"
    shutil.copytree(golden.home, home)
    for name, key in (("old", golden.key), ("new", SecretKey.new(golden.key.name))):
        (tmp_path / name).write_text(key.text())
        (tmp_path / f"{name}.pub").write_text(str(key.public))
    pitledger(tmp_path, "keys", "rotate", "archive", "--key", "old", "--to", "new")
    pitledger(tmp_path, "simulate", "--rounds", "40", "--tables", "3", "--faults", "--no-audit",
              "--seed", "3", "-o", "journal")
    pitledger(tmp_path, "archive", "--from", "journal", "-o", "archive", "--key", "new")
    for name in ("old", "new"):
        outcome = run(str(home), "--key", str(tmp_path / f"{name}.pub"), "--json")
        assert outcome.code == 0, outcome
        assert json.loads(outcome.out)["keys"] == 2
    [statement] = (home / "keys").iterdir()
    statement.unlink()
    assert run(str(home), "--key", str(tmp_path / "new.pub")).code == 1
