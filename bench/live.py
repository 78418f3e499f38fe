"""The live path on Apache Kafka: four processes, a broker and the load on this one machine.

Six positions a table, automated shoe, 100 tables; one process a processor. The same engine runs in
our own shell and in its rivals', in turn, A B C A B C, each time on a broker of its own. CPU is the
kernel's account of each process. Each run's journal is judged by replay and audit.
"""

from collections.abc import Sequence

from bench.figures import spread
from bench.run import LATENCIES, Run, measure
from bench.shells import Shell
from services.broker.apache import why_not

STEADY = (50, 100)
CLIMB = (150, 175, 200, 225, 250, 275, 300)
CLIMB_QUICK = (150, 200, 300)
WARMUP_S, WARMUP_QUICK_S = 15, 5
_WIDTH = 30


def run_live(shells: Sequence[Shell], runs: int, seconds: float, *, quick: bool) -> None:
    """Measure and print."""
    missing = why_not()
    if missing:
        print(f"\nlive path: skipped: {missing}")
        return
    warmup = WARMUP_QUICK_S if quick else WARMUP_S
    print("\nLive path on Apache Kafka: 100 tables of six positions, automated shoe; windows of")
    print(f"{seconds:g} s after {warmup} s; broker, processes and load on this machine")
    for shell in shells:
        print(f"  {shell.name:<10} {shell.what}")
    reached: dict[str, Run] = {}
    for rate in STEADY:
        found: dict[str, list[Run]] = {shell.name: [] for shell in shells}
        for _ in range(runs):
            for shell in shells:
                found[shell.name].append(measure(rate, seconds, warmup, shell))
        _print_steady(rate, found)
        reached |= {name: each[-1] for name, each in found.items()}
    _climb(shells, CLIMB_QUICK if quick else CLIMB, seconds, warmup, reached)


def _climb(
    shells: Sequence[Shell],
    rates: Sequence[int],
    seconds: float,
    warmup: float,
    reached: dict[str, Run],
) -> None:
    """The highest rate that each keeps up, on the way up; `reached`: that of before."""
    print("\n  on the way up, one run each")
    best = {name: run for name, run in reached.items() if run.sustained}
    climbing = [shell for shell in shells if shell.name in best]
    for rate in rates:
        for shell in tuple(climbing):
            run = measure(rate, seconds, warmup, shell)
            note = "" if run.sustained else "   NOT sustained"
            print(f"    {rate:>4}/s {shell.name:<10} {run.line()}{note}", flush=True)
            if run.sustained:
                best[shell.name] = run
            else:
                climbing.remove(shell)
    print("\n  highest rate kept up, rounds/s")
    for shell in shells:
        if shell.name not in best:
            print(f"    {shell.name:<10} none of those tried")
            continue
        run, ours = best[shell.name], best.get(shells[0].name)
        note = ""
        if ours is not None and shell is not shells[0]:
            note = f"   {shells[0].name}: {ours.settled_per_s / run.settled_per_s:.2f} of it"
        print(f"    {shell.name:<10} {run.settled_per_s:6.1f}{note}")


def _print_steady(rate: int, found: dict[str, list[Run]]) -> None:
    runs = len(next(iter(found.values())))
    print(f"\n  {rate} rounds/s asked, {runs} runs each, in turn: min / median / max")
    _row("", found)
    settled = {name: [run.settled_per_s for run in each] for name, each in found.items()}
    _row("rounds/s settled", {name: spread(values) for name, values in settled.items()})
    for latency, text in LATENCIES.items():
        for index, rank in enumerate(("p50", "p99")):
            _row(
                f"{text}, {rank} ms",
                {
                    n: spread([run.latency[latency][index] for run in each], 0)
                    for n, each in found.items()
                },
            )
    for process in next(iter(found.values()))[0].cpu:
        _row(
            f"CPU ms a round, {process}",
            {n: spread([run.cpu[process] for run in each], 2) for n, each in found.items()},
        )
    for name, each in found.items():
        wrong = [run.wrong for run in each if run.wrong]
        verdict = wrong[0] if wrong else "all rounds identical in replay, no finding in the audit"
        print(f"    {name}: {verdict}", flush=True)


def _row(text: str, cells: dict[str, str] | dict[str, list[Run]]) -> None:
    shown = (f"{cell if isinstance(cell, str) else name:>{_WIDTH}}" for name, cell in cells.items())
    print(f"    {text:<52}{''.join(shown)}")
