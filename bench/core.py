"""Rounds a second: simulate, replay, adjudicate; beside them what else is there.

The contestants run in turn, A B C D E A B ..., so that a machine that speeds up or slows down does
so for all. Each prints its own seconds, without the start of its interpreter.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench.environment import HOME, ROOT, rivals_python
from bench.figures import spread


def run_core(rounds: int, runs: int) -> None:
    """Measure and print."""
    HOME.mkdir(parents=True, exist_ok=True)
    ours, rivals = Path(sys.executable), rivals_python()
    journal, descriptions = HOME / "bench.journal", HOME / "rounds.jsonl"
    prepared = _run(_contestant(ours, "prepare", rounds, journal, descriptions))
    events = round(prepared["records"] / prepared["rounds"])
    commands = {
        "simulate": _contestant(ours, "simulate", rounds, HOME / "again.journal"),
        "replay": _contestant(ours, "replay", journal),
        "adjudicate --jsonl": _contestant(ours, "adjudicate", descriptions),
        "eventsourcing, fold": _contestant(rivals, "eventsourcing_fold", events),
        "PokerKit, six-handed": _contestant(rivals, "pokerkit_hands"),
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


def _contestant(python: Path, name: str, *arguments: object) -> list[str]:
    return [str(python), "-m", f"bench.contestants.{name}", *map(str, arguments)]


def _run(words: Sequence[str]) -> dict[str, float]:
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"bench: {' '.join(words)} failed\n{done.stderr}")
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result
