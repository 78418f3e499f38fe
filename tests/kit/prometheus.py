"""A real Prometheus for tests: the one on PATH, else Debian's package unpacked below .run.

Nothing is installed and no service is left running: `apt-get download` needs no root.
"""

import functools
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from services.broker.process import free_port

ROOT = Path(__file__).parents[2]
UNPACKED = ROOT / ".run" / "prometheus"
READY_S, ASK_S = 60, 30


def tool(name):
    """Path of `prometheus` or `promtool`; skips where there is none, fails in .ci/run."""
    path, missing = _found(name)
    if path is None and os.environ.get("PITLEDGER_SKIP_NOTHING"):
        pytest.fail(missing, pytrace=False)
    if path is None:
        pytest.skip(missing)
    return path


def promtool(*arguments):
    """What promtool prints; fails with it unless promtool is content."""
    done = subprocess.run(
        [tool("promtool"), *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Prometheus:
    """`with Prometheus(config, folder) as prometheus: prometheus.query("up")`"""

    def __init__(self, config, folder):
        self._port = free_port()
        self._log = folder / "prometheus.log"
        self._command = [
            tool("prometheus"),
            f"--config.file={config}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{self._port}",
        ]

    def __enter__(self):
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
        try:
            self._wait_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()

    def query(self, expression):
        """The instant vector's samples; fails where Prometheus refuses the expression."""
        return self.ask("query", query=expression)["result"]

    def targets(self):
        return self.ask("targets", state="active")["activeTargets"]

    def alerts(self):
        """{(name, state)}: state is "pending" or "firing"."""
        found = self.ask("alerts")["alerts"]
        return {(alert["labels"]["alertname"], alert["state"]) for alert in found}

    def ask(self, path, **parameters):
        address = f"http://127.0.0.1:{self._port}/api/v1/{path}"
        try:
            with urllib.request.urlopen(
                f"{address}?{urllib.parse.urlencode(parameters)}", timeout=ASK_S
            ) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from None

    def _wait_ready(self):
        until = time.monotonic() + READY_S
        while time.monotonic() < until:
            assert self._process.poll() is None, self._log.read_text()
            try:
                address = f"http://127.0.0.1:{self._port}/-/ready"
                with urllib.request.urlopen(address, timeout=ASK_S):
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"Prometheus is not ready: {self._log.read_text()}")


@functools.cache
def _found(name):
    """(path, "") or (None, why there is none)."""
    on_path = shutil.which(name)
    if on_path:
        return on_path, ""
    unpacked = UNPACKED / "usr" / "bin" / name
    if not unpacked.exists():
        problem = _unpack()
        if problem:
            return None, f"{name}: not on PATH, and no Debian package: {problem}"
    return str(unpacked), ""


def _unpack():
    """Debian's package into UNPACKED; why not, or ""."""
    if not (shutil.which("apt-get") and shutil.which("dpkg")):
        return "no apt-get and dpkg here"
    UNPACKED.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=UNPACKED.parent, prefix="prometheus.") as folder:
        return _unpack_from(Path(folder))


def _unpack_from(download):
    apt = _download(["apt-get"], download)
    if apt.returncode:  # the machine's lists are missing or old: own ones
        own = ["apt-get", "-o", f"Dir::State::lists={download}/lists", "-o", "Debug::NoLocking=1",
               "-o", f"Dir::Cache={download}/cache"]  # fmt: skip
        (download / "lists" / "partial").mkdir(parents=True)
        (download / "cache" / "archives" / "partial").mkdir(parents=True)
        subprocess.run([*own, "update"], cwd=download, capture_output=True, check=False)
        apt = _download(own, download)
    packages = sorted(download.glob("prometheus_*.deb"))
    if not packages:
        return " ".join((apt.stderr or "apt-get found none").split())[-300:]
    subprocess.run(["dpkg", "-x", packages[0], download / "root"], check=True)
    if not UNPACKED.exists():
        (download / "root").rename(UNPACKED)
    return ""


def _download(apt, folder):
    return subprocess.run(
        [*apt, "download", "prometheus"], cwd=folder, capture_output=True, text=True, check=False
    )
