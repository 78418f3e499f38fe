"""Cases about a round: claims, findings, adjustments, in the order in which they were recorded."""

import re
from collections.abc import Iterator
from itertools import groupby

from pitledger import words
from pitledger.journal.record import JournalRecord, body_name
from pitledger.story import told
from services.packet.account import Block, Cell, Column, Prose, Section, Table, Tone
from services.packet.case_records import CaseFile, CaseRecord
from services.packet.record import Record
from services.packet.tell_money import signed
from services.packet.tell_play import kind_of

_OF_ANOTHER = {"case_answered", "adjustment_approved"}
"""Records that name another by its id, and quote nobody."""
_ID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FORGED = "NOT what the case's facts derive: it has no effect."


def cases(found: CaseFile, record: Record) -> Section:
    return Section("Cases and adjustments", tuple(_blocks(found, record)))


def in_all(found: CaseFile, record: Record) -> Iterator[str]:
    """Of each position that was adjusted, in a sentence, where it stands."""
    currency = record.currency
    for position, moved in found.adjusted:
        settled = _settled(record, position)[1]
        yield (
            f"Position {position}: {signed(settled, currency)} as settled, adjusted by"
            f" {signed(moved, currency)}, in all {signed(settled + moved, currency)}."
        )


def _blocks(found: CaseFile, record: Record) -> Iterator[Block]:
    currency = record.currency
    if not found.records:
        yield Prose("The archive has no case about this round up to its checkpoint.")
        return
    yield Prose(
        "After a round's end only a case speaks of it. Nothing above is changed by one: an"
        " adjustment is a record of its own beside the settlement. What is answered and posted was"
        " derived again from the facts when this account was made."
    )
    states = tuple(
        (
            Cell((state.case_id,)),
            Cell((state.state,)),
            Cell((words.money(state.moved_minor, currency),)),
        )
        for state in found.states
    )
    columns = (Column("Case"), Column("State"), Column("Moved to the positions", money=True))
    yield Table("The cases as their records leave them", columns, states)
    if found.adjusted:
        yield _totals(found, record)
    columns_ = (
        Column("Offset"), Column("Recorded"), Column("What"), Column("In words"), Column("Who"),
        Column("Sealed in entry"),
    )
    offsets = {each.record.event_id: each.stored.offset for each in found.records if each.record}
    for case_id, records in groupby(found.records, key=lambda each: each.case_id):
        rows = tuple(_row(case, currency, offsets) for case in records)
        yield Table(f"The records of case {case_id}", columns_, rows)


def _totals(found: CaseFile, record: Record) -> Table:
    columns = (
        Column("Position"), Column("Returned, as settled", money=True),
        Column("Won or lost, as settled", money=True), Column("Adjusted since", money=True),
        Column("Returned in all", money=True), Column("Won or lost in all", money=True),
    )
    rows = []
    for position, moved in found.adjusted:
        returned, won = _settled(record, position)
        amounts = (
            words.money(returned, record.currency), signed(won, record.currency),
            signed(moved, record.currency), words.money(returned + moved, record.currency),
            signed(won + moved, record.currency),
        )
        rows.append((Cell((str(position),)), *(Cell((amount,)) for amount in amounts)))
    return Table("What the adjusted positions have in all", columns, tuple(rows))


def _settled(record: Record, position: int) -> tuple[int, int]:
    """What went back to a position, and what it won or lost, minor units."""
    outcome = record.outcome()
    own = [line for line in outcome.lines if line.position == position] if outcome else []
    return sum(line.returned_minor for line in own), sum(line.profit_minor for line in own)


def _row(case: CaseRecord, currency: str, offsets: dict[str, int]) -> tuple[Cell, ...]:
    kept = case.record if case.record is not None else JournalRecord()
    lines = told(kept, currency) or ("This software has no words for this record.",)
    if body_name(kept) in _OF_ANOTHER:
        lines = tuple(_ID.sub(lambda id_: _placed(id_[0], offsets), line) for line in lines)
    who = ", ".join(filter(None, (kept.actor, kept.source))) or "nobody named"
    return (
        Cell((str(case.stored.offset),)),
        Cell((words.instant(case.stored.broker_time * 1000),)),
        Cell((kind_of(body_name(kept)),)),
        Cell((_FORGED, *lines), tone=Tone.BAD) if case.forged else Cell(lines),
        Cell((who,)),
        Cell((str(case.entry),)),
    )


def _placed(event_id: str, offsets: dict[str, int]) -> str:
    """An id, and where in the table its record stands."""
    return f"{event_id} (offset {offsets[event_id]})" if event_id in offsets else event_id
