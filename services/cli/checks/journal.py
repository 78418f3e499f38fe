"""What waits on a journal, and why: the same fold as everybody's, asked what is not there."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pitledger.cases.journal import FACT_TYPES
from pitledger.engine import BUILD_HEADER
from pitledger.journal.ids import decision_id
from pitledger.journal.record import (
    CASE_DECISION_TYPES,
    DECISION_TYPES,
    TYPE_BYTES,
    JournalRecord,
    Stored,
)
from pitledger.processors.chain import Decision
from pitledger.replay import OPEN, Replay, RoundReport
from pitledger.words import hold, hold_broken, moment, no_fact
from services.cli.checks.finding import Finding, ago

_DAY_CHARACTERS = 10


@dataclass(frozen=True, slots=True)
class _Foreign:
    """A decision that the facts do not derive: by whom it says to be, and where it lies."""

    by: str
    offset: int


@dataclass(frozen=True, slots=True)
class Start:
    """A ProcessorStarted: when (broker time, ms), which processor, build, instance."""

    at: int
    processor: str
    build: str
    instance: str


class JournalCheck:
    """Takes records, each partition's in order; then says what waits.

    `build`: this one's name. `live`: it is Kafka's journal, which has a quarantine.
    """

    def __init__(self, partitions: int, build: str, live: bool) -> None:
        self.ends: Counter[int] = Counter()
        self.records = 0
        self.newest_ms = 0
        self.starts: dict[tuple[str, str], Start] = {}
        self.writers: dict[tuple[str, str], int] = {}
        """Processor and build, as decisions say that were recorded as derived: when last (ms)."""
        self.case_answers_due: set[str] = set()
        """Ids, by what headers say of facts of cases; not every such fact is to be answered."""
        self._build = build
        self._live = live
        self._replay = Replay(partitions)
        self._foreign: dict[str, _Foreign] = {}
        self._foreign_by: Counter[str] = Counter()
        self._no_facts: Counter[str] = Counter()

    def take(self, stored: Stored) -> None:
        """Fold one record."""
        note = self._replay.take(stored)
        self.records += 1
        self.ends[stored.partition] = stored.offset + 1
        self.newest_ms = max(self.newest_ms, stored.broker_time)
        kind = next((value for name, value in stored.headers if name == "ce_type"), b"")
        if kind in DECISION_TYPES:
            self._decision(stored, note)
        elif kind in FACT_TYPES or kind in CASE_DECISION_TYPES:
            self._of_case(stored, kind in FACT_TYPES)
        elif note.startswith("no fact: "):
            self._no_facts[note.removeprefix("no fact: ").partition(":")[0]] += 1
        elif kind == TYPE_BYTES["processor_started"]:
            self._started(stored)

    def findings(
        self, *, now_ms: int, patience_ms: int, old_ms: int, since: dict[int, int]
    ) -> Iterator[Finding]:
        """What waits at this time, and what else is to be told.

        `patience_ms`: so long a decision may be missing and only be on its way. `old_ms`: a round
        that is open for longer is old. `since`: of each partition the offset from which on rounds
        count; what was read before bears on them by its round numbers alone.
        """
        reports = [
            report
            for report in self._replay.reports(so_far=True)
            if report.first_offset >= since.get(report.partition, 0)
        ]
        day = _newest_day(reports)
        for report in reports:
            if report.unjudged:
                yield self._stuck(report, now_ms)
            else:
                yield from self._missing(report, now_ms, patience_ms)
                if report.state == OPEN:
                    yield from _old(report, now_ms, old_ms, day)
            yield from _breaches(report)
        for held in self._replay.holds.in_force():
            do = (
                "find out what it is about; then: pitledger hold release TABLE --held ID --reason"
                " ... --by ..."
            )
            yield Finding("held", f"table {held.table_id} is {hold(held)}", do,
                          table=held.table_id, since_ms=held.since_us // 1000,
                          detail=held.event_id)
        yield from self._told()

    def _stuck(self, report: RoundReport, now_ms: int) -> Finding:
        assert report.stuck_at is not None
        offset, at = report.stuck_at
        if report.stack:
            kind = "blocked"
            why = (
                f"this build ({self._build}) fails on it at {report.partition}:{offset}:"
                f" {report.unjudged}"
            )
            do = (
                "nothing is lost, and other rounds go on: keep the stack (--json), mend the build"
                " and start it; it derives these rounds whole"
            )
        else:
            kind = "unknown_version"
            version = report.opened.round_opened.adjudication_version
            why = f"this build ({self._build}) does not know adjudication version {version}"
            do = "start processors of a build that knows it (docs/upgrades.md); they judge it whole"
        text = f"{_named(report)} is not judged since {_since(at, now_ms)}: {why}"
        return _of(report, kind, text, do, offset=offset, since_ms=at, detail=report.stack)

    def _missing(
        self, report: RoundReport, now_ms: int, patience_ms: int
    ) -> Iterator[Finding]:
        """Of what is missing, what nothing but its owner keeps: the others wait for it."""
        ids = {decision.event_id for decision in report.missing}
        by_owner: dict[str, list[tuple[int, Decision]]] = {}
        for decision, since in zip(report.missing, report.missing_since, strict=True):
            if now_ms - since < patience_ms or not ids.isdisjoint(decision.gates):
                continue
            if decision.event_id in self._foreign:
                yield self._other_stands_there(report, decision, since, now_ms)
            else:
                by_owner.setdefault(decision.owner, []).append((since, decision))
        for owner, lacking in by_owner.items():
            since = lacking[0][0]
            kinds = Counter(_kind(decision) for _, decision in lacking)
            what = " and ".join(f"{n} {kind}" if n > 1 else kind for kind, n in kinds.items())
            text = f"{_named(report)}: {what} by {owner} missing since {_since(since, now_ms)}"
            do = (
                f"see whether {owner} runs and is ready (/healthz, its log), and start it; what is"
                " missing is written then"
            )
            shut = _shut(report, {decision.event_id for _, decision in lacking})
            yield _of(report, "missing", text + shut, do, owner=owner, since_ms=since,
                      detail=lacking[0][1].event_id)

    def _other_stands_there(
        self, report: RoundReport, decision: Decision, since: int, now_ms: int
    ) -> Finding:
        foreign = self._foreign[decision.event_id]
        text = (
            f"{_named(report)}: {_kind(decision)} by {decision.owner} missing since"
            f" {_since(since, now_ms)}{_shut(report, {decision.event_id})}; what stands there at"
            f" {report.partition}:{foreign.offset}, by {foreign.by}, is not what the facts derive"
        )
        do = (
            "two builds derive other bytes, or somebody forged one: find the build that is wrong"
            " (pitledger replay ROUND) and stop it; it resolves itself when one remains"
        )
        return _of(report, "missing", text, do, owner=decision.owner, since_ms=since,
                   offset=foreign.offset, detail=decision.event_id)

    def _told(self) -> Iterator[Finding]:
        for by, count in sorted(self._foreign_by.items()):
            do = "they changed nothing; who may write to the journal?"
            if self._live:
                do += " (pitledger quarantine list)"
            text = f"by {by}: {_counted(count, 'decision')} that the facts do not derive so"
            yield Finding("foreign", text, do, waits=False, detail=by)
        for code, count in sorted(self._no_facts.items()):
            text = f"{_counted(count, 'record')} that changed nothing: {no_fact(code)}"
            do = "see pitledger quarantine list" if self._live else ""
            yield Finding("no_fact", text, do, waits=False, detail=code)

    def _decision(self, stored: Stored, note: str) -> None:
        attributes = {name: value.decode(errors="replace") for name, value in stored.headers}
        source, build = attributes.get("ce_source", ""), attributes.get(BUILD_HEADER, "")
        if note == "":
            if build:
                self.writers[source, build] = stored.broker_time
        elif note == "foreign":
            by = (source or "nobody named") + (f" (build {build})" if build else "")
            self._foreign_by[by] += 1
            self._foreign.setdefault(attributes.get("ce_id", ""), _Foreign(by, stored.offset))

    def _of_case(self, stored: Stored, is_fact: bool) -> None:
        attributes = {name: value.decode(errors="replace") for name, value in stored.headers}
        own_id = attributes.get("ce_id", "")
        if is_fact:
            table_id = stored.key.decode(errors="replace")
            answer_id = decision_id(table_id, attributes.get("ce_subject", ""), "answer", own_id)
            self.case_answers_due.add(answer_id)
        else:
            self.case_answers_due.discard(own_id)

    def _started(self, stored: Stored) -> None:
        fact = JournalRecord.FromString(stored.value).processor_started
        start = Start(stored.broker_time, fact.processor, fact.build, fact.instance)
        self.starts[fact.processor, fact.instance] = start


def _old(report: RoundReport, now_ms: int, old_ms: int, day: str) -> Iterator[Finding]:
    opened = report.opened.round_opened
    at = report.opened.occurred_at // 1000
    earlier = opened.gaming_day < day
    if not earlier and now_ms - at < old_ms:
        return
    why = f", of the gaming day {opened.gaming_day}, and {day} has begun" if earlier else ""
    do = (
        "end it at the table's console (RoundClosed, VoidOrdered, or TableClosed that names it);"
        " the table's next RoundOpened ends it too"
    )
    text = f"{_named(report)} is open since {_since(at, now_ms)}{why}"
    yield _of(report, "old_round", text, do, since_ms=at)


def _breaches(report: RoundReport) -> Iterator[Finding]:
    for breach in report.breaches:
        do = "the round counts, a hold changes no decision: ask who opened or closed it"
        text = f"{_named(report)} was {hold_broken(breach)}"
        yield _of(report, "hold_broken", text, do, waits=False, detail=breach.event_id)


def _shut(report: RoundReport, ids: set[str]) -> str:
    """Whose gates these missing decisions keep shut."""
    shut = sorted({other.owner for other in report.missing if not ids.isdisjoint(other.gates)})
    return f"; {' and '.join(shut)} {'wait' if len(shut) > 1 else 'waits'} for it" if shut else ""


def _newest_day(reports: list[RoundReport]) -> str:
    """The gaming day of the round that opened last; "" if none has one."""
    newest = max(reports, key=lambda report: report.opened.occurred_at, default=None)
    day = newest.opened.round_opened.gaming_day if newest else ""
    return day if len(day) == _DAY_CHARACTERS else ""


def _of(report: RoundReport, kind: str, text: str, do: str, **more: Any) -> Finding:
    """A finding about a round."""
    return Finding(
        kind, text, do, table=report.table_id, round_id=report.round_id,
        partition=report.partition, **more,
    )


def _named(report: RoundReport) -> str:
    number = report.opened.round_opened.round_number
    return f"{report.table_id}/{number} ({report.round_id})"


def _kind(decision: Decision) -> str:
    return TYPE_BYTES[decision.body].decode().rpartition(".")[2]


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _since(at_ms: int, now_ms: int) -> str:
    return f"{moment(1000 * at_ms)} ({ago(now_ms - at_ms)})"
