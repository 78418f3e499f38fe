"""A journal sealed once by several processes, each of which reads a share of its partitions.

It is sealed chunk by chunk. Of each chunk every process folds its partitions' records and writes
their leaves; the first one signs, when all have done so. Entries lie in the order of partitions, so
a file gives the same archive whatever the number of processes. A process that is ahead waits, with
one chunk behind it: memory does not grow with the journal.
"""

import gc
import signal
from collections import Counter
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol

from pitledger.archive.collect import ClockWentBack, Memory, Waiting
from pitledger.archive.log import LogWriter
from pitledger.archive.saved_positions import Keeping
from pitledger.archive.store import Store, StoreError
from pitledger.journal.record import TYPE_BYTES, Stored, partition_of
from pitledger.sources.connection import Connection as Kafka
from pitledger.sources.file import read_chunks, read_file
from pitledger.sources.kafka import read_topic
from services.archivist.cuts import Cuts
from services.archivist.same_journal import DoesNotContinue
from services.archivist.sealing import Sealed, Signing
from services.archivist.share import Part, Share
from services.cores import cores, processes_for
from services.runtime.same_topic import MadeAnew, SameTopic
from services.storage.folder import Folder

CHUNK = 1 << 17
"""Records of the file that are sealed by one checkpoint: some 2,400 rounds."""
SAMPLE = 1 << 15
"""Records by which partitions are dealt out."""
_YOUNG = 50_000
"""Objects between two looks of Python's collector: many are kept, few are in a cycle. At its own
2,000 it takes a sixth of the time."""
_OPENED = ("ce_type", TYPE_BYTES["round_opened"])

_Parts = Iterator[Part | list[Waiting]]
"""Of each chunk a part, and behind the last one what waits."""


class Source(Protocol):
    """A journal that shares of its partitions can be read of."""

    @property
    def partitions(self) -> int: ...

    def dealt(self, processes: int | None) -> list[Container[int]]:
        """Partitions by share; one for each of so many processes, None: for as many as are worth
        it.
        """

    def read(self, share: Share, mine: Container[int]) -> Iterator[Stored | None]:
        """Begins the share's partitions; their records, and a None behind each chunk."""


@dataclass(frozen=True, slots=True)
class File:
    """A journal's file, of a topic with so many partitions; `chunk`: in records of the file.

    Raises BadJournalFile, OSError, DoesNotContinue.
    """

    path: Path
    partitions: int
    chunk: int = CHUNK

    def dealt(self, processes: int | None) -> list[Container[int]]:
        """Those with most records first, each to whom has fewest. The last share has also what
        should not be there.
        """
        count = processes or processes_for(self.path.stat().st_size)
        found = Counter(stored.partition for stored in islice(read_file(self.path), SAMPLE))
        shares: list[set[int]] = [set() for _ in range(count)]
        loads = [0] * count
        for partition in sorted(range(self.partitions), key=lambda each: -found[each]):
            lightest = loads.index(min(loads))
            shares[lightest].add(partition)
            loads[lightest] += found[partition] + 1
        return [*shares[:-1], _AllBut(frozenset().union(*shares[:-1]))]

    def read(self, share: Share, mine: Container[int]) -> Iterator[Stored | None]:
        following: dict[int, int] = {}
        firsts: dict[int, int] = {}
        for stored in read_chunks(self.path, mine, self.chunk):
            if stored is None:
                yield None
                continue
            expected = following.get(stored.partition)
            if expected is None:
                expected = self._begin(share, stored)
                following[stored.partition] = expected
                firsts[stored.partition] = stored.offset
            if stored.offset >= expected:
                following[stored.partition] = stored.offset + 1
                yield stored
            elif stored.offset < (first := firsts[stored.partition]):
                where = f"partition {stored.partition}: offset {stored.offset} follows {first}"
                raise DoesNotContinue(f"{where}, and a journal is in order")
            elif _OPENED in stored.headers:
                share.remember(stored)

    def _begin(self, share: Share, stored: Stored) -> int:
        if stored.partition >= self.partitions:
            raise DoesNotContinue(f"partition {stored.partition}: there are {self.partitions}")
        cut = share.position_of(stored.partition).cut
        first = stored.offset if cut is None else cut
        if stored.offset > first:
            raise DoesNotContinue(f"partition {stored.partition} lacks offset {first}")
        share.begin(stored.partition, first, Memory(forgets=False))
        return first


@dataclass(frozen=True, slots=True)
class Topic:
    """The journal on Kafka, from the archive's cuts up to where it ends now.

    Raises what read_topic and Cuts raise. `before_ms`: of partitions whose broker's clock went
    back.
    """

    connection: Kafka
    before_ms: dict[int, int] = field(default_factory=dict)

    @property
    def partitions(self) -> int:
        return self.connection.partitions

    def dealt(self, processes: int | None) -> list[Container[int]]:
        count = min(processes or cores(), self.partitions)
        return [range(first, self.partitions, count) for first in range(count)]

    def read(self, share: Share, mine: Container[int]) -> Iterator[Stored | None]:
        wanted = [partition for partition in range(self.partitions) if partition in mine]
        chunk = CHUNK * len(wanted) // self.partitions
        cuts = Cuts(share, self.connection, self.before_ms)
        for number, stored in enumerate(read_topic(self.connection, wanted, cuts), 1):
            yield stored
            if number % chunk == 0:
                yield None
        yield None


def seal(
    writer: LogWriter,
    source: Source,
    processes: int | None = None,
    before: Callable[[], None] = lambda: None,
) -> tuple[Sealed, list[Waiting]]:
    """Seal all that is complete; what was done, and what waits. `before`: each signature.

    Raises what LogWriter and Collector raise, and the source.
    """
    signing = Signing(writer)
    waiting: list[Waiting] = []
    with _parts(writer.store, signing, source, processes) as streams:
        while streams:
            found = [(next(stream), stream) for stream in streams]
            before()
            signing.add([part for part, _ in found if isinstance(part, Part)])
            for part, stream in found:
                if not isinstance(part, Part):
                    waiting += part
                    streams.remove(stream)
    Keeping(writer.store).keep(writer.size)
    return signing.sealed, sorted(waiting, key=lambda each: each.round_id)


def seal_topic(writer: LogWriter, connection: Kafka) -> tuple[Sealed, list[Waiting]]:
    """As `seal`; where a broker's clock went back, or the topic was made anew, from the archive's
    cuts again, where it is found out whether it continues the archive.
    """
    topic = Topic(connection)
    while True:
        try:
            return seal(writer, topic, before=SameTopic(connection).require)
        except ClockWentBack as went:
            before = topic.before_ms.get(went.partition, went.before_ms)
            topic.before_ms[went.partition] = min(before, went.before_ms)
        except MadeAnew:
            continue


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


def _fold(store: Store, signing: Signing, source: Source, mine: Container[int]) -> _Parts:
    share = Share(store, source.partitions, signing.positions)
    for stored in source.read(share, mine):
        if stored is None:
            yield share.seal()
        else:
            share.take(stored)
    yield share.waiting()


# ---- Several at once ----


@contextmanager
def _parts(
    store: Store, signing: Signing, source: Source, processes: int | None
) -> Iterator[list[_Parts]]:
    # A bucket is the one process's that has its lease.
    folder = store if isinstance(store, Folder) else None
    shares = source.dealt(processes if folder else 1)
    if folder is None or len(shares) == 1:
        yield [_fold(store, signing, source, shares[0])]
        return
    # A fork has its share of the lock: as long as one of them writes, nobody else begins.
    context = get_context("fork")
    workers = []
    try:
        for hand, mine in enumerate(shares, 1):
            ours, theirs = context.Pipe(duplex=False)
            arguments = theirs, Folder(folder.home, hand), signing, source, mine
            process = context.Process(target=_work, args=arguments)
            process.start()
            theirs.close()
            workers.append((process, ours))
        yield [_received(ours) for _, ours in workers]
    finally:
        for process, ours in workers:
            ours.close()
            process.kill()
            process.join()


def _work(
    pipe: Connection, folder: Folder, signing: Signing, source: Source, mine: Container[int]
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(_YOUNG)
    with suppress(BrokenPipeError):  # the first one is gone
        try:
            for part in _fold(folder, signing, source, mine):
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


@dataclass(frozen=True, slots=True)
class _AllBut:
    others: frozenset[int]

    def __contains__(self, partition: object) -> bool:
        return partition not in self.others
