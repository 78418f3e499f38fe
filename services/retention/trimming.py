"""Up to where the journal on Kafka may be deleted: nobody will read it there again.

A record may go when it is sealed, mirrored, old, and lies before what a processor or the archivist
reads when it starts: from its place on, and before that the fifteen minutes of round numbers.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pitledger.archive.positions import Position, Positions
from pitledger.engine import LOOK_BACK_MS
from services.archivist.cuts import must_read, other_openings


class NotThisJournal(Exception):
    """One line: the archive is not of what lies on Kafka."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Of a partition: what lies in [begin, bound) may go. `why`: what keeps the rest."""

    partition: int
    begin: int
    bound: int
    end: int
    why: str

    @property
    def records(self) -> int:
        return self.bound - self.begin


@dataclass(frozen=True, slots=True)
class Readers:
    """Who reads on where: `commits` of each group by its processor, offsets by partition."""

    sealed: Positions
    mirrored: Positions
    commits: Mapping[str, Mapping[int, int]]


def bounds(consumer: Any, tps: Iterable[Any], readers: Readers, older_ms: int) -> list[Bound]:
    """By partition. `older_ms`: broker time before which a record is old.

    Raises NotThisJournal, KafkaError.
    """
    tps = list(tps)
    begins, ends = consumer.beginning_offsets(tps), consumer.end_offsets(tps)
    positions = {tp: readers.sealed.of(tp.partition) for tp in tps}
    _require_same(consumer, begins, ends, positions)
    limits = {tp: _places(readers, tp.partition, ends[tp]) for tp in tps}
    _add_memories(consumer, begins, limits)
    for tp, at in consumer.offsets_for_times(dict.fromkeys(tps, older_ms)).items():
        limits[tp].append((ends[tp] if at is None else at.offset, "not old enough"))
        limits[tp].append((readers.mirrored.of(tp.partition).cut or 0, "not mirrored"))
    found = []
    for tp in tps:
        bound, why = min(limits[tp])
        bound = max(bound, begins[tp])
        found.append(Bound(tp.partition, begins[tp], bound, ends[tp], why))
    return found


def _places(readers: Readers, partition: int, end: int) -> list[tuple[int, str]]:
    """From where on each reads after a start; 0 where it has not come anywhere."""
    places = [(readers.sealed.of(partition).cut or 0, "not sealed")]
    for owner, committed in readers.commits.items():
        places.append((min(end, committed.get(partition, 0)), f"not finished by {owner}"))
    return places


def _add_memories(
    consumer: Any, begins: Mapping[Any, int], limits: Mapping[Any, list[tuple[int, str]]]
) -> None:
    """Where the memory begins that is read before each place."""
    places = {tp: sorted({at for at, _why in each}) for tp, each in limits.items()}
    for layer in range(max(map(len, places.values()), default=0)):
        below = {
            tp: each[layer] - 1
            for tp, each in places.items()
            if layer < len(each) and each[layer] > begins[tp]
        }
        times = {tp: message.timestamp for tp, message in must_read(consumer, below).items()}
        since = {tp: max(0, time_ms - LOOK_BACK_MS) for tp, time_ms in times.items()}
        for tp, at in (consumer.offsets_for_times(since) if since else {}).items():
            first = below[tp] if at is None else min(at.offset, below[tp])
            limits[tp].append((first, "round numbers that a start reads"))


def _require_same(
    consumer: Any,
    begins: Mapping[Any, int],
    ends: Mapping[Any, int],
    positions: Mapping[Any, Position],
) -> None:
    """The journal reaches as far as the archive, and the round that was sealed last lies in it."""
    for tp, position in positions.items():
        if position.end > ends[tp]:
            raise NotThisJournal(
                f"partition {tp.partition} ends at offset {ends[tp]}, and the archive has records"
                f" up to {position.end - 1}: it is not of this topic"
            )
    for tp, round_ in other_openings(consumer, begins, positions):
        raise NotThisJournal(
            f"partition {tp.partition}: offset {round_.offsets[0]} is not the opening of"
            f" {round_.table_id}/{round_.round_number}, as in the archive: it is not of this topic"
        )
