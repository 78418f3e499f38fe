"""What the broker acknowledged, fact by fact, in a file: so that somebody else can look for it.

One line each, flushed before the floor goes on: `PARTITION OFFSET DIGEST`. The offset is -1 where
the broker did not say it (a repeat that it recognised). A last line without its end was never
finished, and counts for nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Self

from pitledger.journal.record import Headers


@dataclass(frozen=True, slots=True)
class Receipt:
    """An acknowledged message: where it lies, and the digest of its key, headers and value."""

    partition: int
    offset: int
    digest: str


class ReceiptFile:
    """Receipts being written; a context manager."""

    def __init__(self, path: Path) -> None:
        self._out = path.open("a")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self._out.close()

    def note(self, receipt: Receipt) -> None:
        self._out.write(f"{receipt.partition} {receipt.offset} {receipt.digest}\n")
        self._out.flush()


def read_receipts(path: Path) -> Iterator[Receipt]:
    """All finished lines of a file."""
    with path.open() as lines:
        for line in lines:
            if line.endswith("\n"):
                partition, offset, digest = line.split()
                yield Receipt(int(partition), int(offset), digest)


def digest_of(key: bytes, headers: Headers, value: bytes) -> str:
    """Of a message as it was sent, or as it lies on the journal."""
    digest = blake2b(digest_size=12)
    for part in (key, *(part for name, content in headers for part in (name.encode(), content)),
                 value):
        digest.update(len(part).to_bytes(4, "big") + part)
    return digest.hexdigest()
