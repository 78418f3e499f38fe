"""Replay: derive every decision of a round again from the journal, and compare.

Two sets are compared: the decisions that the facts derive, and the decisions recorded. A round is
identical when they are the same, byte for byte; a true record may stand there more than once.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError

from pitledger.derive import Derived, TableFold
from pitledger.journal.holds import Breach, Holds
from pitledger.journal.record import DECISION_TYPES, TYPE_BYTES, TYPE_OF_BODY, JournalRecord, Stored
from pitledger.journal.vocabulary import Fact, NotAFact, read_fact
from pitledger.processors.chain import Decision

OPEN, SETTLED, VOIDED = "open", "settled", "voided"
_OUTCOMES = {"round_settled": SETTLED, "round_voided": VOIDED}
_SUMS = ("payout_due", "round_settled", "round_voided")
_OF_HOLDS = frozenset(("table_held", "table_released", "round_opened", "round_closed"))


@dataclass(frozen=True, slots=True)
class Step:
    """One record that names the round, in journal order, and what it derived."""

    stored: Stored
    record: JournalRecord | None  # None: its bytes do not parse
    is_decision: bool
    note: str  # "" or why it has no effect: "repeat", "foreign", "no fact: ...", ...
    derived: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Where recorded and derived part. `derived` and `recorded` are a decision's bytes or None."""

    text: str
    offset: int | None
    derived: bytes | None
    recorded: bytes | None


@dataclass(frozen=True, slots=True)
class RoundReport:
    """What became of a round, and whether its record is what its facts derive."""

    round_id: str
    table_id: str
    partition: int
    first_offset: int
    last_offset: int
    state: str  # "open", "settled", "voided"
    opened: JournalRecord
    sums: JournalRecord | None  # the last PayoutDue, RoundSettled or RoundVoided derived
    derived_at: int  # broker time (ms) of the last fact that derived something
    derived: int  # decisions
    recorded: int  # of them, those on the journal
    missing: tuple[Decision, ...]  # derived, and not on the journal
    missing_since: tuple[int, ...]  # of each: broker time (ms) of the fact that derived it
    unjudged: str  # why this build does not judge it, "" if it does
    stuck_at: tuple[int, int] | None  # offset and broker time (ms) of the fact where it stuck
    stack: str  # of the exception there, "" where the version is unknown
    difference: Difference | None
    breaches: tuple[Breach, ...]  # it was opened, closed at a held table

    @property
    def identical(self) -> bool:
        return self.difference is None and not self.unjudged

    @property
    def lacks(self) -> bool:
        """Whether it differs only by decisions that are not on the journal."""
        return self.difference is not None and self.difference.recorded is None


@dataclass(slots=True)
class _Round:
    opened: JournalRecord
    partition: int
    first_offset: int
    last_offset: int
    derived_at: int = 0
    derived: dict[str, Decision] = field(default_factory=dict)
    since: dict[str, int] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    hashes: "array[int]" = field(default_factory=lambda: array("q"))  # once it is finished
    counts: tuple[int, int] = (0, 0)
    state: str = OPEN
    sums: bytes | None = None
    unjudged: str = ""
    stuck_at: tuple[int, int] | None = None
    stack: str = ""
    difference: Difference | None = None
    breaches: tuple[Breach, ...] = ()


class Replay:
    """Folds a journal, record by record; `partitions` is the topic's number of partitions.

    `only_table`: leave all other tables out. `steps_of`: keep this round's records as steps.
    """

    def __init__(
        self, partitions: int, *, only_table: str | None = None, steps_of: str | None = None
    ) -> None:
        self.partitions = partitions
        self.steps: list[Step] = []
        self.holds = Holds()
        self._only_key = only_table.encode() if only_table is not None else None
        self._steps_of = steps_of
        self._folds: defaultdict[str, TableFold] = defaultdict(TableFold)
        self._rounds: dict[tuple[str, str], _Round] = {}  # by table and round

    def take(self, stored: Stored) -> str:
        """Fold one record; records of a partition come in the order of their offsets.

        Return why it has no effect ("repeat", "foreign", "no fact: ..." and others), "" if it has.
        """
        if self._only_key is not None and stored.key != self._only_key:
            return "other_table"
        attributes = {name: value or b"" for name, value in stored.headers}
        if attributes.get("ce_type") in DECISION_TYPES:
            return self._decision(stored, attributes)
        return self._fact(stored, attributes)

    def reports(self, *, so_far: bool = False) -> Iterator[RoundReport]:
        """One report for each round that opened, in the order in which they did.

        `so_far`: the journal was read up to some offset only, so that a decision which is derived
        and not recorded is no difference yet.
        """
        for (_, round_id), round_ in self._rounds.items():
            yield _report(round_id, round_, so_far)

    def _fact(self, stored: Stored, attributes: dict[str, bytes]) -> str:
        try:
            fact = self._read(stored, attributes)
        except NotAFact as problem:
            note = f"no fact: {problem}"
            self._keep_step(stored, attributes, note)
            return note
        record = fact.record
        derived = self._folds[record.table_id].fact(stored.offset, fact, stored.broker_time)
        if derived.opened:
            self._rounds[record.table_id, derived.opened] = _Round(
                record, stored.partition, stored.offset, stored.offset
            )
        for round_id, failure in derived.stuck:
            _stick(self._rounds[record.table_id, round_id], stored, failure)
        for decision in derived.decisions:
            _derive(self._rounds[record.table_id, decision.round_id], decision, stored)
        if fact.body in _OF_HOLDS:
            self._hold(fact, derived)
        note = f"no fact: {derived.not_a_fact}" if derived.not_a_fact else derived.no_effect
        if self._steps_of is not None:
            ends = derived.ended if derived.ended != record.round_id else ""
            self._keep_fact(stored, record, note, derived.decisions, ends)
        return note

    def _read(self, stored: Stored, attributes: dict[str, bytes]) -> Fact:
        return read_fact(stored.partition, self.partitions, stored.key, attributes, stored.value)

    def _hold(self, fact: Fact, derived: Derived) -> None:
        """Holds and releases, and what opens or ends a round at a held table all the same."""
        record, did = fact.record, (derived.opened, derived.ended)
        if fact.body.startswith("round_") and record.round_id not in did:
            return
        breach = self.holds.take(record)
        if breach is not None:
            self._rounds[record.table_id, record.round_id].breaches += (breach,)

    def _decision(self, stored: Stored, attributes: dict[str, bytes]) -> str:
        subject = attributes.get("ce_subject", b"").decode(errors="replace")
        round_ = self._rounds.get((stored.key.decode(errors="replace"), subject))
        if round_ is None or round_.partition != stored.partition:
            note = "no such round is open"
            self._keep_step(stored, attributes, note)
            return note
        event_id = attributes.get("ce_id", b"").decode(errors="replace")
        note = _compare(round_, event_id, stored, attributes)
        self._keep_step(stored, attributes, note)
        return note

    def _keep_fact(
        self,
        stored: Stored,
        fact: JournalRecord,
        note: str,
        decisions: tuple[Decision, ...],
        ended: str,
    ) -> None:
        wanted = self._steps_of
        if wanted in (fact.round_id, ended):
            own = tuple(d for d in decisions if d.round_id == wanted)
            self.steps.append(Step(stored, fact, False, note, own))

    def _keep_step(self, stored: Stored, attributes: dict[str, bytes], note: str) -> None:
        if self._steps_of is None:
            return
        if attributes.get("ce_subject", b"").decode(errors="replace") != self._steps_of:
            return
        try:
            record = JournalRecord.FromString(stored.value)
        except DecodeError:
            record = None
        is_decision = attributes.get("ce_type") in DECISION_TYPES
        self.steps.append(Step(stored, record, is_decision, note, ()))


def replay_all(records: Iterable[Stored], partitions: int) -> Iterator[RoundReport]:
    """Replay a whole journal."""
    replay = Replay(partitions)
    for stored in records:
        replay.take(stored)
    return replay.reports()


def _stick(round_: _Round, stored: Stored, stack: str) -> None:
    """From this fact on this build does not judge the round."""
    version = round_.opened.round_opened.adjudication_version
    unknown = f"this build does not know adjudication version {version}"
    round_.unjudged = stack.strip().rpartition("\n")[2] or unknown
    round_.stuck_at, round_.stack = (stored.offset, stored.broker_time), stack


def _derive(round_: _Round, decision: Decision, stored: Stored) -> None:
    round_.derived[decision.event_id] = decision
    round_.since[decision.event_id] = stored.broker_time
    round_.last_offset = stored.offset
    round_.derived_at = stored.broker_time
    if decision.body in _SUMS:
        round_.sums = decision.value
        round_.state = _OUTCOMES.get(decision.body, OPEN)


def _compare(
    round_: _Round, event_id: str, stored: Stored, attributes: dict[str, bytes]
) -> str:
    """Hold a recorded decision against the derived one; return the step's note."""
    if not round_.derived:
        if hash(stored.value) in round_.hashes:
            return "repeat"
    else:
        decision = round_.derived.get(event_id)
        if (
            decision is not None
            and decision.value == stored.value
            and attributes["ce_type"] == TYPE_BYTES[decision.body]
        ):
            if event_id in round_.seen:
                return "repeat"
            round_.seen.add(event_id)
            round_.last_offset = max(round_.last_offset, stored.offset)
            _finish(round_)
            return ""
    if round_.unjudged:
        return "not judged by this build"
    if round_.difference is None:
        kind = attributes["ce_type"].decode().rpartition(".")[2]
        text = f"{kind} at offset {stored.offset} is recorded, but not derived so"
        derived = round_.derived.get(event_id)
        value = derived.value if derived else None
        round_.difference = Difference(text, stored.offset, value, stored.value)
    return "foreign"


def _finish(round_: _Round) -> None:
    """Once all is seen keep only hashes, to know a later repeat from a forgery."""
    if round_.state == OPEN or len(round_.seen) < len(round_.derived) or round_.unjudged:
        return
    round_.counts = (len(round_.derived), len(round_.seen))
    round_.hashes = array("q", [hash(decision.value) for decision in round_.derived.values()])
    round_.derived, round_.since, round_.seen = {}, {}, set()


def _report(round_id: str, round_: _Round, so_far: bool) -> RoundReport:
    derived, recorded = len(round_.derived), len(round_.seen)
    if not derived:
        derived, recorded = round_.counts
    missing = tuple(d for d in round_.derived.values() if d.event_id not in round_.seen)
    difference = round_.difference
    if difference is None and missing and not so_far:
        difference = _not_recorded(missing[0])
    return RoundReport(
        round_id=round_id,
        table_id=round_.opened.table_id,
        partition=round_.partition,
        first_offset=round_.first_offset,
        last_offset=round_.last_offset,
        state=round_.state,
        opened=round_.opened,
        sums=JournalRecord.FromString(round_.sums) if round_.sums else None,
        derived_at=round_.derived_at,
        derived=derived,
        recorded=recorded,
        missing=missing,
        missing_since=tuple(round_.since[d.event_id] for d in missing),
        unjudged=round_.unjudged,
        stuck_at=round_.stuck_at,
        stack=round_.stack,
        difference=difference,
        breaches=round_.breaches,
    )


def _not_recorded(decision: Decision) -> Difference:
    kind = TYPE_OF_BODY[decision.body].rpartition(".")[2]
    text = f"{kind} ({decision.question}) is derived, and not recorded"
    return Difference(text, None, decision.value, None)
