"""The live path on Apache Kafka: four processes, a broker and the load on this one machine.

Six positions a table, automated shoe, 100 tables. Latencies are the load's own: from its send of a
fact until it reads the decision back from the journal. CPU is the kernel's account of each process.
"""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import spread
from services.broker.apache import ApacheKafka, why_not
from services.broker.process import free_port
from services.runtime.settings import OWNERS

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / ".run" / "bench"
TABLES = 100
STEADY = (20, 50)
RUNS = 3
CLIMB = (80, 120, 160, 200, 250, 300)
WARMUP_S = 15
KEEPS_UP = 0.97
"""A rate is sustained if this share of it was settled, with a payout's p99 below a second."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the load: what it printed, and CPU ms a round by process."""

    rate: int
    result: dict[str, Any]
    cpu: dict[str, float]

    @property
    def sustained(self) -> bool:
        p99 = self.result["exposed_to_payout_ms"].get("p99", 1e9)
        return bool(self.result["rounds_per_s"] >= KEEPS_UP * self.rate and p99 < 1000)


def run_live(seconds: int) -> None:
    """Measure and print."""
    missing = why_not()
    if missing:
        print(f"\nlive path: skipped: {missing}")
        return
    HOME.mkdir(parents=True, exist_ok=True)
    print(f"\nLive path on Apache Kafka: {TABLES} tables of six positions, automated shoe,")
    print(f"runs of {seconds} s after {WARMUP_S} s; broker, processes and load on this machine")
    for rate in STEADY:
        _print_steady([_measure(rate, seconds) for _ in range(RUNS)])
    _climb(seconds)


def _climb(seconds: int) -> None:
    """The highest rate that is kept up, on the way up."""
    print("\n  highest sustained rate")
    for rate in CLIMB:
        run = _measure(rate, seconds)
        print(f"    {_line(run)}{'' if run.sustained else '   NOT sustained'}", flush=True)
        if not run.sustained:
            break


def _print_steady(runs: list[Run]) -> None:
    print(f"\n  {runs[0].rate} rounds/s asked, {len(runs)} runs: min / median / max")
    achieved = spread([run.result["rounds_per_s"] for run in runs])
    print(f"    rounds/s                                 {achieved}")
    for name, text in (
        ("exposed_to_payout_ms", "DealerExposed to PayoutDue, ms"),
        ("closed_to_settled_ms", "RoundClosed to RoundSettled, ms"),
    ):
        for rank in ("p50", "p99"):
            values = spread([run.result[name][rank] for run in runs])
            print(f"    {text:<34} {rank}   {values}")
    for process in runs[0].cpu:
        values = spread([run.cpu[process] for run in runs], 2)
        print(f"    CPU ms a round, {process:<24} {values}", flush=True)


def _line(run: Run) -> str:
    payout = run.result["exposed_to_payout_ms"]
    cpu = ", ".join(f"{name} {value:.1f}" for name, value in run.cpu.items())
    return (
        f"{run.rate:>4}/s asked {run.result['rounds_per_s']:>6}/s settled; payout p50"
        f" {payout.get('p50')} p99 {payout.get('p99')} ms; CPU ms a round: {cpu}"
    )


def _measure(rate: int, seconds: int) -> Run:
    """A broker, topics and processes of its own for each run."""
    data = HOME / f"kafka-{os.getpid()}-{time.monotonic_ns()}"
    with ApacheKafka(data=data) as broker:
        environment = os.environ | {
            "PITLEDGER_BOOTSTRAP": broker.bootstrap,
            "PITLEDGER_BROKER": "apache",
        }
        _command(environment, "topics", "create")
        with _processors(environment) as processes:
            pids = {owner: process.pid for owner, process in processes.items()}
            assert broker.pid is not None
            pids["broker"] = broker.pid
            return _load(environment, pids, rate, seconds)


def _load(environment: dict[str, str], pids: dict[str, int], rate: int, seconds: int) -> Run:
    before = {name: _cpu_seconds(pid) for name, pid in pids.items()}
    load = subprocess.run(
        [
            *(sys.executable, "-m", "services.floor", "--profile", "bench"),
            *("--rate", str(rate), "--tables", str(TABLES), "--seed", "1"),
            *("--seconds", str(seconds + WARMUP_S), "--warmup", str(WARMUP_S)),
        ],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if load.returncode:
        sys.exit(f"bench: the load failed: {load.stderr.strip()}")
    result = json.loads(load.stdout.splitlines()[-1])
    cpu = {
        name: 1000 * (_cpu_seconds(pid) - before[name]) / result["rounds"]
        for name, pid in pids.items()
    }
    return Run(rate, result, cpu | {"load": result["cpu_ms_per_round"]})


@contextmanager
def _processors(environment: dict[str, str]) -> Iterator[dict[str, "subprocess.Popen[bytes]"]]:
    """The four processors, ready."""
    processes, ports = {}, {}
    with (HOME / "processors.log").open("ab") as log:
        try:
            for owner in OWNERS:
                ports[owner] = free_port()
                own = environment | {"PITLEDGER_HTTP_PORT": str(ports[owner])}
                command = [sys.executable, "-m", f"services.{owner}"]
                processes[owner] = subprocess.Popen(
                    command, cwd=ROOT, env=own, stdout=log, stderr=log
                )
            for port in ports.values():
                _wait_until_ready(port)
            yield processes
        finally:
            for process in processes.values():
                process.terminate()
            for process in processes.values():
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()


def _wait_until_ready(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.2)
    sys.exit(f"bench: a processor is not ready; see {HOME / 'processors.log'}")


def _command(environment: dict[str, str], *words: str) -> None:
    pitledger = Path(sys.executable).with_name("pitledger")
    subprocess.run([pitledger, *words], env=environment, check=True, stdout=subprocess.DEVNULL)


def _cpu_seconds(pid: int) -> float:
    """User and system time of a process, all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
