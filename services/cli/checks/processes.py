"""What the processes themselves say: their `/status`."""

import json
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from services.cli.checks.finding import Finding
from services.cli.output import fail

TIMEOUT_S = 5
NO_STATUS = "answers, but has no /status as the four processors have"
_STUCK = {"round_blocked": "blocked", "unknown_version": "unknown_version"}


@dataclass(frozen=True, slots=True)
class Process:
    """A process by its URL; `state` is its status, None where it did not answer as one does."""

    url: str
    state: dict[str, Any] | None
    problem: str = ""

    @property
    def name(self) -> str:
        assert self.state is not None
        return f"{self.state['processor']} on {self.state['instance']}"

    @property
    def build(self) -> str:
        assert self.state is not None
        return str(self.state["build"])


def ask(url: str) -> Process:
    """The status of the process at `http://HOST:PORT`; Failed for what is no such URL."""
    if not url.startswith(("http://", "https://")):
        fail(f"--processors {url}: is no URL; give http://HOST:PORT")
    try:
        with urllib.request.urlopen(url.rstrip("/") + "/status", timeout=TIMEOUT_S) as answer:
            state = json.loads(answer.read())
        return Process(url, state) if _is_status(state) else _no_status(url)
    except urllib.error.HTTPError:
        return _no_status(url)
    except urllib.error.URLError as error:
        return Process(url, None, f"does not answer: {error.reason}")
    except ValueError:
        return _no_status(url)
    except OSError as error:
        return Process(url, None, f"does not answer: {error}")


def findings(processes: list[Process]) -> Iterator[Finding]:
    """What does not answer, is not ready, has a hole, or judges some rounds not."""
    for process in processes:
        if process.state is None:
            do = "see whether the process runs, and what its log says last"
            if process.problem == NO_STATUS:
                do = "give http://HOST:PORT of a processor; of an auditor see /healthz and /metrics"
            yield Finding("unreachable", f"{process.url} {process.problem}", do)
            continue
        if not process.state["ready"]:
            yield Finding("not_ready", f"{process.name} ({process.url}) is not ready",
                          "see the reason in its /healthz")
        for partition in process.state["partitions"]:
            if partition["hole"]:
                hole = partition["hole"]
                text = (
                    f"{process.name} does not get offset {hole['offset']} of partition"
                    f" {partition['partition']} since {hole['age_s']} s"
                )
                yield Finding("hole", text, "it ends by itself if that lasts, and starts afresh",
                              partition=partition["partition"], offset=hole["offset"])
    yield from _stuck(processes)
    yield from _builds(processes)


def _stuck(processes: list[Process]) -> Iterator[Finding]:
    """Each round once, with all processes that do not judge it."""
    by_round: dict[tuple[str, str, str], list[tuple[Process, dict[str, Any]]]] = defaultdict(list)
    for process in processes:
        for stuck in process.state["stuck"] if process.state else ():
            by_round[stuck["kind"], stuck["table"], stuck["round_id"]].append((process, stuck))
    for (kind, table, round_id), seen in by_round.items():
        builds = sorted({process.build for process, _ in seen})
        names = ", ".join(process.name for process, _ in seen)
        first = seen[0][1]
        why = first["why"] or "its adjudication version is not known there"
        yield Finding(
            _STUCK.get(kind, kind),
            f"{table}, round {round_id}: not judged by {names} (build {', '.join(builds)}), from"
            f" {first['partition']}:{first['offset']} on: {why}",
            "start a build that judges it; it derives the round whole",
            table=table, round_id=round_id, partition=first["partition"], offset=first["offset"],
            detail=first["stack"],
        )


def _builds(processes: list[Process]) -> Iterator[Finding]:
    by_build: dict[str, list[str]] = defaultdict(list)
    for process in processes:
        if process.state is not None:
            by_build[process.build].append(process.name)
    if len(by_build) > 1:
        told = "; ".join(f"{build}: {', '.join(names)}" for build, names in by_build.items())
        yield Finding("builds_differ", f"{len(by_build)} builds run: {told}",
                      "let one remain when the upgrade is done", waits=False)


def _is_status(state: Any) -> bool:
    wanted = {"processor", "build", "instance", "ready", "partitions", "stuck", "stuck_rounds"}
    return isinstance(state, dict) and wanted <= set(state)


def _no_status(url: str) -> Process:
    return Process(url, None, NO_STATUS)
