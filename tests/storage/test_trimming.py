"""Up to where a journal may be deleted, of a topic that was made anew. The rest: tests/broker."""

from types import SimpleNamespace

import pytest
from kafka import TopicPartition

from pitledger.archive.positions import Positions
from pitledger.pb.archive_pb2 import ArchivedRound, ArchiveLeaf
from services.retention.trimming import NotThisJournal, Readers, bounds

TP = TopicPartition("journal", 0)
OPENED_AT_MS, ROUND = 1_800_000_000_000, "018f0000-0000-7000-8000-000000000001"


class Consumer:
    """Of a partition with ten records, all of them the same."""

    def __init__(self, record):
        self.record = record

    def beginning_offsets(self, tps):
        return dict.fromkeys(tps, 0)

    def end_offsets(self, tps):
        return dict.fromkeys(tps, 10)

    def offsets_for_times(self, times):
        return dict.fromkeys(times)

    def assign(self, tps):
        self.assigned = tps

    def assignment(self):
        return set(self.assigned)

    def seek(self, tp, offset):
        self.record.offset = offset

    def poll(self, timeout_ms):
        return {TP: [self.record]}


@pytest.mark.parametrize("late_ms", [0, 1])
def test_an_opening_of_the_same_id_at_another_time_is_of_another_journal(late_ms):
    """As where a floor's journal was written into a new topic."""
    opened = ArchivedRound(
        offsets=[3], table_id="T1", round_id=ROUND, round_number=7, opened_at_ms=OPENED_AT_MS
    )
    sealed = Positions().take_all([ArchiveLeaf(round=opened)])
    record = SimpleNamespace(headers=[("ce_id", ROUND.encode())], timestamp=OPENED_AT_MS + late_ms)
    readers = Readers(sealed, sealed, {})
    if not late_ms:
        assert bounds(Consumer(record), [TP], readers, OPENED_AT_MS)[0].records == 0
        return
    with pytest.raises(NotThisJournal, match="offset 3 is not the opening of T1/7"):
        bounds(Consumer(record), [TP], readers, OPENED_AT_MS)
