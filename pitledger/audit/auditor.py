"""The audit: a journal alone, read once, against what the auditor derives from its facts.

A round is held while it is open and until all its decisions are on the journal as derived; then
nothing is kept of it but a short hash of each decision, so that a late copy is told from a forgery.
An auditor that reads for weeks has a `Witness`, which is told what is found instead of a report at
the end, keeps the hashes of rounds lately over only, and forgets old round numbers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from google.protobuf.message import DecodeError

from pitledger.audit.conservation import unsound
from pitledger.audit.due import Due
from pitledger.audit.finding import LISTED, Finding, Witness
from pitledger.audit.opening import FRESH_MS, Openings
from pitledger.audit.reading import (
    NoFact,
    claims_to_be_decision,
    read_fact,
    speaks_of_a_case,
)
from pitledger.audit.round import Round
from pitledger.audit.shapes import difference, said
from pitledger.audit.vocabulary import of_version
from pitledger.journal.ids import is_fact_id, time_of_fact_id
from pitledger.journal.record import Stored
from pitledger.pb import decisions_pb2 as decisions
from pitledger.pb.journal_pb2 import JournalRecord

KNOWN_VERSIONS = (1,)
"""Adjudication versions that are worked out here a second time."""

_Key = tuple[str, str]  # table, round


@dataclass(frozen=True, slots=True)
class TableMoney:
    """Money of a table's rounds in one currency, in minor units; the three nets sum to zero."""

    table_id: str
    currency: str
    rounds_settled: int = 0
    rounds_voided: int = 0
    staked: int = 0
    returned: int = 0
    positions_net: int = 0
    house_net: int = 0
    pot_net: int = 0


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What the journal says and whether it holds.

    `findings` are faults; `foreign` are decisions that no fact justifies, which changed nothing;
    `listed` are messages that are no facts, and rounds of a version not known here.
    """

    counts: dict[str, int]
    findings: tuple[Finding, ...]
    foreign: tuple[Finding, ...]
    listed: tuple[Finding, ...]
    open_rounds: tuple[tuple[str, str], ...]
    tables: tuple[TableMoney, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing was found that is wrong."""
        return not self.findings


def audit(records: Iterable[Stored], partitions: int, *, complete: bool = True) -> AuditReport:
    """Audit a journal: records of all partitions, each partition's in the order of its offsets.

    `complete=False` is for a journal that is still being written: a decision that is not there
    yet is then counted as pending, not found missing. A round that is open is open in either case.
    """
    auditor = Auditor(partitions)
    for stored in records:
        auditor.read(stored)
    return auditor.report(complete=complete)


@dataclass(slots=True)
class _Held:
    """A round whose story is not over: what is due, what was seen, what was said instead."""

    round: Round
    due: dict[str, Due] = field(default_factory=dict)
    waits: dict[str, int] = field(default_factory=dict)
    """Decisions due and not seen, with the broker time (ms) of the fact that made them due."""
    seen: dict[str, bytes] = field(default_factory=dict)
    instead: dict[str, Finding] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    """Decisions that were said to be overdue."""
    unsettled_since: int = 0
    """Broker time (ms) at which its payout came due, or it ended without one; 0: neither."""


class Auditor:
    """Reads records one by one; `report` may be asked at any time.

    With a `witness` findings are told to it and not kept. `lately_over`: of how many rounds that
    are over the decisions are known again; None: of all. `forget_ms`: round numbers so much older
    than their table's newest are dropped; None: none. `since`: the broker time (ms) before which
    rounds are not judged, if the journal is not read from its beginning.
    """

    def __init__(
        self,
        partitions: int,
        *,
        witness: Witness | None = None,
        lately_over: int | None = None,
        forget_ms: int | None = None,
        since: int = 0,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._partitions = partitions
        self._witness = witness
        self._lately_over = lately_over
        self._forget_ms = forget_ms
        self.since = since
        self._next: dict[int, int] = {}
        self._openings: dict[str, Openings] = {}
        self._open: dict[str, _Held | None] = {}  # by table; None: a version not known here
        self._held: dict[_Key, _Held] = {}
        self._unjudged: dict[_Key, None] = {}
        self._finished: dict[_Key, bytes] = {}  # hashes of its decisions, joined
        self._found: list[Finding] = []
        self._money: dict[tuple[str, str], Counter[str]] = {}

    def read(self, stored: Stored) -> None:
        """Take the next record of its partition; one read before is passed over."""
        expected = self._next.get(stored.partition, stored.offset)
        if stored.offset < expected:
            self.counts["delivered_again"] += 1
            return
        if stored.offset > expected:
            text = f"offsets {expected} to {stored.offset - 1} are not there"
            place = stored.partition, stored.offset
            self._note(Finding("hole", "", "", *place, text))
        self._next[stored.partition] = stored.offset + 1
        self.counts["records"] += 1
        if claims_to_be_decision(stored):
            self._decision(stored)
            return
        try:
            record = read_fact(stored, self._partitions)
        except NoFact as reason:
            finding = _at(stored, "no_fact", str(reason))
            if (finding.table_id, finding.round_id) in self._unjudged:
                self.counts["facts_unjudged"] += 1  # perhaps a fact of that round's version
                return
            self.counts["no_facts"] += 1
            self._note(finding)
            return
        if record.WhichOneof("body") == "round_opened":
            self._opened(stored, record)
        else:
            self._fact(stored, record)

    def report(self, *, complete: bool = True) -> AuditReport:
        """What was found so far."""
        foreign = tuple(one for one in self._found if one.kind == "foreign")
        listed = tuple(one for one in self._found if one.kind in LISTED)
        findings = [one for one in self._found if one.kind not in ("foreign", *LISTED)]
        counts = Counter(self.counts)
        for held in self._held.values():
            if complete and held.round.ended:
                findings += [_absent(held, held.due[one]) for one in held.waits]
            else:
                counts["decisions_pending"] += len(held.waits)
        findings += self._unbalanced(counts)
        open_rounds = tuple(
            (table, held.round.round_id) for table, held in sorted(self._open.items()) if held
        )
        tables = tuple(
            TableMoney(table, currency, **money)
            for (table, currency), money in sorted(self._money.items())
        )
        return AuditReport(
            dict(sorted(counts.items())),
            tuple(findings),
            foreign,
            listed,
            open_rounds,
            tables,
        )

    # ---- For who reads for weeks ----

    def remember(self, stored: Stored) -> None:
        """Take a record of before the start: only the round numbers are noted."""
        self._next[stored.partition] = stored.offset + 1
        if claims_to_be_decision(stored):
            return
        with suppress(NoFact):
            record = read_fact(stored, self._partitions)
            if record.WhichOneof("body") == "round_opened":
                self._has_effect(stored, record)

    def overdue(self, before: Mapping[int, int]) -> int:
        """Tell the witness of each decision that is not there, due since before a broker time (ms),
        which is given for each partition.

        Returns how many rounds lack one now; each decision is told once.
        """
        lacking = 0
        for held in self._held.values():
            until = before[held.round.partition]
            lacking += next(iter(held.waits.values()), until) < until
            for event_id, since in held.waits.items():
                if since >= until:
                    break
                if event_id not in held.told:
                    held.told.add(event_id)
                    self._note(_absent(held, held.due[event_id]))
        return lacking

    def holds(self) -> int:
        """How many rounds are open, or over and lacking a decision."""
        return len(self._held)

    def unsettled_since(self) -> int:
        """The broker time (ms) since which the oldest unsettled round waits; 0: none does.

        A round waits from when its payout is due, or from its end if none was, to its outcome and
        whatever else it lacks.
        """
        waiting = [held.unsettled_since for held in self._held.values() if held.unsettled_since]
        return min(waiting, default=0)

    def unbalanced(self) -> list[Finding]:
        """`count` where the numbers of rounds do not add up, `unsound` where the money does not."""
        return list(self._unbalanced(Counter(self.counts)))

    def is_over(self, table_id: str, round_id: str) -> bool:
        """Whether a round is one of those lately over."""
        return (table_id, round_id) in self._finished

    # ---- Facts ----

    def _opened(self, stored: Stored, record: JournalRecord) -> None:
        self.counts["facts"] += 1
        table = record.table_id
        if not self._has_effect(stored, record):
            self.counts["without_effect"] += 1
            return
        before = self._open.pop(table, None)
        if before is not None:
            self._note_due(stored, before, before.round.overtaken(stored, record))
        version = record.round_opened.adjudication_version
        if version not in KNOWN_VERSIONS:
            self.counts["rounds_unjudged"] += 1
            self._unjudged[table, record.round_id] = None
            self._bound(self._unjudged)
            self._note(_at(stored, "unjudged", f"adjudication version {version}"))
            self._open[table] = None
            return
        self.counts["rounds_opened"] += 1
        held = _Held(Round(stored, record))
        self._open[table] = self._held[table, record.round_id] = held
        if self._witness is not None:
            self._witness.opened(held.round)

    def _has_effect(self, stored: Stored, opened: JournalRecord) -> bool:
        """Whether a RoundOpened has effect, which is noted in either case."""
        openings = self._openings.setdefault(opened.table_id, Openings())
        if self._forget_ms is not None:
            openings.forget(stored.broker_time - self._forget_ms)
        return openings.has_effect(opened, stored.broker_time)

    def _fact(self, stored: Stored, record: JournalRecord) -> None:
        held = self._open.get(record.table_id)
        if held is None or record.round_id != held.round.round_id or not held.round.takes(record):
            self.counts["facts"] += 1
            self.counts["without_effect"] += 1
            return
        if not of_version(record, held.round.version):
            self.counts["no_facts"] += 1
            text = f"it holds what version {held.round.version} does not know"
            self._note(_at(stored, "no_fact", text))
            return
        self.counts["facts"] += 1
        due = held.round.fact(stored, record)
        if held.round.ended:
            del self._open[record.table_id]
        self._note_due(stored, held, due)

    def _note_due(self, stored: Stored, held: _Held, due: list[Due]) -> None:
        for one in due:
            held.due[one.event_id] = one
            held.waits[one.event_id] = stored.broker_time
            self.counts["decisions_due"] += 1
        if not due and not held.round.ended:
            return
        if not (held.round.ended or held.round.payout_is_due):
            held.unsettled_since = 0
        elif not held.unsettled_since:
            held.unsettled_since = stored.broker_time
        if held.round.ended:
            self.counts[f"rounds_ended_{held.round.ended}"] += 1

    # ---- Decisions ----

    def _decision(self, stored: Stored) -> None:
        self.counts["decisions"] += 1
        headers = dict(stored.headers)
        event_id = headers.get("ce_id", b"").decode("utf-8", "replace")
        round_id = headers.get("ce_subject", b"").decode("utf-8", "replace")
        digest = blake2b(stored.value, digest_size=8, key=event_id.encode()[:64]).digest()
        place = stored.key.decode("utf-8", "replace"), round_id
        held = self._held.get(place)
        if held is None and speaks_of_a_case(stored):
            self.counts["decisions_of_cases"] += 1
            return
        if held is None:
            self._decision_of_no_held_round(stored, place, digest)
            return
        due = held.due.get(event_id)
        if due is None:
            self._count_foreign(stored, "no fact before it makes it due")
            return
        if held.seen.get(event_id) == digest:
            self.counts["decisions_doubled"] += 1
            return
        fault = _fault(stored, held.round, due)
        if fault:
            held.instead[event_id] = self._count_foreign(stored, fault)
        elif event_id in held.seen:
            text = "says the same in other bytes than an earlier record with this id"
            self._note(_at(stored, "two_versions", text))
        else:
            self._seen(stored, held, due, digest)

    def _decision_of_no_held_round(self, stored: Stored, place: _Key, digest: bytes) -> None:
        known = self._finished.get(place, b"")
        if digest in [known[start : start + 8] for start in range(0, len(known), 8)]:
            self.counts["decisions_doubled"] += 1
        elif place in self._unjudged:
            self.counts["decisions_unjudged"] += 1
        elif known:
            self._count_foreign(stored, "differs from what its finished round recorded")
        elif self._is_of_before(place[1]):
            self.counts["decisions_of_before"] += 1
        elif self._lately_over is None:
            self._count_foreign(stored, "its round was never opened")
        else:
            self._count_foreign(stored, "its round was never opened, or is over for long")

    def _is_of_before(self, round_id: str) -> bool:
        """Whether a round that did not open here may have opened before the start."""
        if not self.since:
            return False
        return is_fact_id(round_id) and time_of_fact_id(round_id) < self.since + FRESH_MS

    def _count_foreign(self, stored: Stored, text: str) -> Finding:
        finding = _at(stored, "foreign", text)
        self.counts["decisions_foreign"] += 1
        self._note(finding)
        return finding

    def _seen(self, stored: Stored, held: _Held, due: Due, digest: bytes) -> None:
        self.counts["decisions_seen"] += 1
        early = [one for one in due.after if one not in held.seen]
        if early:
            text = f"{due.body} stands before {held.due[early[0]].body}, on which it builds"
            self._note(_at(stored, "out_of_turn", text))
        held.seen[due.event_id] = digest
        del held.waits[due.event_id]
        record = JournalRecord.FromString(stored.value)
        for text in unsound(record, held.round.circles):
            self._note(_at(stored, "unsound", text))
        if due.body in ("round_settled", "round_voided"):
            self.counts[due.body.replace("round_", "rounds_")] += 1
            self._book(held.round, due.body, record)
        if self._witness is not None:
            self._witness.seen(held.round, due, record)
        if held.round.ended and not held.waits:
            self._finished[held.round.table_id, held.round.round_id] = b"".join(held.seen.values())
            self._bound(self._finished)
            del self._held[held.round.table_id, held.round.round_id]

    def _bound(self, over: dict[_Key, Any]) -> None:
        if self._lately_over is not None and len(over) > self._lately_over:
            del over[next(iter(over))]

    def _note(self, finding: Finding) -> None:
        if self._witness is not None:
            self._witness.found(finding)
        else:
            self._found.append(finding)

    # ---- Money and counts ----

    def _book(self, story: Round, body: str, record: JournalRecord) -> None:
        totals: decisions.Totals = getattr(record, body).totals
        money = self._money.setdefault((story.table_id, story.currency), Counter())
        money[body.replace("round_", "rounds_")] += 1
        money["staked"] += totals.staked_minor
        money["returned"] += totals.returned_minor
        money["positions_net"] += totals.positions_net_minor
        money["house_net"] += totals.house_net_minor
        money["pot_net"] += totals.pot_net_minor

    def _unbalanced(self, counts: Counter[str]) -> Iterator[Finding]:
        """Rounds opened = settled + voided + open + ended with their outcome not yet recorded."""
        waiting = sum(
            1
            for held in self._held.values()
            if held.round.ended and not any(_is_outcome(held, one) for one in held.seen)
        )
        counts["rounds_open"] = sum(1 for held in self._open.values() if held)
        counts["rounds_without_outcome"] = waiting
        ended = counts["rounds_settled"] + counts["rounds_voided"] + waiting
        if counts["rounds_opened"] != ended + counts["rounds_open"]:
            text = f"{counts['rounds_opened']} rounds opened, {ended} ended"
            yield Finding("count", "", "", 0, 0, text)
        nets = [
            money["positions_net"] + money["house_net"] + money["pot_net"]
            for money in self._money.values()
        ]
        if any(nets):
            yield Finding("unsound", "", "", 0, 0, f"the run's money sums to {sum(nets)}")


_ENVELOPE = ("event_id", "table_id", "round_id", "case_id", "causation_id", "occurred_at", "source",
             "actor", "table_seq", "key", "partition", "ce_type")


def _fault(stored: Stored, story: Round, due: Due) -> str:
    """Why a record with the id of a decision that is due is not that decision; "" if it is."""
    try:
        record = JournalRecord.FromString(stored.value)
    except DecodeError:
        return "its bytes are no journal record"
    body = record.WhichOneof("body") or "nothing"
    if body != due.body:
        return f"is {body}, should be {due.body}"
    says = (
        record.event_id,
        record.table_id,
        record.round_id,
        record.case_id,
        record.causation_id,
        record.occurred_at,
        record.source,
        record.actor,
        record.table_seq,
        stored.key,
        stored.partition,
        dict(stored.headers).get("ce_type"),
    )
    should = (
        due.event_id,
        story.table_id,
        story.round_id,
        "",
        due.cause_id,
        due.occurred_at,
        due.source,
        "",
        0,
        story.table_id.encode(),
        story.partition,
        f"pitledger.v1.{getattr(record, body).DESCRIPTOR.name}".encode(),
    )
    for name, one, other in zip(_ENVELOPE, should, says, strict=True):
        if one != other:
            return difference(one, other, name)
    return difference(due.shape, said(record), body)


def _is_outcome(held: _Held, event_id: str) -> bool:
    return held.due[event_id].body in ("round_settled", "round_voided")


def _absent(held: _Held, due: Due) -> Finding:
    story = held.round
    other = held.instead.get(due.event_id)
    if other is not None:
        text = f"{due.body}: {other.text}"
        place = other.partition, other.offset
        return Finding("differs", story.table_id, story.round_id, *place, text, due.event_id)
    place = story.partition, due.offset
    text = f"{due.body} is due from this fact on and is not on the journal"
    return Finding("missing", story.table_id, story.round_id, *place, text, due.event_id)


def _at(stored: Stored, kind: str, text: str) -> Finding:
    headers = dict(stored.headers)
    event_id = headers.get("ce_id", b"").decode("utf-8", "replace")
    subject = headers.get("ce_subject", b"").decode("utf-8", "replace")
    table = stored.key.decode("utf-8", "replace")
    return Finding(kind, table, subject, stored.partition, stored.offset, text, event_id)
