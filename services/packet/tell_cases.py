"""Cases about a round: claims, findings, adjustments, in the order in which they were recorded."""

from collections.abc import Iterator

from pitledger import words
from pitledger.journal.record import JournalRecord, body_name
from pitledger.story import told
from services.packet.account import Block, Cell, Column, Prose, Section, Table, Tone
from services.packet.case_records import CaseFile, CaseRecord
from services.packet.tell_play import kind_of

_FORGED = "NOT what the case's facts derive: it has no effect."


def cases(found: CaseFile, currency: str) -> Section:
    return Section("Cases and adjustments", tuple(_blocks(found, currency)))


def _blocks(found: CaseFile, currency: str) -> Iterator[Block]:
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
    rows = tuple(_row(case, currency) for case in found.records)
    columns_ = (
        Column("Case"), Column("Sealed in entry, offset"), Column("Recorded"), Column("What"),
        Column("In words"), Column("Who"),
    )
    yield Table("Their records, case by case", columns_, rows)


def _row(case: CaseRecord, currency: str) -> tuple[Cell, ...]:
    kept = case.record if case.record is not None else JournalRecord()
    lines = told(kept, currency) or ("This software has no words for this record.",)
    who = ", ".join(filter(None, (kept.actor, kept.source))) or "nobody named"
    return (
        Cell((case.case_id,)),
        Cell((f"{case.entry}, {case.stored.offset}",)),
        Cell((words.instant(case.stored.broker_time * 1000),)),
        Cell((kind_of(body_name(kept)),)),
        Cell((_FORGED, *lines), tone=Tone.BAD) if case.forged else Cell(lines),
        Cell((who,)),
    )
