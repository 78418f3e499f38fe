"""A journal in memory: partitions of records, appended to a file as they come.

Only what a restarted engine may still want is kept: the file has the rest.
"""

from collections.abc import Callable

from pitledger.journal.record import Headers, Stored


class MemoryJournal:
    """`sink` takes every record as it is appended."""

    def __init__(self, partitions: int, sink: Callable[[Stored], None]) -> None:
        self.partitions = partitions
        self._sink = sink
        self._records: list[list[Stored]] = [[] for _ in range(partitions)]
        self._base = [0] * partitions  # offset of the first record kept

    def append(
        self, partition: int, broker_time: int, key: bytes, headers: Headers, value: bytes
    ) -> Stored:
        """Append a record; its offset is the partition's next."""
        stored = Stored(partition, self.end(partition), broker_time, key, headers, value)
        self._records[partition].append(stored)
        self._sink(stored)
        return stored

    def end(self, partition: int) -> int:
        """The offset that the next record gets."""
        return self._base[partition] + len(self._records[partition])

    def read(self, partition: int, offset: int) -> list[Stored]:
        """The records from an offset on."""
        start = offset - self._base[partition]
        assert start >= 0, "trimmed what is still wanted"
        return self._records[partition][start:]

    def offset_at(self, partition: int, broker_time: int) -> int:
        """The first kept record's offset that is not older than a broker time (ms)."""
        for stored in self._records[partition]:
            if stored.broker_time >= broker_time:
                return stored.offset
        return self.end(partition)

    def time_before(self, partition: int, offset: int) -> int | None:
        """The broker time of the record before an offset, None if there is none."""
        index = offset - self._base[partition] - 1
        return self._records[partition][index].broker_time if index >= 0 else None

    def trim(self, partition: int, offset: int, broker_time: int) -> None:
        """Drop records that lie below an offset and are older than a broker time."""
        records = self._records[partition]
        below = offset - self._base[partition]
        count = 0
        while count < below and records[count].broker_time < broker_time:
            count += 1
        if count > 4096:
            del records[:count]
            self._base[partition] += count
