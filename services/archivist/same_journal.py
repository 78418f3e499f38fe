"""Whether a journal that is read whole is the one that an archive holds, before more is sealed."""

from collections.abc import Iterable, Sequence

from pitledger.archive.positions import Positions
from pitledger.journal.record import Stored
from pitledger.pb.archive_pb2 import ArchivedRound


class DoesNotContinue(Exception):
    """One line: the journal is not the one that the archive holds, or lacks what is not sealed."""


def require_continued(records: Iterable[Stored], positions: Positions) -> None:
    """Raises DoesNotContinue where a partition ends before what is sealed of it, or another record
    lies where the round that was sealed last has its opening.

    `records`: all that the journal has, each partition's in order.
    """
    newest = {number: at.newest for number, at in positions.items() if at.newest is not None}
    ends: dict[int, int] = {}
    for stored in records:
        ends[stored.partition] = stored.offset + 1
        round_ = newest.get(stored.partition)
        if round_ is None or stored.offset != round_.offsets[0]:
            continue
        if not opens(round_, stored.headers, stored.broker_time):
            raise DoesNotContinue(
                f"does not continue the archive: partition {stored.partition} offset"
                f" {stored.offset} is not the opening of {round_.table_id}/{round_.round_number},"
                " which the archive has from there; it is another journal"
            )
    for number, at in positions.items():
        if ends.get(number, 0) < at.end:
            raise DoesNotContinue(
                f"does not continue the archive: partition {number} ends at offset"
                f" {ends.get(number, 0)}, and the archive has records up to {at.end - 1}; it is"
                " another journal, or lost its end"
            )


def opens(
    round_: ArchivedRound, headers: Sequence[tuple[str, bytes | None]], broker_ms: int
) -> bool:
    """Whether a record of these headers and this broker time is the round's opening."""
    id_ = dict(headers).get("ce_id") or b""
    return (id_, broker_ms) == (round_.round_id.encode(), round_.opened_at_ms)
