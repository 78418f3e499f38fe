"""Whether an archive's leaves are those that its own records derive.

The records of a partition, merged out of its leaves, go through the same `Collector` that the
archivist uses. It must yield each round's very leaf, byte for byte: that proves at once that every
decision is what the facts derive, that each fact with effect lies in its round, and that what lies
in remainders has none.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pitledger.archive.collect import Collector, Memory, Transcript, Waiting
from pitledger.archive.in_order import Entries, Merge, records_of
from pitledger.archive.leaves import is_too_long, offsets_of, round_leaf
from pitledger.archive.long_rounds import manifest_of
from pitledger.archive.store import Store
from pitledger.journal.record import JournalRecord, Stored, headers_of, serialize
from pitledger.pb.archive_pb2 import ArchivedRound, ArchiveLeaf
from pitledger.pb.facts_pb2 import RoundOpened

_Key = tuple[str, str]  # table, round


class Unlike(Exception):
    """One line: an entry that its own records do not derive so.

    `round_`: the round's manifest, where it is one's entry.
    """

    def __init__(self, entry: int, text: str, round_: ArchivedRound | None = None) -> None:
        super().__init__(text)
        self.entry, self.round_ = entry, round_


@dataclass(slots=True)
class Counts:
    """`rounds` and `records`: derived again. `deleted`: rounds whose bytes are gone."""

    rounds: int = 0
    records: int = 0
    deleted: int = 0


class Rederivation:
    """One partition. Takes its entries in the order of the log.

    `partitions`: of the journal. `deleted`: entries whose bytes are gone; where there are any,
    and beyond the last remainder, offsets may lack. `forgets`: as long as the broker's clock did
    not go back. Raises Unlike, BadArchive, ClockWentBack.
    """

    def __init__(
        self,
        store: Store,
        partition: int,
        partitions: int,
        deleted: Entries = (),
        *,
        forgets: bool = True,
    ) -> None:
        self.counts = Counts()
        self._store, self._partition, self._deleted = store, partition, deleted
        self._merge = Merge(store)
        self._collector = Collector(partitions)
        self._log: dict[_Key, tuple[int, ArchiveLeaf]] = {}  # not derived yet, as the log has them
        self._gone: dict[_Key, ArchivedRound] = {}
        self._outside: dict[_Key, tuple[int, Waiting]] = {}  # not over, and in no leaf of their own
        self._long: dict[_Key, tuple[int, bytes]] = {}  # those derived that no leaf can hold
        self._memory = Memory(forgets=forgets)
        self._next = -1  # of nothing
        self._whole = True

    def take(self, entry: int, leaf: ArchiveLeaf) -> None:
        """The next entry of the partition, or document that tells of a round of it."""
        gone = entry in self._deleted
        if leaf.HasField("document"):
            self._compare_long(entry, manifest_of(self._store, entry, leaf))
            return
        if leaf.HasField("round"):
            if gone:
                self._lose(leaf.round)
            else:
                self._log[leaf.round.table_id, leaf.round.round_id] = entry, leaf
                self._fold(entry, self._merge.take(entry, leaf))
            return
        if self._next < 0:
            self._begin(leaf.remainder.first)
        self._whole = self._whole and not gone
        end = leaf.remainder.end
        self._fold(entry, self._merge.until(end) if gone else self._merge.take(entry, leaf))
        self._settle(entry, end)

    def end(self) -> None:
        """All entries were taken."""
        for number, derived in self._long.values():
            round_ = ArchiveLeaf.FromString(derived).round
            raise Unlike(
                number,
                f"round {round_.table_id}/{round_.round_number}, which opened at offset"
                f" {round_.offsets[0]}, is too long for a leaf, and no document tells of it",
            )
        self._whole = False
        entry = max((entry for entry, _ in self._log.values()), default=0)
        self._fold(entry, self._merge.rest())
        self._check_derived(self._log.values())
        for number, waiting in self._outside.values():
            raise Unlike(
                number,
                f"offset {waiting.first_offset} opens round {waiting.table_id}/"
                f"{waiting.round_number}, which is in no leaf of its own",
            )

    def _begin(self, first: int) -> None:
        self._collector.begin(self._partition, first, self._memory)
        self._next = first

    def _fold(self, entry: int, records: Iterator[Stored]) -> None:
        for stored in records:
            if stored.offset != self._next:
                self._pass_over(entry, stored.offset)
            self._take(entry, stored)

    def _take(self, entry: int, stored: Stored) -> None:
        self._next = stored.offset + 1
        self.counts.records += 1
        for transcript in self._collector.take(stored):
            self._compare(entry, transcript)

    def _compare(self, entry: int, transcript: Transcript) -> None:
        opened = transcript.opened
        key = opened.table_id, opened.round_id
        if key in self._gone:
            return
        derived = round_leaf(transcript)
        if key not in self._log:
            number, _ = self._outside.pop(key, (entry, None))
            if is_too_long(derived):
                self._long[key] = number, derived.entry
                return
            first = transcript.records[0].offset
            told = f"{_named(opened)}, which opened at offset {first}, is in no leaf of its own"
            raise Unlike(number, told)
        number, leaf = self._log.pop(key)
        if derived.entry != leaf.SerializeToString(deterministic=True):
            raise Unlike(number, _difference(ArchiveLeaf.FromString(derived.entry), leaf),
                         leaf.round)
        self.counts.rounds += 1

    def _compare_long(self, entry: int, leaf: ArchiveLeaf) -> None:
        """What a document tells of with what was derived."""
        key = leaf.round.table_id, leaf.round.round_id
        _, derived = self._long.pop(key, (0, b""))
        if derived == leaf.SerializeToString(deterministic=True):
            self.counts.rounds += 1
        elif derived:
            told = _difference(ArchiveLeaf.FromString(derived), leaf)
            raise Unlike(entry, told, leaf.round)
        elif self._whole:
            raise Unlike(entry, "the records before it are no such round", leaf.round)
        else:
            self._lose(leaf.round)
            self._outside.pop(key, None)

    def _settle(self, entry: int, end: int) -> None:
        """All that lies below the end of a remainder was folded."""
        self._check_derived(each for each in self._log.values() if _last(each[1].round) < end)
        for waiting in self._collector.waiting():
            key = waiting.table_id, waiting.round_id
            if key not in self._log and key not in self._gone and waiting.first_offset < end:
                self._outside.setdefault(key, (entry, waiting))
        if self._whole and not self._gone:
            self._collector.cut(self._partition)
        else:
            self._begin(max(end, self._next))  # what is loose is let go

    def _check_derived(self, expected: Iterable[tuple[int, ArchiveLeaf]]) -> None:
        """These should have been derived by now."""
        lacking = min(expected, key=lambda each: each[0], default=None)
        if lacking is None:
            return
        entry, leaf = lacking
        waiting = {(w.table_id, w.round_id): w for w in self._collector.waiting()}
        found = waiting.get((leaf.round.table_id, leaf.round.round_id))
        raise Unlike(entry, _why(found), leaf.round)

    def _lose(self, round_: ArchivedRound) -> None:
        self._gone[round_.table_id, round_.round_id] = round_
        self.counts.deleted += 1

    def _pass_over(self, entry: int, to: int) -> None:
        """Nothing is there of the offsets before this one, except for copies of openings."""
        if self._whole and not self._gone:
            raise Unlike(entry, f"offset {self._next} lies in no leaf")
        for copy in self._copies(self._next, to):
            self._begin_behind(copy.offset)
            self._take(entry, copy)
        self._begin_behind(to)

    def _begin_behind(self, offset: int) -> None:
        """Begin again, knowing the openings of rounds that are gone up to there."""
        gone = (_opening(round_) for round_ in self._gone.values())
        openings = [stored for stored in gone if self._next <= stored.offset < offset]
        openings.sort(key=lambda stored: stored.offset)
        self._memory = Memory(openings, forgets=False)
        self._begin(offset)
        self._memory = Memory(forgets=False)

    def _copies(self, first: int, to: int) -> list[Stored]:
        """Openings in [first, to) that rounds have copies of."""
        found = []
        for entry, leaf in self._log.values():
            if leaf.round.HasField("copied") and first <= leaf.round.copied < to:
                records = records_of(self._store, entry, leaf)
                found += [stored for stored in records if stored.offset == leaf.round.copied]
        return sorted(found, key=lambda stored: stored.offset)


def _named(opened: JournalRecord) -> str:
    return f"round {opened.table_id}/{opened.round_opened.round_number}"


def _last(round_: ArchivedRound) -> int:
    """The last offset that its leaf holds."""
    last = offsets_of(round_)[-1]
    return max(last, round_.copied) if round_.HasField("copied") else last


def _why(waiting: Waiting | None) -> str:
    if waiting is None:
        return "its RoundOpened has no effect by the records before it"
    if waiting.unjudged:
        return f"is not judged by this build: {waiting.unjudged}"
    if waiting.lacks:
        return f"is derived otherwise than it is recorded: {', '.join(waiting.lacks)}"
    return "nothing in it ends it"


def _difference(derived: ArchiveLeaf, leaf: ArchiveLeaf) -> str:
    """Of a leaf that was derived from the one that the log has."""
    ours, theirs = (set(offsets_of(each.round)) for each in (derived, leaf))
    if more := sorted(ours - theirs):
        return f"offset {more[0]} has effect in it, and lies outside"
    if fewer := sorted(theirs - ours):
        return f"offset {fewer[0]} has no effect in it"
    for field in ArchivedRound.DESCRIPTOR.fields:
        name = field.name
        if getattr(derived.round, name) != getattr(leaf.round, name):
            return f"its manifest has another {name} than its records"
    return "its bytes are not the records that lie at its offsets"


def _opening(round_: ArchivedRound) -> Stored:
    """The RoundOpened of a round whose bytes are gone, as far as later ones are held against it."""
    record = JournalRecord(
        event_id=round_.round_id,
        table_id=round_.table_id,
        round_id=round_.round_id,
        occurred_at=round_.opened_at_ms * 1000,
        round_opened=RoundOpened(round_number=round_.round_number),
    )
    return Stored(
        round_.partition,
        round_.offsets[0],
        round_.opened_at_ms,
        round_.table_id.encode(),
        headers_of(record),
        serialize(record),
    )
