"""Which leaves a legal hold keeps.

A leaf is known by its bytes: what a hold is on, an id or a gaming day, and occurs anywhere in them
holds it. Facts that name no gaming day are of one by their time, a round by its manifest. Rather
one leaf too many is kept.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import assert_never

from google.protobuf.message import DecodeError, Message

from pitledger.archive.holds import Hold, Scope
from pitledger.archive.log import leaf_data
from pitledger.archive.store import BadArchive, Store
from pitledger.journal.record import JournalRecord
from pitledger.journal.stored import BadRecords, messages_from
from pitledger.pb.archive_pb2 import ArchiveLeaf


class Holding:
    """The holds in force. Raises BadArchive, StoreError."""

    def __init__(self, store: Store, holds: Sequence[Hold]) -> None:
        self._store = store
        self._holds = [hold.placed for hold in holds if hold.released is None]
        self._of_cases: dict[str, set[bytes] | None] = {
            hold.value: None for hold in self._holds if hold.scope is Scope.CASE
        }
        """The rounds that a case's records name; None: it has no record."""

    def learn_cases(self, leaves: Iterable[ArchiveLeaf]) -> None:
        """From all of a log's entries whose bytes are there: what the cases on hold are about."""
        if not self._of_cases:
            return
        for leaf in leaves:
            if leaf.WhichOneof("kind") != "remainder":
                continue
            data = leaf_data(self._store, leaf.sha256, leaf.length)
            for case, known in self._of_cases.items():
                if case.encode() in data and (records := list(_of_case(data, case))):
                    named = {each for record in records for each in _rounds_in(record)}
                    self._of_cases[case] = named | (known or set())

    def unknown_cases(self) -> list[str]:
        """Holds on cases of which the archive has no record (yet): what they keep is not known."""
        return [
            hold.id
            for hold in self._holds
            if hold.scope is Scope.CASE and self._of_cases[hold.value] is None
        ]

    def of(self, leaf: ArchiveLeaf, data: bytes) -> list[str]:
        """The ids of those that keep a leaf, which has these bytes."""
        return [hold.id for hold in self._holds if self._keeps(hold.scope, hold.value, leaf, data)]

    def __bool__(self) -> bool:
        return bool(self._holds)

    def _keeps(self, scope: Scope | None, value: str, leaf: ArchiveLeaf, data: bytes) -> bool:
        is_round = leaf.WhichOneof("kind") == "round"
        match scope:
            case Scope.GAMING_DAY if value.encode() in data:
                return True  # by an adjustment of weeks later, say
            case Scope.GAMING_DAY if is_round:
                return leaf.round.gaming_day == value
            case Scope.GAMING_DAY:
                return _may_be_of(data, date.fromisoformat(value))
            case Scope.ROUND | Scope.TABLE | Scope.PATRON:
                return value.encode() in data
            case Scope.CASE:
                rounds = self._of_cases[value] or ()
                return value.encode() in data or any(each in data for each in rounds)
            case None:
                return False
            case _:
                assert_never(scope)


def last_time_ms(data: bytes) -> int:
    """The latest broker time of a leaf's records; 0: it has none. Raises BadArchive."""
    return max(_times(data), default=0)


def _may_be_of(data: bytes, day: date) -> bool:
    """Whether a record lies in a gaming day, wherever on earth its house and its cut-off are."""
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    first, last = (noon - timedelta(days=1)).timestamp(), (noon + timedelta(days=2)).timestamp()
    return any(first <= time_ms / 1000 <= last for time_ms in _times(data))


def _times(data: bytes) -> list[int]:
    try:
        return [message.broker_time_ms for message in messages_from(data)]
    except BadRecords as problem:
        raise BadArchive(f"a leaf is {problem}") from None


def _of_case(data: bytes, case: str) -> Iterator[JournalRecord]:
    for message in messages_from(data):
        if case.encode() not in message.value:
            continue
        with suppress(DecodeError):
            record = JournalRecord.FromString(message.value)
            if record.case_id == case:
                yield record


def _rounds_in(message: Message) -> Iterator[bytes]:
    """The ids of rounds anywhere in it."""
    for field, value in message.ListFields():
        if field.name == "round_id":
            yield value.encode()
        elif field.type == field.TYPE_MESSAGE:
            for each in value if field.is_repeated else (value,):
                yield from _rounds_in(each)
