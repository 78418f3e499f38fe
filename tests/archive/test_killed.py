"""An append that is killed at any system call leaves an archive that is whole, and goes on."""

import subprocess
import sys


def test_an_archive_survives_a_kill_at_every_system_call_of_an_append(tmp_path):
    done = subprocess.run(
        (sys.executable, "-m", "tests.archive.killing", str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    stops = int(done.stdout.split()[2])
    assert stops > 500
