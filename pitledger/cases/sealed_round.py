"""A round as an archive has it, for cases: derived from its transcript, as from the journal."""

from collections.abc import Iterable

from pitledger.cases.journal import Cases
from pitledger.cases.settlement import Known
from pitledger.journal.record import Stored


def derived(
    transcript: Iterable[Stored], partitions: int, table_id: str, round_id: str
) -> Known | None:
    """None: no record opens this round. The outcome on record is not looked at."""
    cases = Cases(partitions)
    for stored in transcript:
        cases.take(stored)
    return cases.rounds.of(table_id, round_id)
