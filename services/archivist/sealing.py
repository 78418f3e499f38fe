"""From records to a sealed archive: what is complete is gathered, and sealed a batch at a time."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pitledger.archive import holds, statements
from pitledger.archive.collect import NOTHING_BEFORE, Memory, Waiting
from pitledger.archive.contract import contract
from pitledger.archive.leaves import Leaf, document_leaf
from pitledger.archive.log import LogWriter
from pitledger.archive.positions import Position
from pitledger.archive.saved_positions import read_positions
from pitledger.journal.record import Stored
from services.archivist.dictionary import built_in
from services.archivist.share import Part, Share

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


class Signing:
    """Seals parts, whoever has made them, in the archive of one writer. Raises what that raises."""

    def __init__(self, writer: LogWriter) -> None:
        self.sealed = Sealed()
        self.positions = read_positions(writer.store, writer.size)
        """What the archive had before this run."""
        self._writer = writer
        self._documents: list[Leaf] = []
        self._begun = writer.size == 0

    def add(self, parts: Sequence[Part]) -> None:
        """Under one checkpoint. Entries lie in the order of partitions: the same whoever had which
        of them. At the first call also what lies beside the log, though there be nothing else: a
        key that took another's place signs at once.
        """
        rules: dict[bytes, bytes] = {}
        entries: defaultdict[int, list[bytes]] = defaultdict(list)
        for part in parts:
            self.sealed.rounds += part.rounds
            self.sealed.remainders += part.remainders
            self.sealed.records += part.records
            rules |= part.rules
            for partition, added in part.entries.items():
                entries[partition] += added
        beside = [] if self._begun and not entries else self._beside()
        self._begun = True
        if entries or beside:
            self._explain_all(rules, beside)
            in_order = [entry for partition in sorted(entries) for entry in entries[partition]]
            self._writer.append(self._documents, in_order)
            self._documents = []
            self.sealed.checkpoints += 1

    def _beside(self) -> list[Leaf]:
        """What lies beside the log and was not sealed."""
        store, known = self._writer.store, self.positions.documents
        said = statements.unsealed(store, known)
        if said:
            self._writer.check_statements()
        return [*said, *holds.unsealed(store, known)]

    def _explain_all(self, rules: dict[bytes, bytes], beside: list[Leaf]) -> None:
        self._explain("log", self._writer.about.data())
        self._explain("dictionary", built_in())
        self._explain("schema", contract())
        self.positions.documents.update(leaf.sha256 for leaf in beside)
        self._documents += beside
        for _, submission in sorted(rules.items()):
            self._explain("rules", submission)

    def _explain(self, name: str, data: bytes) -> None:
        """Put into the archive, once, what its records need to be understood."""
        if sha256(data).digest() in self.positions.documents:
            return
        leaf = document_leaf(name, _MEDIA_TYPES[name], data)
        self.positions.documents.add(leaf.sha256)
        self._documents.append(leaf)


class Sealing:
    """One archive's writer, fed with the journal's records, each partition's in order.

    Raises what LogWriter and Collector raise.
    """

    def __init__(
        self,
        writer: LogWriter,
        partitions: int,
        leaves_max: int = BATCH,
        may_sign: Callable[[], bool] = lambda: True,
    ) -> None:
        """`may_sign`: asked whenever something is to be sealed; False: another time."""
        self._leaves_max = leaves_max
        self._may_sign = may_sign
        self._signing = Signing(writer)
        self.sealed = self._signing.sealed
        self._share = Share(writer.store, partitions, self._signing.positions)

    def position_of(self, partition: int) -> Position:
        """What the archive had of a partition before this run: where to read it from."""
        return self._share.position_of(partition)

    def begin(self, partition: int, first: int, memory: Memory = NOTHING_BEFORE) -> None:
        """Before a partition's first record, which is at its cut, if there is one."""
        self._share.begin(partition, first, memory)

    def take(self, stored: Stored) -> None:
        """The next record of its partition."""
        if self._share.take(stored) >= self._leaves_max:
            self.seal()

    def seal(self) -> bool:
        """Seal all that is complete by now, with the remainders between, under a checkpoint.

        False: another time.
        """
        if not self._may_sign():
            return False
        self._signing.add([self._share.seal()])
        return True

    def waiting(self) -> list[Waiting]:
        """Rounds that are not sealed."""
        return self._share.waiting()
