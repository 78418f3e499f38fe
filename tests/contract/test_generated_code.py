"""pitledger/pb is what proto/ says."""

import shutil
import subprocess
import sys

from tests.contract.sources import ROOT


def check(root):
    return subprocess.run(
        [sys.executable, root / "proto" / "generate.py", "--check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def copy(tmp_path):
    skip = shutil.ignore_patterns("node_modules", "__pycache__")
    shutil.copytree(ROOT / "proto", tmp_path / "proto", ignore=skip)
    shutil.copytree(ROOT / "pitledger" / "pb", tmp_path / "pitledger" / "pb", ignore=skip)
    return tmp_path


def test_the_generated_code_is_current():
    done = check(ROOT)
    assert done.returncode == 0, done.stderr


def test_code_that_does_not_follow_the_schema_is_named(tmp_path):
    root = copy(tmp_path)
    schema = root / "proto" / "pitledger" / "v1" / "money.proto"
    schema.write_text(schema.read_text() + "\nmessage Extra {}\n")

    done = check(root)

    assert done.returncode == 1
    assert "make proto" in done.stderr
    assert "money_pb2.py" in done.stderr


def test_code_that_was_edited_or_left_behind_is_named(tmp_path):
    root = copy(tmp_path)
    (root / "pitledger" / "pb" / "gone_pb2.py").write_text("")
    with (root / "pitledger" / "pb" / "cards_pb2.pyi").open("a") as file:
        file.write("# by hand\n")

    done = check(root)

    assert done.returncode == 1
    assert done.stderr.strip().endswith("cards_pb2.pyi, gone_pb2.py")
