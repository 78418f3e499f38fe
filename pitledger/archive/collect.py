"""Which leaf each record of the journal belongs to, as the journal is read.

A round's transcript is complete, and the round sealed, when it is over and all its decisions are
recorded as its facts derive them. What belongs to no transcript is remainder; it is cut up to the
first offset of the oldest round that is not sealed, as no round of before can want it any more.

Rounds that were sealed before the last stop are folded again, as far as they lie beyond the cut:
they end rounds that are not sealed yet, and no other way would tell which facts had effect.

A round that is too long for a leaf is let go into the remainder. No remainder ends within it, so
that whoever reads on from a cut finds all of it, or nothing.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter

from pitledger.archive.offsets import Offsets, Range
from pitledger.derive import Derived, TableFold
from pitledger.journal.memory import Known
from pitledger.journal.record import (
    DECISION_TYPES,
    TYPE_BYTES,
    JournalRecord,
    Stored,
)
from pitledger.journal.vocabulary import Fact, NotAFact, read_fact

_ROUND_OPENED = TYPE_BYTES["round_opened"]
_Key = tuple[str, str]  # table, round


class Hole(Exception):
    """A record is not the next one of its partition."""


class ClockWentBack(Exception):
    """A RoundOpened asks for round numbers of before the memory: the broker's clock went back.

    Its partition must be begun afresh, with the openings of before `before_ms` (broker time), and
    forgetting nothing.
    """

    def __init__(self, partition: int, before_ms: int) -> None:
        super().__init__(partition, before_ms)
        self.partition, self.before_ms = partition, before_ms


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known of before a partition's first record."""

    openings: Sequence[Stored] = ()
    """In their order; what is no RoundOpened may lie among them."""
    since: int | None = None
    """Broker time (ms) from which they were read; None: from the partition's beginning."""
    forgets: bool = True
    """False once the clock went back."""


NOTHING_BEFORE = Memory()
NO_OFFSETS = Offsets()


@dataclass(frozen=True, slots=True)
class Transcript:
    """A sealed round's records, in the order of their offsets.

    `copied`: the table's next RoundOpened, if that ended the round; it is another round's record.
    """

    partition: int
    opened: JournalRecord
    records: tuple[Stored, ...]
    copied: Stored | None


@dataclass(frozen=True, slots=True)
class Remainder:
    """What lies in [first, end) of a partition and in no leaf of a round.

    `let_go`: rounds among it that have no leaf of their own, each whole.
    """

    partition: int
    first: int
    end: int
    records: tuple[Stored, ...]
    let_go: tuple[Transcript, ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting:
    """A round that is not sealed."""

    table_id: str
    round_id: str
    round_number: int
    partition: int
    first_offset: int
    over_at_ms: int | None
    """Broker time of the fact that ended it; None: it is open."""
    lacks: tuple[str, ...]
    """Types of the decisions that are derived and not recorded, such as "RoundSettled"."""
    unjudged: str
    """Why this build derives nothing more of it, in a few words; "" if it does."""

    @property
    def over(self) -> bool:
        return self.over_at_ms is not None


@dataclass(slots=True)
class _Round:
    opened: JournalRecord
    partition: int
    records: list[Stored]
    waits: dict[str, bytes] = field(default_factory=dict)
    """Decisions that are derived and not recorded yet: their bytes by id."""
    types: dict[str, bytes] = field(default_factory=dict)
    copied: Stored | None = None
    over_at_ms: int | None = None
    unjudged: str = ""

    @property
    def first_offset(self) -> int:
        return self.records[0].offset

    def lacking(self) -> Iterator[bytes]:
        """Types of the decisions that it waits for."""
        return (self.types[event_id] for event_id in self.waits)

    def cannot_be_judged(self, stack: str) -> None:
        """`stack`: where judging raised; "" where the version is not known."""
        version = self.opened.round_opened.adjudication_version
        last = stack.strip().rpartition("\n")[2]
        self.unjudged = last or f"adjudication version {version} is not known"


@dataclass(slots=True)
class _Partition:
    next: int
    cut_at: int
    taken: deque[Range]
    known: Known
    loose: list[Stored] = field(default_factory=list)
    let_go: list[tuple[Range, Transcript]] = field(default_factory=list)
    """In the order in which they opened; from the first record of a round to behind the last that
    it was folded from.
    """

    def is_taken(self, offset: int) -> bool:
        """Asked in the order of offsets."""
        taken = self.taken
        while taken and taken[0][1] <= offset:
            taken.popleft()
        return bool(taken) and taken[0][0] <= offset


class Collector:
    """Takes each partition's records in the order of their offsets, from where it was cut last."""

    def __init__(self, partitions: int) -> None:
        self._partitions = partitions
        self._parts: dict[int, _Partition] = {}
        self._folds: defaultdict[str, TableFold] = defaultdict(TableFold)
        self._rounds: dict[_Key, _Round] = {}  # those not sealed, in the order of their opening

    def begin(
        self,
        partition: int,
        first: int,
        memory: Memory = NOTHING_BEFORE,
        taken: Offsets = NO_OFFSETS,
    ) -> None:
        """Before a partition's first record.

        `taken`: offsets from the first on that lie in rounds sealed before.
        """
        known = Known(memory.since, memory.forgets)
        self._parts[partition] = _Partition(first, first, deque(taken.ranges()), known)
        for stored in memory.openings:
            self.remember(stored)

    def remember(self, stored: Stored) -> None:
        """A record of before a partition's first one, after its beginning."""
        attributes = {name: value or b"" for name, value in stored.headers}
        if attributes.get("ce_type") != _ROUND_OPENED:
            return
        with suppress(NotAFact):
            fact = self._read(stored, attributes)
            self._folds[fact.record.table_id].table.note_number(fact.record, stored.broker_time)

    def take(self, stored: Stored) -> list[Transcript]:
        """The next record; the rounds that are complete with it. Raises Hole, ClockWentBack."""
        part = self._parts[stored.partition]
        if stored.offset != part.next:
            where = f"partition {stored.partition}: offset {stored.offset} follows {part.next - 1}"
            raise Hole(where)
        part.next = stored.offset + 1
        attributes = {name: value or b"" for name, value in stored.headers}
        is_decision = attributes.get("ce_type") in DECISION_TYPES
        if part.is_taken(stored.offset):
            return [] if is_decision else self._fact_of_sealed(part, stored, attributes)
        if is_decision:
            return self._decision(part, stored, attributes)
        return self._fact(part, stored, attributes)

    def cut(self, partition: int) -> Remainder | None:
        """The remainder up to the oldest round that is not sealed; None: nothing new lies there."""
        part = self._parts[partition]
        end = min(
            (r.first_offset for r in self._rounds.values() if r.partition == partition),
            default=part.next,
        )
        for (first, behind), _ in reversed(part.let_go):
            if first < end < behind:
                end = first
        if end == part.cut_at:
            return None
        records = tuple(stored for stored in part.loose if stored.offset < end)
        let_go = tuple(transcript for (_, behind), transcript in part.let_go if behind <= end)
        remainder = Remainder(partition, part.cut_at, end, records, let_go)
        part.loose = part.loose[len(records) :]
        part.let_go = [each for each in part.let_go if each[0][1] > end]
        part.cut_at = end
        return remainder

    def let_go(self, transcript: Transcript) -> None:
        """What `take` gave has no leaf of its own: it lies in the remainder."""
        part, records = self._parts[transcript.partition], transcript.records
        part.loose = sorted([*part.loose, *records], key=attrgetter("offset"))
        ends = [records[-1], transcript.copied] if transcript.copied else records[-1:]
        behind = 1 + max(stored.offset for stored in ends)
        part.let_go.append(((records[0].offset, behind), transcript))
        part.let_go.sort(key=itemgetter(0))

    def next_offset(self, partition: int) -> int:
        return self._parts[partition].next

    def waiting(self) -> list[Waiting]:
        """Rounds that are not sealed, in the order in which they opened."""
        return [
            Waiting(
                table_id=table_id,
                round_id=round_id,
                round_number=r.opened.round_opened.round_number,
                partition=r.partition,
                first_offset=r.first_offset,
                over_at_ms=r.over_at_ms,
                lacks=tuple(type_.decode().rpartition(".")[2] for type_ in r.lacking()),
                unjudged=r.unjudged,
            )
            for (table_id, round_id), r in self._rounds.items()
        ]

    def _fact(
        self, part: _Partition, stored: Stored, attributes: dict[str, bytes]
    ) -> list[Transcript]:
        try:
            fact = self._read(stored, attributes)
        except NotAFact:
            part.loose.append(stored)
            return []
        derived = self._fold(part, stored, fact)
        table_id = fact.record.table_id
        if derived.not_a_fact or derived.no_effect:
            part.loose.append(stored)
        elif derived.opened:
            opened = _Round(fact.record, stored.partition, [stored])
            self._rounds[table_id, derived.opened] = opened
        else:
            self._rounds[table_id, fact.record.round_id].records.append(stored)
        return self._derived(stored, table_id, derived)

    def _fact_of_sealed(
        self, part: _Partition, stored: Stored, attributes: dict[str, bytes]
    ) -> list[Transcript]:
        fact = self._read(stored, attributes)
        derived = self._fold(part, stored, fact)
        return self._derived(stored, fact.record.table_id, derived)

    def _fold(self, part: _Partition, stored: Stored, fact: Fact) -> Derived:
        fold, time_ms = self._folds[fact.record.table_id], stored.broker_time
        opens = fact.body == "round_opened"
        if opens and part.known.lacks(fold.table, fact.record, time_ms):
            raise ClockWentBack(stored.partition, time_ms)
        return fold.fact(stored.offset, fact, time_ms)

    def _derived(self, stored: Stored, table_id: str, derived: Derived) -> list[Transcript]:
        """Note what is derived of rounds that are not sealed, and what ended."""
        for decision in derived.decisions:
            round_ = self._rounds.get((table_id, decision.round_id))
            if round_ is not None:
                round_.waits[decision.event_id] = decision.value
                round_.types[decision.event_id] = TYPE_BYTES[decision.body]
        for round_id, stack in derived.stuck:
            if (table_id, round_id) in self._rounds:
                self._rounds[table_id, round_id].cannot_be_judged(stack)
        ended = table_id, derived.ended
        round_ = self._rounds.get(ended)
        if round_ is None:
            return []
        round_.over_at_ms = stored.broker_time
        if derived.opened:
            round_.copied = stored
        return self._sealed_now(ended)

    def _decision(
        self, part: _Partition, stored: Stored, attributes: dict[str, bytes]
    ) -> list[Transcript]:
        round_id = attributes.get("ce_subject", b"").decode(errors="replace")
        event_id = attributes.get("ce_id", b"").decode(errors="replace")
        key = stored.key.decode(errors="replace"), round_id
        round_ = self._rounds.get(key)
        if (
            round_ is None
            or round_.partition != stored.partition
            or round_.waits.get(event_id) != stored.value
            or round_.types[event_id] != attributes["ce_type"]
        ):
            part.loose.append(stored)
            return []
        del round_.waits[event_id]
        round_.records.append(stored)
        return self._sealed_now(key)

    def _sealed_now(self, key: _Key) -> list[Transcript]:
        round_ = self._rounds[key]
        if round_.over_at_ms is None or round_.waits or round_.unjudged:
            return []
        del self._rounds[key]
        return [Transcript(round_.partition, round_.opened, tuple(round_.records), round_.copied)]

    def _read(self, stored: Stored, attributes: dict[str, bytes]) -> Fact:
        return read_fact(stored.partition, self._partitions, stored.key, attributes, stored.value)
