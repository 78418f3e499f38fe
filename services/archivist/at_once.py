"""A journal's file sealed by several processes, each with a share of its partitions.

The file is sealed chunk by chunk. Of each chunk every process folds its partitions' records and
writes their leaves; the first one signs, when all have done so. Entries lie in the order of
partitions, so the archive is the same whatever the number of processes. A process that is ahead
waits, with one chunk behind it: memory does not grow with the file.
"""

import gc
import os
import signal
from collections import Counter
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from pitledger.archive.collect import Memory, Waiting
from pitledger.archive.log import LogWriter
from pitledger.archive.store import Store, StoreError
from pitledger.journal.record import TYPE_BYTES, Stored, partition_of
from pitledger.sources.file import read_chunks, read_file
from services.archivist.cuts import DoesNotContinue
from services.archivist.folder import Folder
from services.archivist.sealing import Sealed, Signing
from services.archivist.share import Part, Share

CHUNK = 1 << 17
"""Records of the file that are sealed by one checkpoint: some 2,400 rounds."""
SAMPLE = 1 << 15
"""Records by which partitions are dealt out."""
BYTES_A_PROCESS_MIN = 4 << 20
"""A process of its own is not worth its start for less."""
_YOUNG = 50_000
"""Objects between two looks of Python's collector: many are kept, few are in a cycle. At its own
2,000 it takes a sixth of the time."""
_OPENED = ("ce_type", TYPE_BYTES["round_opened"])

_Parts = Iterator[Part | list[Waiting]]
"""Of each chunk a part, and behind the last one what waits."""


@dataclass(frozen=True, slots=True)
class File:
    """A journal's file, of a topic with so many partitions; `chunk`: in records."""

    path: Path
    partitions: int
    chunk: int = CHUNK


def seal_file(
    writer: LogWriter, file: File, processes: int | None = None
) -> tuple[Sealed, list[Waiting]]:
    """Seal all that is complete; what was done, and what waits.

    Raises what LogWriter and Collector raise, BadJournalFile, OSError, DoesNotContinue.
    """
    signing = Signing(writer)
    with _parts(writer.store, signing, file, processes or _worth(file.path)) as streams:
        while True:
            parts = [next(stream) for stream in streams]
            if not isinstance(parts[0], Part):
                waiting = [each for part in parts if isinstance(part, list) for each in part]
                return signing.sealed, sorted(waiting, key=lambda each: each.round_id)
            signing.add([part for part in parts if isinstance(part, Part)])


def require_partitions(file: File) -> None:
    """Raises DoesNotContinue if most of its first records lie elsewhere than in such a topic."""
    at_home = [
        partition_of(each.key.decode(errors="replace"), file.partitions) == each.partition
        for each in islice(read_file(file.path), SAMPLE)
    ]
    if sum(at_home) * 2 < len(at_home):
        raise DoesNotContinue(
            f"is not of a topic with {file.partitions} partitions; give the number with"
            " --partitions"
        )


# ---- One share ----


def _fold(store: Store, signing: Signing, file: File, mine: Container[int]) -> _Parts:
    share = Share(store, file.partitions, signing.positions)
    reading = _Reading(signing, share, file.partitions)
    for stored in read_chunks(file.path, mine, file.chunk):
        if stored is None:
            yield share.seal()
        else:
            reading.take(stored)
    yield share.waiting()


class _Reading:
    """Begins each partition at its cut, or with its first record."""

    def __init__(self, signing: Signing, share: Share, partitions: int) -> None:
        self._positions, self._share = signing.positions, share
        self._partitions = partitions
        self._next: dict[int, int] = {}

    def take(self, stored: Stored) -> None:
        partition = stored.partition
        expected = self._next.get(partition)
        if expected is None:
            expected = self._begin(stored)
        if stored.offset >= expected:
            self._next[partition] = stored.offset + 1
            self._share.take(stored)
        elif _OPENED in stored.headers:
            self._share.remember(stored)

    def _begin(self, stored: Stored) -> int:
        if stored.partition >= self._partitions:
            raise DoesNotContinue(f"partition {stored.partition}: there are {self._partitions}")
        cut = self._positions.of(stored.partition).cut
        first = stored.offset if cut is None else cut
        if stored.offset > first:
            raise DoesNotContinue(f"partition {stored.partition} lacks offset {first}")
        self._share.begin(stored.partition, first, Memory(forgets=False))
        self._next[stored.partition] = first
        return first


# ---- Several at once ----


@contextmanager
def _parts(store: Store, signing: Signing, file: File, count: int) -> Iterator[list[_Parts]]:
    # A bucket is the one process's that has its lease.
    folder = store if isinstance(store, Folder) else None
    shares = _dealt(file, count if folder else 1)
    if folder is None or len(shares) == 1:
        yield [_fold(store, signing, file, shares[0])]
        return
    # A fork has its share of the lock: as long as one of them writes, nobody else begins.
    context = get_context("fork")
    workers = []
    for hand, mine in enumerate(shares, 1):
        ours, theirs = context.Pipe(duplex=False)
        arguments = theirs, Folder(folder.home, hand), signing, file, mine
        process = context.Process(target=_work, args=arguments)
        process.start()
        theirs.close()
        workers.append((process, ours))
    try:
        yield [_received(ours) for _, ours in workers]
    finally:
        for process, ours in workers:
            ours.close()
            process.kill()
            process.join()


def _work(
    pipe: Connection, folder: Folder, signing: Signing, file: File, mine: Container[int]
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(_YOUNG)
    with suppress(BrokenPipeError):  # the first one is gone
        try:
            for part in _fold(folder, signing, file, mine):
                pipe.send(part)
        except Exception as problem:
            pipe.send(problem)


def _received(pipe: Connection) -> _Parts:
    try:
        while True:
            match pipe.recv():
                case Exception() as problem:
                    raise problem
                case part:
                    yield part
    except EOFError:
        raise StoreError("a process that seals a share of the journal was killed") from None


def _worth(path: Path) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(cores or 1, path.stat().st_size // BYTES_A_PROCESS_MIN))


@dataclass(frozen=True, slots=True)
class _AllBut:
    others: frozenset[int]

    def __contains__(self, partition: object) -> bool:
        return partition not in self.others


def _dealt(file: File, count: int) -> list[Container[int]]:
    """Partitions by share; those with most records first, each to whom has fewest.

    The last share has also what should not be there.
    """
    found = Counter(stored.partition for stored in islice(read_file(file.path), SAMPLE))
    shares: list[set[int]] = [set() for _ in range(count)]
    loads = [0] * count
    for partition in sorted(range(file.partitions), key=lambda each: -found[each]):
        lightest = loads.index(min(loads))
        shares[lightest].add(partition)
        loads[lightest] += found[partition] + 1
    return [*shares[:-1], _AllBut(frozenset().union(*shares[:-1]))]
