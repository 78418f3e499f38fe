"""Rounds a second: simulate, replay, adjudicate; beside them what else is there.

The contestants run in turn, A B C D E A B ..., so that a machine that speeds up or slows down does
so for all. Each prints its own seconds, without the start of its interpreter.
"""

import json
import subprocess
import sys
import venv
from pathlib import Path
from statistics import median

from bench.figures import spread

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / ".run" / "bench"
LOCK = ROOT / "bench" / "requirements.lock"
CONTESTANTS = ROOT / "bench" / "contestants"


def run_core(rounds: int, runs: int) -> None:
    """Measure and print."""
    HOME.mkdir(parents=True, exist_ok=True)
    rival_python = _rivals_environment()
    journal, descriptions = HOME / "bench.journal", HOME / "rounds.jsonl"
    prepared = _run([sys.executable, CONTESTANTS / "prepare.py", rounds, journal, descriptions])
    events = round(prepared["records"] / prepared["rounds"])
    commands = {
        "simulate": [sys.executable, CONTESTANTS / "simulate.py", rounds, HOME / "again.journal"],
        "replay": [sys.executable, CONTESTANTS / "replay.py", journal],
        "adjudicate --jsonl": [sys.executable, CONTESTANTS / "adjudicate.py", descriptions],
        "eventsourcing, fold": [rival_python, CONTESTANTS / "eventsourcing_fold.py", events],
        "PokerKit, six-handed": [rival_python, CONTESTANTS / "pokerkit_hands.py"],
    }
    figures: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            figures[name].append(_run(command))
    _print(figures, events, runs)


def _print(figures: dict[str, list[dict[str, float]]], events: int, runs: int) -> None:
    print(f"\n{events} journal records a round on average; {runs} runs, in turn.")
    print("simulate, replay (on all cores) and adjudicate: the commands as typed, their start")
    print("included; the rivals: one process, without its start")
    print("rounds per second: min / median / max\n")
    rates = {
        name: [result["rounds"] / result["seconds"] for result in results]
        for name, results in figures.items()
    }
    for name, values in rates.items():
        cpu = median(1000 * result["cpu"] / result["rounds"] for result in figures[name])
        print(f"  {name:<22} {spread(values):>28}   {cpu:6.3f} ms CPU a round")
    for name, rival in (
        ("simulate", "PokerKit, six-handed"),
        ("replay", "eventsourcing, fold"),
    ):
        ratios = [a / b for a, b in zip(rates[name], rates[rival], strict=True)]
        print(f"  {name} / {rival}: {spread(ratios, 2)} times, run by run")


def _run(command: list[object]) -> dict[str, float]:
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"bench: {' '.join(words)} failed\n{done.stderr}")
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def _rivals_environment() -> Path:
    """The rivals' own Python, made once for each version of their lock file."""
    home = HOME / "rivals"
    ready, python = home / "ready", home / "bin" / "python"
    if not ready.exists() or ready.read_text() != LOCK.read_text():
        venv.create(home, with_pip=True, clear=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--require-hashes", "-r", str(LOCK)], check=True)
        ready.write_text(LOCK.read_text())
    return python
