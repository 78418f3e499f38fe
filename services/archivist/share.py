"""A share of a journal's partitions, folded into leaves, which lie in the archive as they come.

Of what an append takes, this is nearly all, and needs no other partition: so that several processes
do it at once. What it comes to is short, a manifest for each leaf, and is signed by one of them.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from hashlib import sha256

from pitledger.archive import layout
from pitledger.archive.collect import NOTHING_BEFORE, Collector, Memory, Waiting
from pitledger.archive.leaves import Leaf, is_too_long, remainder_leaves, round_leaf
from pitledger.archive.long_rounds import long_round_leaf
from pitledger.archive.packing import Packer
from pitledger.archive.positions import Position, Positions
from pitledger.archive.store import Store
from pitledger.journal.record import Stored
from services.archivist.dictionary import built_in


@dataclass(slots=True)
class Part:
    """What a share adds under the next checkpoint; its leaves are durable.

    `entries`: by partition, in the order in which the rounds became complete, then the remainder,
    then documents that tell of rounds in it.
    """

    entries: defaultdict[int, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    rules: dict[bytes, bytes] = field(default_factory=dict)
    """Submissions that the rounds name, by their SHA-256."""
    rounds: int = 0
    remainders: int = 0
    records: int = 0

    @property
    def leaves(self) -> int:
        return self.rounds + self.remainders


class Share:
    """Fed with the records of its partitions, each one's in order. Raises what Collector raises,
    StoreError.
    """

    def __init__(self, store: Store, partitions: int, positions: Positions) -> None:
        self._store = store
        self._collector = Collector(partitions)
        self._positions = positions
        self._packer = Packer(built_in())
        self._begun: set[int] = set()
        self._part = Part()

    def begin(self, partition: int, first: int, memory: Memory = NOTHING_BEFORE) -> None:
        """Before a partition's first record, which is at its cut, if there is one."""
        position = self._positions.of(partition)
        assert position.cut in (None, first)
        self._collector.begin(partition, first, memory, position.taken)
        self._begun.add(partition)

    def position_of(self, partition: int) -> Position:
        """What the archive had of a partition before this run: where to read it from."""
        return self._positions.of(partition)

    def remember(self, stored: Stored) -> None:
        """An opening of below a partition's cut, after its beginning."""
        self._collector.remember(stored)

    def take(self, stored: Stored) -> int:
        """The next record of its partition; how many leaves there are to seal."""
        part = self._part
        part.records += 1
        for transcript in self._collector.take(stored):
            submission = transcript.opened.round_opened.submission
            part.rules[sha256(submission).digest()] = submission
            leaf = round_leaf(transcript)
            if is_too_long(leaf):
                self._collector.let_go(transcript)
                continue
            self._put(stored.partition, leaf)
            part.rounds += 1
        return part.leaves

    def seal(self) -> Part:
        """All that is complete by now, with the remainders between."""
        part = self._part
        for partition in sorted(self._begun):
            remainder = self._collector.cut(partition)
            if remainder is not None:
                for leaf in remainder_leaves(remainder):
                    self._put(partition, leaf)
                    part.remainders += 1
                for transcript in remainder.let_go:
                    self._put(partition, long_round_leaf(round_leaf(transcript)))
                    part.rounds += 1
        self._store.sync()
        self._part = Part()
        return part

    def waiting(self) -> list[Waiting]:
        """Rounds that are not sealed."""
        return self._collector.waiting()

    def _put(self, partition: int, leaf: Leaf) -> None:
        self._store.write(layout.leaf(leaf.sha256), self._packer.pack(leaf))
        self._part.entries[partition].append(leaf.entry)
