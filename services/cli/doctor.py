"""`pitledger doctor`: what waits, why, and what to do about it."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.moments import utc
from services.cli.output import Failed, printable, say, say_json
from services.cli.source import PATIENCE_MS, From, Journal, Partitions, open_journal

if TYPE_CHECKING:
    from pitledger.journal.record import Stored
    from pitledger.sources.connection import Connection
    from services.cli.checks.finding import Finding
    from services.cli.checks.groups import Group
    from services.cli.checks.journal import JournalCheck
    from services.cli.checks.processes import Process

SHOWN_MAX = 10
COPIES_LOOKED_AT = 1000
HOUR_MS = 3_600_000


def doctor(
    source: From,
    processors: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", show_default=False,
                     help="Ask these processes too (http://HOST:PORT); may be given repeatedly."),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Read the whole journal, not only from where the processors"
                     " have all finished."),
    ] = False,
    hours: Annotated[
        int, typer.Option(min=1, max=100_000, metavar="N", help="A round open for longer is old.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partitions: Partitions = None,
) -> None:
    """Say what waits and why: rounds, tables, processes; and what to do.

    The facts are folded as every processor folds them. Of Kafka's journal that is read which some
    processor has not finished; holds that are older are listed by `hold list`.

    Exit 0: nothing waits; 1: something does; 2: bad input, or no broker.
    """
    from services.cli.checks.processes import ask

    asked = [ask(url) for url in processors or ()]
    journal = open_journal(source, partitions)
    if journal.connection is None:
        seen = _look_at_file(journal, hours)
    else:
        seen = _look_at_kafka(journal, journal.connection, everything, hours)
    seen.ask(asked)
    if as_json:
        say_json(seen.as_object())
    else:
        for line in seen.lines():
            say(printable(line))
    raise typer.Exit(1 if seen.waiting() else 0)


@dataclass(slots=True)
class _Seen:
    """What was looked at, and what was found."""

    check: "JournalCheck"
    whole: bool
    findings: "list[Finding]"
    groups: "list[Group]" = field(default_factory=list)
    copies: Counter[str] = field(default_factory=Counter)
    """Of the last copies in quarantine: how many have each reason."""
    processes: "list[Process]" = field(default_factory=list)

    def ask(self, processes: "list[Process]") -> None:
        """Add what processes say; a round that this build fails on as theirs does stands once."""
        from services.cli.checks.processes import findings
        from services.runtime.build import build

        self.processes = processes
        known = {(finding.kind, finding.round_id) for finding in self.findings}
        builds = {process.build for process in processes if process.state is not None}
        for finding in findings(processes):
            if (finding.kind, finding.round_id) not in known or builds != {build()}:
                self.findings.append(finding)

    def waiting(self) -> "list[Finding]":
        return [finding for finding in self.findings if finding.waits]

    def told(self) -> "list[Finding]":
        return [finding for finding in self.findings if not finding.waits]

    def as_object(self) -> dict[str, Any]:
        return {
            "read": {"records": self.check.records, "whole": self.whole},
            "waits": [finding.as_object() for finding in self.waiting()],
            "told": [finding.as_object() for finding in self.told()],
            "groups": [
                {
                    "processor": group.owner,
                    "group": group.name,
                    "members": group.members,
                    "committed": {str(p): at for p, at in sorted(group.committed.items())},
                    "behind": group.behind(self.check.ends),
                }
                for group in self.groups
            ],
            "builds": [
                {"processor": start.processor, "build": start.build, "instance": start.instance,
                 "since": utc(1000 * start.at)}
                for start in self.check.starts.values()
            ],
            "writers": [
                {"processor": processor, "build": build, "last": utc(1000 * at)}
                for (processor, build), at in sorted(self.check.writers.items())
            ],
            "processes": [
                {"url": process.url, "problem": process.problem, "status": process.state}
                for process in self.processes
            ],
            "quarantine": dict(self.copies),
        }

    def lines(self) -> Iterator[str]:
        from services.cli.checks.finding import lines

        where = "" if self.whole else " from where all processors had finished"
        yield f"{self.check.records:,} records read{where}"
        yield from self._running()
        told = self.told()
        if told:
            yield ""
            yield from lines(told, SHOWN_MAX)
        waiting = self.waiting()
        yield ""
        if waiting:
            yield f"WAITS: {len(waiting):,}"
            yield from lines(waiting, SHOWN_MAX)
        else:
            yield "nothing waits"

    def _running(self) -> Iterator[str]:
        """Groups, builds, processes, quarantine: a line each."""
        from pitledger.words import moment, no_fact

        for group in self.groups:
            behind = group.behind(self.check.ends)
            members = "members not known"
            if group.members is not None:
                members = ", ".join(group.members) or "nobody"
            yield f"{group.owner}: {members}; {behind:,} records above its commits"
        yield from self._started()
        for (processor, build), at in sorted(self.check.writers.items()):
            yield f"{processor} of build {build} wrote last {moment(1000 * at)}"
        for process in self.processes:
            if process.state is not None:
                lag = sum(partition["lag"] for partition in process.state["partitions"])
                yield (
                    f"{process.name}: build {process.build}, {len(process.state['partitions'])}"
                    f" partitions, {lag:,} records behind, {process.state['stuck_rounds']:,} rounds"
                    " not judged"
                )
        for code, count in self.copies.most_common():
            yield f"in quarantine lately, {count:,} times: {no_fact(code)}"

    def _started(self) -> Iterator[str]:
        """Of each processor the starts of those that may run; the rest is counted."""
        from pitledger.words import moment

        groups = {group.owner: group for group in self.groups}
        starts = sorted(self.check.starts.values(), key=lambda start: (start.processor, start.at))
        for processor, each in groupby(starts, key=lambda start: start.processor):
            own = list(each)
            running = {start.instance for start in own}
            if processor in groups:
                running = groups[processor].may_run([start.instance for start in own])
            for start in own:
                if start.instance in running:
                    yield (
                        f"{processor} started {moment(1000 * start.at)} as {start.instance}, build"
                        f" {start.build}"
                    )
            others = len(own) - len(running)
            if others:
                noun = "start" if others == 1 else "starts"
                yield f"{processor}: {others:,} other {noun} (--json has all)"


def _look_at_file(journal: Journal, hours: int) -> _Seen:
    """Everything; the file's last broker time is now, and nothing more comes."""
    check = _check(journal)
    for stored in journal.records():
        check.take(stored)
    found = check.findings(
        now_ms=check.newest_ms, patience_ms=0, old_ms=hours * HOUR_MS, since={}
    )
    cases = _cases(journal, check, now_ms=check.newest_ms, patience_ms=0)
    return _Seen(check, True, [*found, *cases])


def _look_at_kafka(
    journal: Journal, connection: "Connection", everything: bool, hours: int
) -> _Seen:
    from pitledger.sources.connection import ConnectionFailed
    from pitledger.sources.environment import SettingError
    from pitledger.sources.kafka import HoleInJournal
    from services.cli.checks import groups as group_checks
    from services.runtime.settings import OWNERS, Settings

    check = _check(journal)
    try:
        names = {owner: Settings.from_environment(owner).group for owner in OWNERS}
        groups = group_checks.read_groups(connection, names)
        start = None if everything else group_checks.lowest(groups, journal.partitions)
        for stored in _records(connection, start):
            check.take(stored)
    except (ConnectionFailed, HoleInJournal, SettingError) as error:
        raise Failed(str(error)) from None
    now_ms = time.time_ns() // 1_000_000
    found = check.findings(
        now_ms=now_ms, patience_ms=PATIENCE_MS, old_ms=hours * HOUR_MS, since=start or {}
    )
    cases = _cases(journal, check, now_ms=now_ms, patience_ms=PATIENCE_MS)
    findings = [*found, *cases, *group_checks.findings(groups, check.ends)]
    return _Seen(check, start is None, findings, groups, _copies(connection))


def _check(journal: Journal) -> "JournalCheck":
    from services.cli.checks.journal import JournalCheck
    from services.runtime.build import build

    return JournalCheck(journal.partitions, build(), journal.live)


def _cases(
    journal: Journal, check: "JournalCheck", *, now_ms: int, patience_ms: int
) -> "list[Finding]":
    """Of cases that an archive's index knows, of any age; else only where what was read has a fact
    without its answer: then the journal is read from its beginning.
    """
    from services.cli import case_view
    from services.cli.checks.cases import findings
    from services.cli.checks.finding import Finding
    from services.cli.sealed_cases import sealed_cases
    from services.cli.untrimmed import open_whole

    try:
        if not check.case_answers_due and sealed_cases(journal) is None:
            return []
        whole = open_whole("kafka", None) if journal.live else journal
        return list(findings(case_view.read(whole, None), now_ms, patience_ms))
    except Failed as problem:
        return [Finding("cases", f"cases cannot be looked at: {problem}")]


def _records(connection: "Connection", start: dict[int, int] | None) -> "Iterator[Stored]":
    from pitledger.sources.kafka import read_topic

    # The embedded broker looks nothing up by time, and keeps no yesterday.
    if start is None or connection.broker == "embedded":
        return read_topic(connection)
    return read_topic(connection, begins=partial(_with_memory, start))


def _with_memory(start: dict[int, int], consumer: Any, tps: list[Any]) -> Mapping[Any, int]:
    """Where the memory of round numbers begins, before each partition's start."""
    from pitledger.engine import LOOK_BACK_MS

    begins: dict[Any, int] = consumer.beginning_offsets(tps)
    behind = {tp: start[tp.partition] for tp in tps if start[tp.partition] > begins[tp]}
    times = _times_below(consumer, behind)
    consumer.assign(tps)
    since = {tp: max(0, at - LOOK_BACK_MS) for tp, at in times.items()}
    found = consumer.offsets_for_times(since) if since else {}
    return begins | {tp: min(behind[tp], at.offset) for tp, at in found.items() if at is not None}


def _times_below(consumer: Any, offsets: Mapping[Any, int]) -> dict[Any, int]:
    """Broker times (ms) of the records just below these offsets, of those that can be read.

    Lets go of these partitions.
    """
    from pitledger.sources.letting_go import let_go

    times: dict[Any, int] = {}
    for tp, offset in offsets.items():
        consumer.seek(tp, offset - 1)
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while len(times) < len(offsets) and time.monotonic() < deadline:
        for tp, messages in consumer.poll(timeout_ms=200).items():
            if tp in offsets and tp not in times and messages:
                times[tp] = messages[0].timestamp
                let_go(consumer, tp)
    return times


def _copies(connection: "Connection") -> Counter[str]:
    from services.cli.copies import read_copies

    return Counter(copy.code for copy in read_copies(connection, COPIES_LOOKED_AT))
