"""A journal in memory: partitions, offsets and a broker's clock that tests set."""

from pitledger.journal.record import JournalRecord, Stored, headers_of, partition_of, serialize

PARTITIONS = 4
NOW_MS = 1_800_000_000_000


class Log:
    """What the broker keeps; `clock` is its time in ms and goes up by one with each record."""

    def __init__(self, partitions: int = PARTITIONS) -> None:
        self.partitions = partitions
        self.clock = NOW_MS
        self.records: list[list[Stored]] = [[] for _ in range(partitions)]

    def put(self, record: JournalRecord) -> Stored:
        """Append a record as its writer should."""
        partition = partition_of(record.table_id, self.partitions)
        key = record.table_id.encode()
        return self.append(partition, key, headers_of(record), serialize(record))

    def append(self, partition: int, key, headers, value) -> Stored:
        """Append anything at all."""
        self.clock += 1
        offset = len(self.records[partition])
        stored = Stored(partition, offset, self.clock, key, tuple(headers), value)
        self.records[partition].append(stored)
        return stored

    def again(self, stored: Stored) -> Stored:
        """The same bytes once more: a retry of the writer."""
        return self.append(stored.partition, stored.key, stored.headers, stored.value)

    def all(self) -> list[Stored]:
        return [stored for partition in self.records for stored in partition]

    def first_since(self, partition: int, time_ms: int) -> int:
        """The first offset whose time is not before `time_ms`, as Kafka's offsets_for_times."""
        for stored in self.records[partition]:
            if stored.broker_time >= time_ms:
                return stored.offset
        return len(self.records[partition])
