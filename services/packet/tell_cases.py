"""Cases about a round: claims, findings, adjustments, in the order in which they were recorded."""

from dataclasses import dataclass

from pitledger import words
from pitledger.journal.record import JournalRecord, Stored, body_name
from pitledger.story import told
from services.packet.account import Cell, Column, Prose, Section, Table
from services.packet.tell_play import kind_of


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """`entry`: of the log, where it is sealed. `record`: None, its bytes are none."""

    entry: int
    case_id: str
    stored: Stored
    record: JournalRecord | None


def cases(found: tuple[CaseRecord, ...], currency: str) -> Section:
    title = "Cases and adjustments"
    if not found:
        text = "The archive has no case about this round up to its checkpoint."
        return Section(title, (Prose(text),))
    columns = (
        Column("Case"), Column("Sealed in entry, offset"), Column("Recorded"), Column("What"),
        Column("In words"), Column("Who"),
    )
    about = Prose(
        "After a round's end only a case speaks of it. Nothing above is changed by one: an"
        " adjustment is a record of its own beside the settlement."
    )
    rows = tuple(_row(case, currency) for case in found)
    return Section(title, (about, Table("Records of cases, case by case", columns, rows)))


def _row(case: CaseRecord, currency: str) -> tuple[Cell, ...]:
    kept = case.record if case.record is not None else JournalRecord()
    lines = told(kept, currency) or ("This software has no words for this record.",)
    who = ", ".join(filter(None, (kept.actor, kept.source))) or "nobody named"
    return (
        Cell((case.case_id,)),
        Cell((f"{case.entry}, {case.stored.offset}",)),
        Cell((words.instant(case.stored.broker_time * 1000),)),
        Cell((kind_of(body_name(kept)),)),
        Cell(lines),
        Cell((who,)),
    )
