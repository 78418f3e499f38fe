"""What the broker acknowledged, fact by fact, in a file: so that somebody else can look for it.

One line each, flushed before the floor goes on: `acknowledged PARTITION OFFSET DIGEST`. The offset
is -1 where the broker did not say it (a repeat that it recognised). What calls itself a decision
has a line before it is sent, `foul DIGEST`, for it may be on the journal without any answer. A last
line without its end was never finished, and counts for nothing.
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

    def acknowledged(self, receipt: Receipt) -> None:
        self._write(f"acknowledged {receipt.partition} {receipt.offset} {receipt.digest}\n")

    def foul(self, digest: str) -> None:
        self._write(f"foul {digest}\n")

    def _write(self, line: str) -> None:
        self._out.write(line)
        self._out.flush()


@dataclass(frozen=True, slots=True)
class Receipts:
    """What a file says: what is on the journal, and digests of forgeries that may be."""

    acknowledged: tuple[Receipt, ...]
    foul: frozenset[str]


def read_receipts(path: Path) -> Receipts:
    """All finished lines of a file."""
    acknowledged, foul = [], set()
    for line in _finished_lines(path):
        match line.split():
            case ["acknowledged", partition, offset, digest]:
                acknowledged.append(Receipt(int(partition), int(offset), digest))
            case ["foul", digest]:
                foul.add(digest)
            case _:
                raise ValueError(f"{path}: no receipt: {line}")
    return Receipts(tuple(acknowledged), frozenset(foul))


def _finished_lines(path: Path) -> Iterator[str]:
    with path.open() as lines:
        for line in lines:
            if line.endswith("\n"):
                yield line


def digest_of(key: bytes, headers: Headers, value: bytes) -> str:
    """Of a message as it was sent, or as it lies on the journal."""
    digest = blake2b(digest_size=12)
    for part in (key, *(part for name, content in headers for part in (name.encode(), content)),
                 value):
        digest.update(len(part).to_bytes(4, "big") + part)
    return digest.hexdigest()
