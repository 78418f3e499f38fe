"""A full disk is really full for who writes on it, and is free again afterwards."""

import subprocess
import sys

import pytest

from tests.chaos.disk import Disk
from tests.chaos.processes import ROOT

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


RUN = """
import sys
from pathlib import Path
from tests.chaos.disk import Disk
with Disk(Path(sys.argv[1])):
    print("mounted", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def mounting(tmp_path):
    """Skips, also under PITLEDGER_SKIP_NOTHING, where nobody may mount: a run does without it."""
    probe = tmp_path / "probe"
    probe.mkdir()
    done = subprocess.run(
        ("mount", "-t", "tmpfs", "tmpfs", str(probe)), capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no right to mount here: {done.stderr.strip()}")
    subprocess.run(("umount", str(probe)), check=True)


@pytest.fixture
def run(tmp_path):
    """Starts a run that has mounted its disk on a folder."""
    runs = []

    def start(folder):
        run = subprocess.Popen(
            (sys.executable, "-c", RUN, str(folder)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )  # fmt: skip
        runs.append((run, folder))
        assert run.stdout.readline() == "mounted\n"
        return run

    yield start
    for run, folder in runs:
        run.kill()
        run.communicate()
        if folder.is_mount():
            subprocess.run(("umount", "--lazy", str(folder)), check=True)


def test_where_mounting_is_possible_the_disk_is_mounted(mounting, disk):
    assert disk.is_mounted
    assert disk.folder.is_mount()


def test_disks_of_runs_that_were_killed_are_unmounted_and_no_others(mounting, run, tmp_path):
    # given: two runs, of which one is killed hard
    alive, left = tmp_path / "alive", tmp_path / "left behind"
    run(alive)
    killed = run(left)
    killed.kill()
    killed.wait()
    assert left.is_mount()
    # when: a third begins elsewhere
    Disk(tmp_path / "third").tidy()
    # then
    assert not left.is_mount()
    assert alive.is_mount()


@pytest.mark.parametrize("is_mounted", [True, False])
def test_nobody_can_write_on_a_full_disk_until_it_is_freed(disk, writer, is_mounted, request):
    if is_mounted:
        request.getfixturevalue("mounting")
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
