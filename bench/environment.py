"""The rivals' own Python: `bench/requirements.lock` under `.run/bench/rivals`."""

import subprocess
import venv
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / ".run" / "bench"
"""All that is written while measuring."""
LOCK = ROOT / "bench" / "requirements.lock"


@cache
def rivals_python() -> Path:
    """Its interpreter; the environment is made once for each version of the lock file."""
    home = HOME / "rivals"
    ready, python = home / "ready", home / "bin" / "python"
    if not ready.exists() or ready.read_text() != LOCK.read_text():
        venv.create(home, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--require-hashes", "-r", str(LOCK)], check=True)
        ready.write_text(LOCK.read_text())
    return python
