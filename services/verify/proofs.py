"""That an entry lies in a signed tree: C2SP tlog-proof, version 1."""

from dataclasses import dataclass

from services.verify.faults import Bad
from services.verify.note import unbase64

_HEAD = "c2sp.org/tlog-proof@v1"
_HASHES_MAX = 64


@dataclass(frozen=True, slots=True)
class Proof:
    """`hashes`: from the leaf's sibling up. `checkpoint`: the signed note, byte by byte."""

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: bytes

    @classmethod
    def parse(cls, name: str, data: bytes) -> "Proof":
        """`name`: of its file. Raises Bad; also for extra data, as nobody signs that."""
        above, _, checkpoint = data.partition(b"\n\n")
        try:
            head, index, *lines = above.decode("ascii").split("\n")
        except ValueError:
            raise Bad(f"{name}: is no tlog-proof") from None
        number = index.removeprefix("index ")
        decimal = number.isascii() and number.isdecimal() and len(number) < 20
        hashes = tuple(unbase64(line) or b"" for line in lines[: _HASHES_MAX + 1])
        if (
            head != _HEAD
            or not decimal
            or index != f"index {int(number)}"
            or len(hashes) > _HASHES_MAX
            or any(len(each) != 32 for each in hashes)
        ):
            raise Bad(f"{name}: is no tlog-proof")
        return cls(int(number), hashes, checkpoint)
