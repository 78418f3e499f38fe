"""Records that come a partition after the other, as an archive is read, sealed in another one."""

from collections.abc import Iterable

from pitledger.archive.collect import Memory
from pitledger.archive.log import LogWriter
from pitledger.journal.record import Stored
from services.archivist.same_journal import DoesNotContinue
from services.archivist.sealing import Sealing


def seal_records(writer: LogWriter, partitions: int, records: Iterable[Stored]) -> Sealing:
    """`records`: all that there are, each partition's in order. Raises what Sealing raises;
    DoesNotContinue.
    """
    sealing = Sealing(writer, partitions)
    below: dict[int, list[Stored]] = {}
    begun: set[int] = set()
    for stored in records:
        partition, cut = stored.partition, sealing.position_of(stored.partition).cut
        if cut is not None and stored.offset < cut:
            below.setdefault(partition, []).append(stored)
            continue
        if partition not in begun:
            begun.add(partition)
            if cut is not None and stored.offset != cut:
                raise DoesNotContinue(f"partition {partition} lacks offset {cut}")
            memory = Memory(below.pop(partition, ()), forgets=False)
            sealing.begin(partition, stored.offset, memory)
        sealing.take(stored)
    sealing.seal()
    return sealing
