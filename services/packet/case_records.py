"""The cases about a round: their records in the archive, and what of them holds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pitledger.cases.journal import Cases
from pitledger.journal.record import JournalRecord, Stored
from pitledger.journal.stored import BadRecords, messages_from, stored_of
from services.archivist.index import IndexedCase
from services.packet.evidence import Piece, Sealed
from services.packet.faults import NoPacket
from services.packet.strays import parsed

_Place = tuple[int, int]  # partition, offset


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """`entry`: of the log, where it is sealed. `record`: None, its bytes are none.

    `forged`: it claims to be a decision and is not what the case's facts derive.
    """

    entry: int
    case_id: str
    stored: Stored
    record: JournalRecord | None
    forged: bool


@dataclass(frozen=True, slots=True)
class CaseState:
    """A case as its records leave it. `moved_minor`: by its postings, to the positions."""

    case_id: str
    state: str
    moved_minor: int


@dataclass(frozen=True, slots=True)
class CaseFile:
    """All cases about a round. `pieces`: the entries that hold their records."""

    records: tuple[CaseRecord, ...] = ()
    states: tuple[CaseState, ...] = ()
    pieces: tuple[Piece, ...] = ()


def case_file(
    sealed: Sealed, found: Sequence[IndexedCase], transcript: Iterable[Stored], round_id: str
) -> CaseFile:
    """`found`: as the index has it. `transcript`: of the round. Raises NoPacket, BadArchive."""
    there = [case for case in found if case.entry < sealed.checkpoint.size]
    entries = sorted({case.entry for case in there})
    pieces = [sealed.piece(f"case-{number}", entry) for number, entry in enumerate(entries, 1)]
    held = {(p.index, s.partition, s.offset): s for p in pieces for s in _records(p)}
    mine = [(c, held.get((c.entry, c.partition, c.offset))) for c in there]
    records = [(case, stored) for case, stored in mine if stored is not None]
    folded = _folded(sealed, [stored for _, stored in records], transcript)
    forged = {(one.partition, one.offset) for one in folded.forged}
    return CaseFile(
        records=tuple(_record(case, stored, forged) for case, stored in records),
        states=tuple(
            CaseState(case.case_id, case.state.value, case.moved_minor)
            for case in folded.cases()
            if case.round_id == round_id
        ),
        pieces=tuple(pieces),
    )


def _record(case: IndexedCase, stored: Stored, forged: set[_Place]) -> CaseRecord:
    is_forged = (stored.partition, stored.offset) in forged
    return CaseRecord(case.entry, case.case_id, stored, parsed(stored.value), is_forged)


def _folded(sealed: Sealed, records: list[Stored], transcript: Iterable[Stored]) -> Cases:
    """Round and cases, folded again in the order of the journal."""
    cases = Cases(sealed.about.partitions)
    for stored in sorted([*transcript, *records], key=lambda each: (each.partition, each.offset)):
        cases.take(stored)
    return cases


def _records(piece: Piece) -> list[Stored]:
    try:
        return [stored_of(message) for message in messages_from(piece.data)]
    except BadRecords as problem:
        raise NoPacket(f"entry {piece.index} is {problem}") from None
