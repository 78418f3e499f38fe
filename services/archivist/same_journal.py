"""Whether a journal that is read whole is the one that an archive holds, before more is sealed."""

from collections.abc import Iterable, Sequence
from hashlib import sha256

from pitledger.archive import layout
from pitledger.archive.log import leaf_data
from pitledger.archive.positions import Position, Positions
from pitledger.archive.store import Store
from pitledger.journal.record import Stored
from pitledger.journal.stored import messages_from, stored_of, to_bytes
from pitledger.pb.archive_pb2 import ArchivedRound


class DoesNotContinue(Exception):
    """One line: the journal is not the one that the archive holds, or lacks what is not sealed."""


def require_continued(records: Iterable[Stored], store: Store, positions: Positions) -> None:
    """Raises DoesNotContinue where a partition ends before what is sealed of it, or has another
    record than the round that was sealed last, or than the last remainder.

    The last record that the archive has of a partition lies in one of the two. Of what was deleted
    after its term only a round's opening is known. `records`: all that the journal has, each
    partition's in order. Raises BadArchive, StoreError.
    """
    openings = {number: at.newest for number, at in positions.items() if at.newest is not None}
    sealed = {number: _last_sealed(store, at) for number, at in positions.items()}
    ends: dict[int, int] = {}
    for stored in records:
        partition, offset = stored.partition, stored.offset
        ends[partition] = offset + 1
        round_ = openings.get(partition)
        if round_ is not None and offset == round_.offsets[0] and not _opens(round_, stored):
            raise _is_not(stored, f"the opening of {round_.table_id}/{round_.round_number}, which")
        expected = sealed.get(partition, {}).get(offset)
        if expected is not None and expected != _digest(stored):
            raise _is_not(stored, "the record that")
    for number, at in positions.items():
        if ends.get(number, 0) < at.end:
            raise DoesNotContinue(
                f"does not continue the archive: partition {number} ends at offset"
                f" {ends.get(number, 0)}, and the archive has records up to {at.end - 1}; it is"
                " another journal, or lost its end"
            )


def _is_not(stored: Stored, what: str) -> DoesNotContinue:
    return DoesNotContinue(
        f"does not continue the archive: partition {stored.partition} offset {stored.offset} is not"
        f" {what} the archive has from there; it is another journal"
    )


def _opens(round_: ArchivedRound, stored: Stored) -> bool:
    return opens(round_, stored.headers, stored.broker_time)


def _last_sealed(store: Store, position: Position) -> dict[int, bytes]:
    """By offset: of each record of the two leaves, as far as they are there, the SHA-256."""
    found: dict[int, bytes] = {}
    for leaf in (position.last_round, position.last_remainder):
        if leaf is not None and store.read(layout.leaf(leaf.sha256)) is not None:
            for message in messages_from(leaf_data(store, leaf.sha256, leaf.length)):
                found[message.offset] = _digest(stored_of(message))
    return found


def _digest(stored: Stored) -> bytes:
    return sha256(to_bytes(stored)).digest()


def opens(
    round_: ArchivedRound, headers: Sequence[tuple[str, bytes | None]], broker_ms: int
) -> bool:
    """Whether a record of these headers and this broker time is the round's opening."""
    id_ = dict(headers).get("ce_id") or b""
    return (id_, broker_ms) == (round_.round_id.encode(), round_.opened_at_ms)
