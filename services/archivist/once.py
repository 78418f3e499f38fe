"""A journal sealed once, up to where it ends now: of Kafka from the archive's cuts, else whole."""

from collections.abc import Iterable

from pitledger.archive.collect import ClockWentBack, Memory
from pitledger.archive.kept import keep_positions
from pitledger.archive.log import LogWriter
from pitledger.journal.record import Stored
from pitledger.sources.connection import Connection
from pitledger.sources.kafka import read_topic
from services.archivist.cuts import Cuts, DoesNotContinue
from services.archivist.sealing import Sealing


def seal_topic(writer: LogWriter, connection: Connection) -> Sealing:
    """Raises what Sealing, Cuts and read_topic raise."""
    before_ms: dict[int, int] = {}
    while True:
        sealing = Sealing(writer, connection.partitions)
        try:
            cuts = Cuts(sealing, connection, before_ms)
            for stored in read_topic(connection, begins=cuts):
                sealing.take(stored)
        except ClockWentBack as went:
            before = before_ms.get(went.partition, went.before_ms)
            before_ms[went.partition] = min(before, went.before_ms)
        else:
            sealing.seal()
            keep_positions(writer.store, writer.size)
            return sealing


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
