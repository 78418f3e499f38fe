"""From records to a sealed archive: what is complete is gathered, and sealed a batch at a time."""

from dataclasses import dataclass
from hashlib import sha256

from pitledger.archive.collect import NOTHING_BEFORE, Collector, Memory, Waiting
from pitledger.archive.contract import contract
from pitledger.archive.holds import unsealed
from pitledger.archive.leaves import Leaf, document_leaf, remainder_leaves, round_leaf
from pitledger.archive.log import LogWriter, manifests
from pitledger.archive.packing import Packer
from pitledger.archive.positions import Position, Positions
from pitledger.journal.record import Stored
from services.archivist.dictionary import built_in

_MEDIA_TYPES = {
    "log": "application/json",
    "dictionary": "application/octet-stream",
    "schema": "application/protobuf; proto=google.protobuf.FileDescriptorSet",
    "rules": "application/protobuf; proto=pitledger.v1.RulesSubmission",
}

BATCH = 4_096
"""So many leaves are sealed by one checkpoint, and as many more as one record completes."""


@dataclass(slots=True)
class Sealed:
    """What this run has added."""

    rounds: int = 0
    remainders: int = 0
    records: int = 0
    checkpoints: int = 0


class Sealing:
    """One archive's writer, fed with the journal's records, each partition's in order.

    Raises what LogWriter and Collector raise.
    """

    def __init__(self, writer: LogWriter, partitions: int, leaves_max: int = BATCH) -> None:
        self.sealed = Sealed()
        self._writer = writer
        self._leaves_max = leaves_max
        self._collector = Collector(partitions)
        self._positions = Positions().take_all(manifests(writer.store, writer.size))
        self._packer = Packer(built_in())
        self._documents: list[Leaf] = []
        self._leaves: list[Leaf] = []
        self._begun: set[int] = set()

    def position_of(self, partition: int) -> Position:
        """What the archive had of a partition before this run: where to read it from."""
        return self._positions.of(partition)

    def begin(self, partition: int, first: int, memory: Memory = NOTHING_BEFORE) -> None:
        """Before a partition's first record, which is at its cut, if there is one."""
        position = self._positions.of(partition)
        assert position.cut in (None, first)
        self._collector.begin(partition, first, memory, position.taken)
        self._begun.add(partition)

    def take(self, stored: Stored) -> None:
        """The next record of its partition."""
        for transcript in self._collector.take(stored):
            self._explain("rules", transcript.opened.round_opened.submission)
            self._leaves.append(round_leaf(transcript))
            self.sealed.rounds += 1
        self.sealed.records += 1
        if len(self._leaves) >= self._leaves_max:
            self.seal()

    def seal(self) -> None:
        """Seal all that is complete by now, with the remainders between, under a checkpoint."""
        for partition in sorted(self._begun):
            remainder = self._collector.cut(partition)
            if remainder is not None:
                leaves = list(remainder_leaves(remainder))
                self.sealed.remainders += len(leaves)
                self._leaves += leaves
        if self._leaves:
            self._append()
            self.sealed.checkpoints += 1

    def _append(self) -> None:
        rules, self._documents = self._documents, []
        self._explain("log", self._writer.about.data())
        self._explain("dictionary", built_in())
        self._explain("schema", contract())
        holds = unsealed(self._writer.store, self._positions.documents)
        self._positions.documents.update(leaf.sha256 for leaf in holds)
        self._writer.append([*self._documents, *holds, *rules, *self._leaves], self._packer)
        self._documents, self._leaves = [], []

    def waiting(self) -> list[Waiting]:
        """Rounds that are not sealed."""
        return self._collector.waiting()

    def _explain(self, name: str, data: bytes) -> None:
        """Put into the archive, once, what its records need to be understood."""
        if sha256(data).digest() in self._positions.documents:
            return
        leaf = document_leaf(name, _MEDIA_TYPES[name], data)
        self._positions.documents.add(leaf.sha256)
        self._documents.append(leaf)
