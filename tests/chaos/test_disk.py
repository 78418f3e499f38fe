"""A full disk is really full for who writes on it, and is free again afterwards."""

import subprocess
import sys

import pytest

from tests.chaos.disk import Disk

WRITER = """
import sys
for line in sys.stdin:
    try:
        with open(line.strip(), "ab", buffering=0) as out:
            print(out.write(b"x" * 100_000) == 100_000, flush=True)
    except OSError as error:
        print(error.errno, flush=True)
"""


@pytest.fixture
def disk(tmp_path):
    with Disk(tmp_path / "disk") as disk:
        yield disk
    assert not (tmp_path / "disk").is_mount()


@pytest.fixture
def writer():
    process = subprocess.Popen(
        (sys.executable, "-c", WRITER), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize("is_mounted", [True, False])
def test_nobody_can_write_on_a_full_disk_until_it_is_freed(disk, writer, is_mounted):
    if is_mounted and not disk.is_mounted:
        pytest.skip("mounting needs root")
    disk.is_mounted = is_mounted

    def write():
        writer.stdin.write(f"{disk.folder / 'file'}\n")
        writer.stdin.flush()
        return writer.stdout.readline().strip()

    assert write() == "True"
    disk.fill(writer.pid)
    assert write() in ("28", "27", "False")
    disk.free(writer.pid)
    assert write() == "True"
