"""The server's jars, fetched once for all who start brokers at the same time."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

ASKS = textwrap.dedent("""
    import sys
    from pathlib import Path
    from services.broker import apache

    apache.HOME = Path(sys.argv[1])
    apache.LIBS = apache.HOME / "libs"
    print("ready", flush=True)
    sys.stdin.readline()
    apache.resolve_jars()
    print(len(list(apache.LIBS.glob("*.jar"))))
    """)


def test_two_test_runners_on_a_fresh_machine_fetch_the_jars_once_and_both_have_them(
    apache_tools: None, tmp_path: Path
) -> None:
    """Each worker of `make test` starts brokers of its own; two Mavens at once spoil both."""
    calls = tmp_path / "calls"
    environment = {**os.environ, "PATH": f"{_counting_maven(tmp_path, calls)}:{os.environ['PATH']}"}
    askers = [
        subprocess.Popen(
            (sys.executable, "-c", ASKS, str(tmp_path / "kafka")),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(2)
    ]
    for asker in askers:
        assert asker.stdout is not None
        assert asker.stdout.readline() == "ready\n"
    for asker in askers:
        assert asker.stdin is not None
        asker.stdin.write("\n")
        asker.stdin.flush()
    ends = [asker.communicate(timeout=300) for asker in askers]
    assert [asker.returncode for asker in askers] == [0, 0], ends
    counts = {int(out) for out, _ in ends}
    assert len(counts) == 1
    assert counts.pop() > 20
    assert calls.read_text().splitlines() == ["asked"]


def _counting_maven(tmp_path: Path, calls: Path) -> Path:
    """A directory for PATH whose `mvn` writes down each call and hands it on."""
    directory = tmp_path / "bin"
    directory.mkdir()
    script = directory / "mvn"
    script.write_text(f'#!/bin/sh\necho asked >>"{calls}"\nexec "{shutil.which("mvn")}" "$@"\n')
    script.chmod(0o755)
    return directory
