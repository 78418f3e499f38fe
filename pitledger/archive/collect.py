"""Which leaf each record of the journal belongs to, as the journal is read.

A round's transcript is complete, and the round sealed, when it is over and all its decisions are
recorded as its facts derive them. What belongs to no transcript is remainder; it is cut up to the
first offset of the oldest round that is not sealed, as no round of before can want it any more.
"""

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from pitledger.derive import Derived, TableFold
from pitledger.journal.record import DECISION_TYPES, TYPE_BYTES, JournalRecord, Stored
from pitledger.journal.vocabulary import Fact, NotAFact, read_fact

_ROUND_OPENED = TYPE_BYTES["round_opened"]
_Key = tuple[str, str]  # table, round


class Hole(Exception):
    """A record is not the next one of its partition."""


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
    """What lies in [first, end) of a partition and in no round."""

    partition: int
    first: int
    end: int
    records: tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A round that is not sealed."""

    table_id: str
    round_id: str
    partition: int
    first_offset: int
    over: bool
    unjudged: bool
    """By this build: an unknown version, or a fold that failed."""


@dataclass(slots=True)
class _Round:
    opened: JournalRecord
    partition: int
    records: list[Stored]
    waits: dict[str, bytes] = field(default_factory=dict)
    """Decisions that are derived and not recorded yet: their bytes by id."""
    types: dict[str, bytes] = field(default_factory=dict)
    copied: Stored | None = None
    over: bool = False
    stuck: bool = False

    @property
    def first_offset(self) -> int:
        return self.records[0].offset


@dataclass(slots=True)
class _Partition:
    next: int
    cut_at: int
    taken: set[int]
    loose: list[Stored] = field(default_factory=list)


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
        memory: Iterable[Stored] = (),
        taken: Iterable[int] = (),
    ) -> None:
        """Before a partition's first record.

        `memory`: of what lies below, the openings that count. `taken`: offsets from the first on
        that lie in rounds sealed before.
        """
        self._parts[partition] = _Partition(first, first, set(taken))
        for stored in memory:
            self._remember(stored)

    def take(self, stored: Stored) -> list[Transcript]:
        """The next record; the rounds that are complete with it. Raises Hole."""
        part = self._parts[stored.partition]
        if stored.offset != part.next:
            where = f"partition {stored.partition}: offset {stored.offset} follows {part.next - 1}"
            raise Hole(where)
        part.next = stored.offset + 1
        if stored.offset in part.taken:
            part.taken.remove(stored.offset)
            self._remember(stored)
            return []
        attributes = {name: value or b"" for name, value in stored.headers}
        if attributes.get("ce_type") in DECISION_TYPES:
            return self._decision(part, stored, attributes)
        return self._fact(part, stored, attributes)

    def cut(self, partition: int) -> Remainder | None:
        """The remainder up to the oldest round that is not sealed; None: nothing new lies there."""
        part = self._parts[partition]
        end = min(
            (r.first_offset for r in self._rounds.values() if r.partition == partition),
            default=part.next,
        )
        if end == part.cut_at:
            return None
        records = tuple(stored for stored in part.loose if stored.offset < end)
        remainder = Remainder(partition, part.cut_at, end, records)
        part.loose = part.loose[len(records) :]
        part.cut_at = end
        return remainder

    def next_offset(self, partition: int) -> int:
        return self._parts[partition].next

    def waiting(self) -> list[Waiting]:
        """Rounds that are not sealed, in the order in which they opened."""
        return [
            Waiting(table, round_, r.partition, r.first_offset, r.over, r.stuck)
            for (table, round_), r in self._rounds.items()
        ]

    def _fact(
        self, part: _Partition, stored: Stored, attributes: dict[str, bytes]
    ) -> list[Transcript]:
        try:
            fact = self._read(stored, attributes)
        except NotAFact:
            part.loose.append(stored)
            return []
        table_id = fact.record.table_id
        derived = self._folds[table_id].fact(stored.offset, fact, stored.broker_time)
        if derived.not_a_fact or derived.no_effect:
            part.loose.append(stored)
            return []
        self._keep(stored, fact, derived)
        if not derived.ended:
            return []
        ended = self._rounds[table_id, derived.ended]
        ended.over = True
        if derived.opened:
            ended.copied = stored
        return self._sealed_now((table_id, derived.ended))

    def _keep(self, stored: Stored, fact: Fact, derived: Derived) -> None:
        table_id = fact.record.table_id
        if derived.opened:
            opened = _Round(fact.record, stored.partition, [stored])
            self._rounds[table_id, derived.opened] = opened
        else:
            self._rounds[table_id, fact.record.round_id].records.append(stored)
        for decision in derived.decisions:
            round_ = self._rounds[table_id, decision.round_id]
            round_.waits[decision.event_id] = decision.value
            round_.types[decision.event_id] = TYPE_BYTES[decision.body]
        for round_id, _stack in derived.stuck:
            self._rounds[table_id, round_id].stuck = True

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
        if not round_.over or round_.waits or round_.stuck:
            return []
        del self._rounds[key]
        return [Transcript(round_.partition, round_.opened, tuple(round_.records), round_.copied)]

    def _remember(self, stored: Stored) -> None:
        attributes = {name: value or b"" for name, value in stored.headers}
        if attributes.get("ce_type") != _ROUND_OPENED:
            return
        with suppress(NotAFact):
            fact = self._read(stored, attributes)
            self._folds[fact.record.table_id].table.note_number(fact.record, stored.broker_time)

    def _read(self, stored: Stored, attributes: dict[str, bytes]) -> Fact:
        return read_fact(stored.partition, self._partitions, stored.key, attributes, stored.value)
