"""An archive's rounds derived again, its partitions dealt out to all cores.

The separate program `pitledger-verify` runs beside and judges what is signed; it shares no code
with this.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from services.cli import archived
from services.cli.workers import workers
from services.cores import cores

if TYPE_CHECKING:
    from pitledger.archive.deletions import Deleted
    from pitledger.archive.log import About
    from pitledger.archive.rederive import Rederivation, Unlike
    from pitledger.pb.archive_pb2 import ArchivedRound
    from pitledger.replay import RoundReport

SHARES_A_CORE = 4
"""So that no core is idle for long at the end, however unlike the partitions are."""

Progress = Callable[[int], None]
"""Is told how many rounds were derived so far."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """The first entry that is not what it should be. `lines`: more about it."""

    entry: int
    text: str
    lines: tuple[str, ...] = ()


@dataclass(slots=True)
class Derived:
    """What some partitions came to."""

    counts: Counter[str] = field(default_factory=Counter)  # "rounds", "records", "deleted"
    wrong: Wrong | None = None

    def add(self, other: "Derived") -> None:
        self.counts.update(other.counts)
        found = [each for each in (self.wrong, other.wrong) if each is not None]
        self.wrong = min(found, key=lambda wrong: wrong.entry, default=None)


@dataclass(frozen=True, slots=True)
class Task:
    """An archive as it is now."""

    source: str
    about: "About"
    size: int
    deleted: "Deleted"
    long: Mapping[int, int]
    """Entries of documents that tell of a round: its partition."""


def task_of(source: str) -> tuple[Task, dict[int, int]]:
    """What there is to derive, and how many rounds each partition has. Raises Failed."""
    from pitledger.archive.deletions import Deleted, read_deletions
    from pitledger.archive.in_order import partition_of_leaf
    from pitledger.archive.log import manifests, newest
    from pitledger.archive.long_rounds import is_long_round, manifest_of

    about = archived.about(source)
    rounds: Counter[int] = Counter()
    with archived.blamed_on(source):
        store = archived.store_of(source)
        checkpoint = newest(store, about.origin)
        size = checkpoint.size if checkpoint else 0
        documents, long = [], {}
        for entry, leaf in enumerate(manifests(store, size)):
            partition = partition_of_leaf(leaf)
            if partition is not None:
                rounds[partition] += leaf.HasField("round")
            elif is_long_round(leaf):
                long[entry] = manifest_of(store, entry, leaf).round.partition
                rounds[long[entry]] += 1
            else:
                documents.append(leaf)
        deleted = Deleted(read_deletions(store, documents))
    return Task(source, about, size, deleted, long), dict(rounds)


def derive_again(task: Task, rounds: dict[int, int], progress: Progress) -> Derived:
    """All partitions. Raises Failed where the archive cannot be read."""
    found = Derived()
    shares = _shares(rounds, cores() * SHARES_A_CORE)
    with workers(cores()) as pool:
        progress(0)
        waits = [pool.submit(_share, task, share) for share in shares]
        try:
            for wait in waits:
                found.add(wait.result())
                progress(found.counts["rounds"] + found.counts["deleted"])
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return found


def _shares(rounds: dict[int, int], count: int) -> list[list[int]]:
    """Partitions in shares of about as many rounds each, the largest first."""
    shares: list[tuple[int, list[int]]] = [(0, []) for _ in range(count)]
    for partition in sorted(rounds, key=lambda p: -rounds[p]):
        size, smallest = min(shares, key=lambda share: share[0])
        shares.remove((size, smallest))
        shares.append((size + rounds[partition] + 1, [*smallest, partition]))
    return [partitions for _, partitions in sorted(shares, reverse=True) if partitions]


def _share(task: Task, partitions: Sequence[int]) -> Derived:
    """In a process of its own."""
    with archived.blamed_on(task.source):
        first = _Partitions(task, partitions, forgets=True)
        first.derive()
        if first.again:
            afresh = _Partitions(task, first.again, forgets=False)
            afresh.derive()
            first.found.add(afresh.found)
    return first.found


class _Partitions:
    """Some partitions, derived in one pass over the log. Raises BadArchive for a damaged tile."""

    def __init__(self, task: Task, partitions: Iterable[int], *, forgets: bool) -> None:
        from pitledger.archive.rederive import Rederivation

        self.found = Derived()
        self.again: list[int] = []
        """Those to derive afresh, forgetting nothing, as the broker's clock went back."""
        self._task, self._store = task, archived.store_of(task.source)
        journal = task.about.partitions
        self._open = {
            partition: Rederivation(
                self._store, partition, journal, task.deleted, forgets=forgets
            )
            for partition in partitions
        }

    def derive(self) -> None:
        from pitledger.archive.in_order import partition_of_leaf
        from pitledger.archive.log import manifests

        for entry, leaf in enumerate(manifests(self._store, self._task.size)):
            partition = self._task.long.get(entry, partition_of_leaf(leaf))
            if partition in self._open:
                self._guarded(partition, entry, lambda part: part.take(entry, leaf))  # noqa: B023
        for partition in list(self._open):
            self._guarded(partition, self._task.size, lambda part: part.end())
        for part in self._open.values():
            self._count(part)

    def _guarded(
        self, partition: int, entry: int, work: "Callable[[Rederivation], None]"
    ) -> None:
        from pitledger.archive.collect import ClockWentBack
        from pitledger.archive.rederive import Unlike
        from pitledger.archive.store import BadArchive

        try:
            work(self._open[partition])
        except ClockWentBack:
            self.again.append(partition)
            del self._open[partition]
        except Unlike as unlike:
            self._wrong(partition, _explained(self._task, unlike))
        except BadArchive as problem:
            self._wrong(partition, Wrong(entry, str(problem)))

    def _wrong(self, partition: int, wrong: Wrong) -> None:
        """Of a partition nothing more is derived."""
        self._count(self._open.pop(partition))
        self.found.add(Derived(wrong=wrong))

    def _count(self, part: "Rederivation") -> None:
        self.found.counts.update(asdict(part.counts))


def _explained(task: Task, unlike: "Unlike") -> Wrong:
    """With what a replay of the round says, where it is about one."""
    if unlike.round_ is None:
        return Wrong(unlike.entry, f"entry {unlike.entry}: {unlike}")
    round_ = unlike.round_
    name = f"{round_.table_id}/{round_.round_number}"
    text = f"entry {unlike.entry} (round {name}, {round_.round_id}): {unlike}"
    return Wrong(unlike.entry, text, tuple(_told(task, round_)))


def _told(task: Task, round_: "ArchivedRound") -> Iterator[str]:
    """Fold the table again, up to the end of the round, and say what is odd in it."""
    from pitledger.archive.in_order import in_order
    from pitledger.archive.leaves import offsets_of
    from pitledger.archive.log import manifests
    from pitledger.archive.store import BadArchive
    from pitledger.replay import Replay
    from services.cli.transcript import kind_of_step

    store, own = archived.store_of(task.source), set(offsets_of(round_))
    table = round_.table_id
    replay = Replay(task.about.partitions, only_table=table, steps_of=round_.round_id)
    records = in_order(store, manifests(store, task.size), [round_.partition], task.deleted)
    with suppress(BadArchive):
        for stored in records:
            if stored.offset > max(own):
                break
            replay.take(stored)
    for step in replay.steps:
        offset, kind = step.stored.offset, kind_of_step(step)
        if offset in own and step.note:
            yield f"{kind} at offset {offset} lies in it, and is there: {step.note}"
        elif offset not in own and not step.note and round_.copied != offset:
            yield f"{kind} at offset {offset} has effect in it, and lies outside"
    for report in replay.reports():
        if report.round_id == round_.round_id:
            yield from _differs(report)


def _differs(report: "RoundReport") -> Iterator[str]:
    from services.cli.transcript import kind_of

    if report.difference is not None:
        yield report.difference.text
    elif report.missing:
        kinds = ", ".join(kind_of(decision.body) for decision in report.missing)
        yield f"derived, and not recorded: {kinds}"
