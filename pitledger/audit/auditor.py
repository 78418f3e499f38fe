"""The audit: a journal alone, read once, against what the auditor derives from its facts.

A round is held while it is open and until all its decisions are on the journal as derived; then
nothing is kept of it but a short hash of each decision, so that a late copy is told from a forgery.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

from google.protobuf.message import DecodeError

from pitledger.audit.conservation import unsound
from pitledger.audit.due import Due
from pitledger.audit.opening import Openings
from pitledger.audit.reading import NoFact, claims_to_be_decision, read_fact
from pitledger.audit.round import Round
from pitledger.audit.shapes import difference, said
from pitledger.journal.record import Stored
from pitledger.pb import decisions_pb2 as decisions
from pitledger.pb.journal_pb2 import JournalRecord

KNOWN_VERSION = 1

_Key = tuple[str, str]  # table, round


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the audit found, with the round and the record that it is about.

    Kinds that are wrong: missing, differs, two_versions, out_of_turn, unsound, hole, count.
    Kinds that are only listed: foreign, no_fact, unjudged.
    """

    kind: str
    table_id: str
    round_id: str
    partition: int
    offset: int
    text: str


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
    seen: dict[str, bytes] = field(default_factory=dict)
    instead: dict[str, Finding] = field(default_factory=dict)


class Auditor:
    """Reads records one by one; `report` may be asked at any time."""

    def __init__(self, partitions: int) -> None:
        self._partitions = partitions
        self._next: dict[int, int] = {}
        self._openings: dict[str, Openings] = {}
        self._open: dict[str, _Held | None] = {}  # by table; None: a version not known here
        self._held: dict[_Key, _Held] = {}
        self._unjudged: set[_Key] = set()
        self._finished: dict[_Key, bytes] = {}  # hashes of its decisions, joined
        self._counts: Counter[str] = Counter()
        self._findings: list[Finding] = []
        self._foreign: list[Finding] = []
        self._listed: list[Finding] = []
        self._money: dict[tuple[str, str], Counter[str]] = {}

    def read(self, stored: Stored) -> None:
        """Take the next record of its partition; one read before is passed over."""
        expected = self._next.get(stored.partition, stored.offset)
        if stored.offset < expected:
            self._counts["delivered_again"] += 1
            return
        if stored.offset > expected:
            text = f"offsets {expected} to {stored.offset - 1} are not there"
            place = stored.partition, stored.offset
            self._findings.append(Finding("hole", "", "", *place, text))
        self._next[stored.partition] = stored.offset + 1
        self._counts["records"] += 1
        if claims_to_be_decision(stored):
            self._decision(stored)
            return
        try:
            record = read_fact(stored, self._partitions)
        except NoFact as reason:
            self._counts["no_facts"] += 1
            self._listed.append(_at(stored, "no_fact", str(reason)))
            return
        self._counts["facts"] += 1
        if record.WhichOneof("body") == "round_opened":
            self._opened(stored, record)
        else:
            self._fact(stored, record)

    def report(self, *, complete: bool = True) -> AuditReport:
        """What was found so far."""
        findings = list(self._findings)
        counts = Counter(self._counts)
        for held in self._held.values():
            absent = [due for due in held.due.values() if due.event_id not in held.seen]
            if complete and held.round.ended:
                findings += [_absent(held, due) for due in absent]
            else:
                counts["decisions_pending"] += len(absent)
        tally = self._tally(counts)
        if tally:
            findings.append(Finding("count", "", "", 0, 0, tally))
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
            tuple(self._foreign),
            tuple(self._listed),
            open_rounds,
            tables,
        )

    # ---- Facts ----

    def _opened(self, stored: Stored, record: JournalRecord) -> None:
        table = record.table_id
        openings = self._openings.setdefault(table, Openings())
        if not openings.has_effect(record, stored.broker_time):
            self._counts["without_effect"] += 1
            return
        before = self._open.pop(table, None)
        if before is not None:
            self._note(before, before.round.overtaken(stored, record))
        if record.round_opened.adjudication_version != KNOWN_VERSION:
            self._counts["rounds_unjudged"] += 1
            self._unjudged.add((table, record.round_id))
            self._listed.append(_at(stored, "unjudged", "a version that is not known here"))
            self._open[table] = None
            return
        self._counts["rounds_opened"] += 1
        held = _Held(Round(stored, record))
        self._open[table] = self._held[table, record.round_id] = held

    def _fact(self, stored: Stored, record: JournalRecord) -> None:
        held = self._open.get(record.table_id)
        if held is None or record.round_id != held.round.round_id or not held.round.takes(record):
            self._counts["without_effect"] += 1
            return
        due = held.round.fact(stored, record)
        if held.round.ended:
            del self._open[record.table_id]
        self._note(held, due)

    def _note(self, held: _Held, due: list[Due]) -> None:
        for one in due:
            held.due[one.event_id] = one
            self._counts["decisions_due"] += 1
        if held.round.ended:
            self._counts[f"rounds_ended_{held.round.ended}"] += 1

    # ---- Decisions ----

    def _decision(self, stored: Stored) -> None:
        self._counts["decisions"] += 1
        headers = dict(stored.headers)
        event_id = headers.get("ce_id", b"").decode("utf-8", "replace")
        round_id = headers.get("ce_subject", b"").decode("utf-8", "replace")
        digest = blake2b(stored.value, digest_size=8, key=event_id.encode()[:64]).digest()
        place = stored.key.decode("utf-8", "replace"), round_id
        held = self._held.get(place)
        if held is None:
            self._decision_of_no_held_round(stored, place, digest)
            return
        due = held.due.get(event_id)
        if due is None:
            self._count_foreign(stored, "no fact before it makes it due")
            return
        if held.seen.get(event_id) == digest:
            self._counts["decisions_doubled"] += 1
            return
        fault = _fault(stored, held.round, due)
        if fault:
            held.instead[event_id] = self._count_foreign(stored, fault)
        elif event_id in held.seen:
            text = "says the same in other bytes than an earlier record with this id"
            self._findings.append(_at(stored, "two_versions", text))
        else:
            self._seen(stored, held, due, digest)

    def _decision_of_no_held_round(self, stored: Stored, place: _Key, digest: bytes) -> None:
        known = self._finished.get(place, b"")
        if digest in [known[start : start + 8] for start in range(0, len(known), 8)]:
            self._counts["decisions_doubled"] += 1
        elif place in self._unjudged:
            self._counts["decisions_unjudged"] += 1
        elif known:
            self._count_foreign(stored, "differs from what its finished round recorded")
        else:
            self._count_foreign(stored, "its round was never opened")

    def _count_foreign(self, stored: Stored, text: str) -> Finding:
        finding = _at(stored, "foreign", text)
        self._counts["decisions_foreign"] += 1
        self._foreign.append(finding)
        return finding

    def _seen(self, stored: Stored, held: _Held, due: Due, digest: bytes) -> None:
        self._counts["decisions_seen"] += 1
        early = [one for one in due.after if one not in held.seen]
        if early:
            text = f"{due.body} stands before {held.due[early[0]].body}, on which it builds"
            self._findings.append(_at(stored, "out_of_turn", text))
        held.seen[due.event_id] = digest
        record = JournalRecord.FromString(stored.value)
        for text in unsound(record, held.round.circles):
            self._findings.append(_at(stored, "unsound", text))
        if due.body in ("round_settled", "round_voided"):
            self._counts[due.body.replace("round_", "rounds_")] += 1
            self._book(held.round, due.body, record)
        if held.round.ended and len(held.seen) == len(held.due):
            self._finished[held.round.table_id, held.round.round_id] = b"".join(held.seen.values())
            del self._held[held.round.table_id, held.round.round_id]

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

    def _tally(self, counts: Counter[str]) -> str:
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
            return f"{counts['rounds_opened']} rounds opened, {ended} ended"
        nets = [
            money["positions_net"] + money["house_net"] + money["pot_net"]
            for money in self._money.values()
        ]
        return f"the run's money sums to {sum(nets)}" if any(nets) else ""


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
    return difference(should, says, "envelope") or difference(due.shape, said(record), body)


def _is_outcome(held: _Held, event_id: str) -> bool:
    return held.due[event_id].body in ("round_settled", "round_voided")


def _absent(held: _Held, due: Due) -> Finding:
    story = held.round
    other = held.instead.get(due.event_id)
    if other is not None:
        text = f"{due.body}: {other.text}"
        place = other.partition, other.offset
        return Finding("differs", story.table_id, story.round_id, *place, text)
    text = f"{due.body} is due from this fact on and is not on the journal"
    return Finding("missing", story.table_id, story.round_id, story.partition, due.offset, text)


def _at(stored: Stored, kind: str, text: str) -> Finding:
    subject = dict(stored.headers).get("ce_subject", b"").decode("utf-8", "replace")
    table = stored.key.decode("utf-8", "replace")
    return Finding(kind, table, subject, stored.partition, stored.offset, text)
