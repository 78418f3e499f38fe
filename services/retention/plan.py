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


class Survey:
    """Of an archive's leaves, by the holds of now. Raises BadArchive, StoreError.

    `unknown_cases`: holds on cases of which nothing is known; as long as there are any, nothing
    may go.
    """

    def __init__(self, store: Store, size: int, policy: Policy, today: date) -> None:
        self._store, self._size, self._policy, self._today = store, size, policy, today
        self._deleted = Deleted(read_deletions(store, manifests(store, size)))
        self._holding = Holding(store, read_holds(store, manifests(store, size)))
        self._holding.learn_cases(leaf for entry, leaf in self._all() if entry not in self._deleted)
        self.unknown_cases = self._holding.unknown_cases()

    def leaves(self) -> Iterator[Kept]:
        """Those with records, in the order of the log. Documents are kept for ever, as is a
        remainder that has none."""
        for entry, leaf in self._all():
            yield self._kept(entry, leaf)

    def _all(self) -> Iterator[tuple[int, ArchiveLeaf]]:
        for entry, leaf in enumerate(manifests(self._store, self._size)):
            if leaf.WhichOneof("kind") in ("round", "remainder") and leaf.length:
                yield entry, leaf

    def _kept(self, entry: int, leaf: ArchiveLeaf) -> Kept:
        is_round = leaf.HasField("round")
        day = _gaming_day(leaf) if is_round else date.min
        if entry in self._deleted:
            return Kept(entry, leaf, day, self._policy.ends(day), State.DELETED)
        data = b""
        if self._holding or not is_round:
            data = leaf_data(self._store, leaf.sha256, leaf.length)
        day = max(day, _day(leaf.round.sealed_at_ms if is_round else last_time_ms(data)))
        until, holds = self._policy.ends(day), tuple(self._holding.of(leaf, data))
        state = State.OVER if until <= self._today else State.TERM
        return Kept(entry, leaf, day, until, State.HELD if holds else state, holds)


def _gaming_day(leaf: ArchiveLeaf) -> date:
    """As the round says; of one that says none, the day of its last record counts alone."""
    try:
        return date.fromisoformat(leaf.round.gaming_day)
    except ValueError:
        return date.min


def _day(time_ms: int) -> date:
    try:
        day = datetime.fromtimestamp(time_ms / 1000, UTC).date()
    except (ValueError, OverflowError, OSError):
        return date.max  # of no calendar: kept
    return day if time_ms > 0 else date.max  # Kafka says -1 where no time is known
