"""What of an archive is within its term, what is on hold, what may go."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

from pitledger.archive.deletions import Deleted, read_deletions
from pitledger.archive.holds import read_holds
from pitledger.archive.log import leaf_data, manifests
from pitledger.archive.store import Store
from pitledger.pb.archive_pb2 import ArchiveLeaf
from services.retention.holding import Holding, last_time_ms
from services.retention.policy import Policy


class State(StrEnum):
    """Of a leaf that holds records of the journal."""

    TERM = "within its term"
    HELD = "on hold"
    OVER = "may go"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Kept:
    """A leaf and its day: of a round its gaming day, or the day of its last record if that is
    later; of a remainder that of its last record."""

    entry: int
    leaf: ArchiveLeaf
    day: date
    until: date
    state: State
    holds: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = "remainder"
        if self.leaf.HasField("round"):
            what = f"round {self.leaf.round.table_id}/{self.leaf.round.round_number}"
        why = f" by {', '.join(self.holds)}" if self.holds else f" until {self.until}"
        return f"entry {self.entry} ({what} of {self.day}) is {self.state}{why}"


@dataclass(frozen=True, slots=True)
class Survey:
    """`unknown_cases`: holds on cases of which nothing is known; as long as there are any, nothing
    may go."""

    leaves: tuple[Kept, ...]
    unknown_cases: tuple[str, ...]


def survey(store: Store, size: int, policy: Policy, today: date) -> Survey:
    """All leaves with records, in the order of the log. Documents are kept for ever, as is a
    remainder that has none. Raises BadArchive, StoreError."""
    deleted = Deleted(read_deletions(store, manifests(store, size)))
    holding = Holding(store, read_holds(store, manifests(store, size)))
    holding.learn_cases(
        (entry, leaf) for entry, leaf in _with_records(store, size) if entry not in deleted
    )
    leaves = tuple(
        _kept(store, holding, policy, today, entry, leaf, entry in deleted)
        for entry, leaf in _with_records(store, size)
    )
    return Survey(leaves, tuple(holding.unknown_cases()))


def _with_records(store: Store, size: int) -> Iterator[tuple[int, ArchiveLeaf]]:
    for entry, leaf in enumerate(manifests(store, size)):
        if leaf.WhichOneof("kind") in ("round", "remainder") and leaf.length:
            yield entry, leaf


def _kept(
    store: Store,
    holding: Holding,
    policy: Policy,
    today: date,
    entry: int,
    leaf: ArchiveLeaf,
    deleted: bool,
) -> Kept:
    is_round = leaf.HasField("round")
    day = _gaming_day(leaf) if is_round else date.min
    if deleted:
        return Kept(entry, leaf, day, policy.ends(day), State.DELETED)
    data = b"" if is_round and not holding else leaf_data(store, leaf.sha256, leaf.length)
    day = max(day, _day(leaf.round.sealed_at_ms if is_round else last_time_ms(data)))
    until = policy.ends(day)
    holds = tuple(holding.of(leaf, data))
    state = State.OVER if until <= today else State.TERM
    if holds:
        state = State.HELD
    return Kept(entry, leaf, day, until, state, holds)


def _gaming_day(leaf: ArchiveLeaf) -> date:
    """As the round says; of one that says none, the day of its last record counts alone."""
    try:
        return date.fromisoformat(leaf.round.gaming_day)
    except ValueError:
        return date.min


def _day(time_ms: int) -> date:
    try:
        return datetime.fromtimestamp(time_ms / 1000, UTC).date()
    except (ValueError, OverflowError, OSError):
        return date.max  # of no calendar: kept
