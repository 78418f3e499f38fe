"""Where an archive's writer goes on: what its log says of the journal's partitions."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from pitledger.archive.leaves import offsets_of
from pitledger.archive.offsets import Offsets
from pitledger.pb.archive_pb2 import ArchivedRound, ArchiveLeaf


@dataclass(slots=True)
class Position:
    """Of one partition: all below `cut` is sealed, and what lies at `taken` beyond it."""

    cut: int | None = None
    taken: Offsets = field(default_factory=Offsets)
    last_round: ArchiveLeaf | None = None
    last_remainder: ArchiveLeaf | None = None
    """Of what was sealed: one of the two holds the partition's last record."""

    @property
    def newest(self) -> ArchivedRound | None:
        """The round that was sealed last."""
        return self.last_round.round if self.last_round is not None else None

    @property
    def end(self) -> int:
        """So far the partition must reach, at the least."""
        sealed = self.taken.ranges()
        return sealed[-1][1] if sealed else self.cut or 0


class Positions:
    """Folded from the entries of a log, in their order."""

    def __init__(self) -> None:
        self._of: defaultdict[int, Position] = defaultdict(Position)
        self.documents: set[bytes] = set()
        """SHA-256 of those that the archive has."""

    def take(self, leaf: ArchiveLeaf) -> None:
        """The next entry."""
        match leaf.WhichOneof("kind"):
            case "round":
                position = self._of[leaf.round.partition]
                position.taken.update(offsets_of(leaf.round))
                position.last_round = leaf
            case "remainder":
                position = self._of[leaf.remainder.partition]
                position.cut = cut = leaf.remainder.end
                position.taken.forget_below(cut)
                position.last_remainder = leaf
            case "document":
                self.documents.add(leaf.sha256)
            case _:
                pass  # of a later contract: no record of the journal

    def take_all(self, leaves: Iterable[ArchiveLeaf]) -> "Positions":
        for leaf in leaves:
            self.take(leaf)
        return self

    def of(self, partition: int) -> Position:
        return self._of[partition]

    def items(self) -> Iterable[tuple[int, Position]]:
        """Each partition that the log tells of."""
        return self._of.items()
