"""The journal alone, judged: the sentences that must hold after whatever went wrong.

The auditor's own adjudication says which decisions are due and which are foreign; each sentence is
then looked for on the journal itself, and replay derives every decision a second time.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError

from pitledger.audit import AuditReport, audit
from pitledger.journal.ids import is_fact_id, time_of_fact_id
from pitledger.journal.record import CASE_DECISION_TYPES, DECISION_TYPES, JournalRecord, Stored
from pitledger.replay import replay_all
from services.floor.receipts import Receipts, digest_of
from tests.kit.other_build import is_of_other_build

SHOWN = 5
"""Exceptions to a sentence that are written out."""
LATE_MS = 3000
FAR_MS = 60_000
_OUTCOMES = ("round_settled", "round_voided")
_REST = "every fault was healed, no worker took its settings for wrong, and then all came to rest"


@dataclass(frozen=True, slots=True)
class Sentence:
    """What must hold, the figures it is about, and where it does not."""

    text: str
    exceptions: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, wrong: Sequence[str]) -> "Sentence":
        """The first exceptions, and how many more there are."""
        more = [f"and {len(wrong) - SHOWN:,} more"] if len(wrong) > SHOWN else []
        return cls(text, (*wrong[:SHOWN], *more))

    @property
    def holds(self) -> bool:
        return not self.exceptions


@dataclass(frozen=True, slots=True)
class Verdict:
    """All sentences; counts; `waits`: (broker time of a fact, of the decision it caused) in ms."""

    sentences: tuple[Sentence, ...]
    counts: dict[str, int]
    waits: tuple[tuple[int, int], ...]

    @property
    def sound(self) -> bool:
        return all(sentence.holds for sentence in self.sentences)


def judge(
    journal: Sequence[Stored], partitions: int, receipts: Receipts, unrest: Sequence[str] = ()
) -> Verdict:
    """Judge a journal that is complete: all tables closed, nothing on its way.

    `unrest`: why it may not be complete.
    """
    report = audit(journal, partitions)
    book = _read(journal, {(one.partition, one.offset) for one in report.foreign})
    sentences = (
        Sentence.of(_REST, [*unrest]),
        _rounds(report),
        _nothing_open(report),
        _all_due(report),
        _one_outcome(book),
        _lines(book),
        _money(report, book),
        _refused(book),
        _replays(journal, partitions, report),
        _foreign_explained(book, receipts),
        _acknowledged(journal, receipts),
    )
    counts = {**report.counts, **book.counts, "facts_acknowledged": len(receipts.acknowledged)}
    return Verdict(sentences, counts, tuple(book.waits))


# ---- reading ---------------------------------------------------------------------------------


@dataclass(slots=True)
class _Book:
    """The journal by round: decisions that are not foreign, each once, by event id."""

    decisions: dict[str, dict[str, JournalRecord]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    versions: dict[str, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    """Values recorded under one decision's id."""
    wagers: dict[str, JournalRecord] = field(default_factory=dict)
    foreign: list[tuple[Stored, JournalRecord | None]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    waits: list[tuple[int, int]] = field(default_factory=list)

    def bodies(self, round_id: str, name: str) -> list:
        return [
            getattr(record, name)
            for record in self.decisions[round_id].values()
            if record.WhichOneof("body") == name
        ]


def _read(journal: Iterable[Stored], foreign: set[tuple[int, int]]) -> _Book:
    book = _Book()
    written: dict[tuple[int, str], int] = {}
    seen: set[bytes] = set()
    for stored in journal:
        record = _parsed(stored)
        if record is None:
            book.counts["undecodable"] += 1
        kind = dict(stored.headers).get("ce_type")
        if kind in CASE_DECISION_TYPES:
            continue  # `desk.py` judges them
        if kind not in DECISION_TYPES:
            _fact(book, stored, record, written, seen)
        elif (stored.partition, stored.offset) in foreign or record is None:
            book.foreign.append((stored, record))
        else:
            _decision(book, stored, record, written)
    return book


def _fact(
    book: _Book, stored: Stored, record: JournalRecord | None,
    written: dict[tuple[int, str], int], seen: set[bytes],
) -> None:
    if record is None or not is_fact_id(record.event_id):
        return
    written[stored.partition, record.event_id] = stored.broker_time
    if stored.value in seen:
        book.counts["facts_repeated"] += 1
        return
    seen.add(stored.value)
    delay_ms = stored.broker_time - time_of_fact_id(record.event_id)
    book.counts["facts_delayed"] += delay_ms > LATE_MS
    book.counts["facts_of_another_time"] += (
        abs(record.occurred_at // 1000 - stored.broker_time) > FAR_MS
    )
    if record.HasField("wager_requested"):
        book.wagers.setdefault(record.event_id, record)


def _decision(
    book: _Book, stored: Stored, record: JournalRecord, written: dict[tuple[int, str], int]
) -> None:
    of_round = book.decisions[record.round_id]
    book.versions[record.event_id].add(stored.value)
    if record.event_id in of_round:
        return
    of_round[record.event_id] = record
    caused = written.get((stored.partition, record.causation_id))
    if caused is not None:
        book.waits.append((caused, stored.broker_time))


def _parsed(stored: Stored) -> JournalRecord | None:
    try:
        record = JournalRecord.FromString(stored.value)
    except DecodeError:
        return None
    return record if record.event_id else None


# ---- sentences -------------------------------------------------------------------------------


def _rounds(report: AuditReport) -> Sentence:
    counts = Counter(report.counts)
    opened, settled = counts["rounds_opened"], counts["rounds_settled"]
    voided, still_open = counts["rounds_voided"], counts["rounds_open"]
    wrong = [] if opened == settled + voided + still_open else ["they are not the same number"]
    if not opened:
        wrong.append("nothing was played")
    return Sentence.of(
        f"{opened:,} rounds opened = {settled:,} settled + {voided:,} voided"
        f" + {still_open:,} still open",
        wrong,
    )


def _nothing_open(report: AuditReport) -> Sentence:
    """Every table was closed, so that no round may be open."""
    wrong = [f"table {table}, round {round_id}" for table, round_id in report.open_rounds]
    return Sentence.of("with all tables closed no round is open", wrong)


def _all_due(report: AuditReport) -> Sentence:
    counts = Counter(report.counts)
    wrong = [
        f"{one.kind} at {one.partition}/{one.offset}, round {one.round_id}: {one.text}"
        for one in report.findings
    ]
    return Sentence.of(
        f"all {counts['decisions_due']:,} decisions due are on the journal as the auditor works"
        f" them out, {counts['decisions_doubled']:,} of them written more than once",
        wrong,
    )


def _one_outcome(book: _Book) -> Sentence:
    wrong = [f"decision {i}: {len(v)} versions" for i, v in book.versions.items() if len(v) > 1]
    for round_id in book.decisions:
        found = sum(len(book.bodies(round_id, name)) for name in _OUTCOMES)
        if found != 1:
            wrong.append(f"round {round_id}: {found} outcomes")
    return Sentence.of("each round has one outcome, and each decision one version", wrong)


def _lines(book: _Book) -> Sentence:
    """One line per circle that BettingClosed names, with its stake."""
    wrong, lines = [], 0
    for round_id in book.decisions:
        named = [c for body in book.bodies(round_id, "betting_closed") for c in body.circles]
        circles = sorted((c.position, c.kind, c.stake_minor) for c in named)
        for name in ("payout_due", *_OUTCOMES):
            for body in book.bodies(round_id, name):
                found = sorted((n.position, n.kind, n.stake_minor) for n in body.lines)
                lines += len(found)
                if found != circles:
                    wrong.append(f"round {round_id}: {name}")
    return Sentence.of(f"each circle of BettingClosed has its one line ({lines:,} lines)", wrong)


def _money(report: AuditReport, book: _Book) -> Sentence:
    wrong = []
    for round_id in book.decisions:
        for name in _OUTCOMES:
            for body in book.bodies(round_id, name):
                t = body.totals
                profits = sum(line.profit_minor for line in body.lines)
                if t.positions_net_minor + t.house_net_minor + t.pot_net_minor:
                    wrong.append(f"round {round_id}: its totals")
                if profits != t.positions_net_minor:
                    wrong.append(f"round {round_id}: its lines")
    for table in report.tables:
        if table.positions_net + table.house_net + table.pot_net:
            wrong.append(f"table {table.table_id}")
    players = sum(table.positions_net for table in report.tables)
    house = sum(table.house_net for table in report.tables)
    pots = sum(table.pot_net for table in report.tables)
    if players + house + pots:
        wrong.append("the run")
    return Sentence.of(
        "money sums to zero in each round, at each table and in the run: players"
        f" {players / 100:+,.2f}, house {house / 100:+,.2f}, pots {pots / 100:+,.2f}",
        wrong,
    )


def _refused(book: _Book) -> Sentence:
    """A circle is made of accepted stakes, to the cent."""
    wrong, refusals = [], 0
    for round_id, decisions in book.decisions.items():
        accepted: dict[tuple[str, int], int] = Counter()
        for record in decisions.values():
            wager = book.wagers.get(record.causation_id)
            if wager is None or record.WhichOneof("body") != "request_answered":
                continue
            stakes = wager.wager_requested.stakes
            for stake, answer in zip(stakes, record.request_answered.answers, strict=False):
                if answer.refusal:
                    refusals += 1
                else:
                    accepted[wager.event_id, stake.kind] += stake.amount_minor
        for body in book.bodies(round_id, "betting_closed"):
            for circle in body.circles:
                made_of = sum(accepted[one, circle.kind] for one in circle.wager_ids)
                if made_of != circle.stake_minor:
                    wrong.append(f"round {round_id}, position {circle.position}")
    return Sentence.of(f"{refusals:,} refused stakes moved nothing", wrong)


def _replays(journal: Sequence[Stored], partitions: int, report: AuditReport) -> Sentence:
    foreign = {(one.partition, one.offset) for one in report.foreign}
    honest = (one for one in journal if (one.partition, one.offset) not in foreign)
    wrong, derived, rounds = [], 0, 0
    for replayed in replay_all(honest, partitions):
        rounds += 1
        derived += replayed.derived
        if not replayed.identical:
            text = replayed.difference.text if replayed.difference else replayed.unjudged
            wrong.append(f"round {replayed.round_id}: {text}")
    return Sentence.of(
        f"{rounds - len(wrong):,} of {rounds:,} replays are identical, foreign records left out:"
        f" {derived:,} decisions derived again",
        wrong,
    )


def _foreign_explained(book: _Book, receipts: Receipts) -> Sentence:
    """A processor of the true build never wrote anything but what is derived."""
    wrong, forged, other = [], 0, 0
    for stored, record in book.foreign:
        if digest_of(stored.key, stored.headers, stored.value) in receipts.foul:
            forged += 1
        elif record and is_of_other_build(record.hands_evaluated):
            other += 1
        else:
            wrong.append(f"{stored.partition}/{stored.offset}")
    return Sentence.of(
        f"foreign decisions: {forged:,} forged by the floor, {other:,} of the other build,"
        " none of a true processor",
        wrong,
    )


def _acknowledged(journal: Iterable[Stored], receipts: Receipts) -> Sentence:
    digests: dict[int, dict[int, str]] = defaultdict(dict)
    for one in journal:
        digests[one.partition][one.offset] = digest_of(one.key, one.headers, one.value)
    anywhere = {partition: set(found.values()) for partition, found in digests.items()}
    wrong = [
        f"{receipt.partition}/{receipt.offset}"
        for receipt in receipts.acknowledged
        if not (
            receipt.digest in anywhere.get(receipt.partition, ())
            if receipt.offset < 0
            else digests[receipt.partition].get(receipt.offset) == receipt.digest
        )
    ]
    count = len(receipts.acknowledged)
    return Sentence.of(f"{count:,} facts acknowledged to the floor lie where it was told", wrong)
