"""Which records the index keeps whole, and what it keeps of an opening."""

from pitledger.cases.journal import FACT_TYPES
from pitledger.journal.record import (
    CASE_DECISION_TYPES,
    TYPE_BYTES,
    JournalRecord,
    Stored,
    serialize,
)
from pitledger.journal.vocabulary import NotAFact, read_stored
from services.cases.index import CaseIndex

_KEPT = FACT_TYPES | CASE_DECISION_TYPES | {TYPE_BYTES["table_held"], TYPE_BYTES["table_released"]}
_OPENED = TYPE_BYTES["round_opened"]


def is_kept(stored: Stored) -> bool:
    return dict(stored.headers).get("ce_type") in _KEPT


def keep_opening(index: CaseIndex, stored: Stored) -> None:
    """Of a RoundOpened what a table's memory of round numbers needs; nothing of other records."""
    if dict(stored.headers).get("ce_type") != _OPENED:
        return
    try:
        opened = read_stored(stored, index.partitions).record
    except NotAFact:
        return
    slim = JournalRecord(
        event_id=opened.event_id, table_id=opened.table_id, occurred_at=opened.occurred_at
    )
    slim.round_opened.round_number = opened.round_opened.round_number
    index.keep_opening(stored.partition, stored.offset, stored.broker_time, serialize(slim))
