"""An entry of the log, and how it is named to who reads of it."""

from dataclasses import dataclass
from itertools import accumulate
from typing import NoReturn

from google.protobuf.message import DecodeError

from pitledger.pb.archive_pb2 import ArchiveLeaf
from services.verify.faults import Bad


@dataclass(frozen=True, slots=True)
class Entry:
    """`number`: from 0. `leaf`: its manifest."""

    number: int
    leaf: ArchiveLeaf

    @classmethod
    def parse(cls, number: int, data: bytes) -> "Entry":
        """Raises Bad."""
        try:
            leaf = ArchiveLeaf.FromString(data)
        except DecodeError:
            raise Bad(f"entry {number}: is no manifest") from None
        return cls(number, leaf)

    def offsets(self) -> list[int]:
        """Of a round: its records' offsets."""
        return list(accumulate(self.leaf.round.offsets))

    def bad(self, problem: str) -> NoReturn:
        raise Bad(f"{self}: {problem}")

    def __str__(self) -> str:
        return f"entry {self.number}{_what(self.leaf, self.offsets())}"


def named(number: int, data: bytes) -> str:
    """An entry, as far as its bytes can be read."""
    try:
        return str(Entry.parse(number, data))
    except Bad:
        return f"entry {number}"


def _what(leaf: ArchiveLeaf, offsets: list[int]) -> str:
    match leaf.WhichOneof("kind"):
        case "round":
            span = f"offsets {offsets[0]} to {offsets[-1]}" if offsets else "no offsets"
            where = f"partition {leaf.round.partition}, {span}"
            return f" (round {leaf.round.round_id} of table {leaf.round.table_id}, {where})"
        case "remainder":
            rest = leaf.remainder
            where = f"partition {rest.partition}, offsets {rest.first} up to {rest.end}"
            return f" (remainder of {where})"
        case "document":
            return f" (document {leaf.document.name!r})"
        case _:
            return ""
