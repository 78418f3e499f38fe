"""The cases about a round: their records in the archive, and what of them holds."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pitledger.cases.case import Case
from pitledger.cases.journal import Cases
from pitledger.journal.record import JournalRecord, Stored
from pitledger.journal.stored import BadRecords, messages_from, stored_of
from services.packet.evidence import Piece, Sealed
from services.packet.faults import NoPacket
from services.packet.strays import parsed
from services.storage.indexed import IndexedCase, IndexedHold

_Place = tuple[int, int, int]  # entry, partition, offset


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """Of a case, or of a hold that the case names as its freeze of the table, or its release.

    `entry`: of the log, where it is sealed. `record`: None, its bytes are none.

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
    """All cases about a round. `pieces`: the entries that hold their records. `adjusted`: by
    position, what all their postings moved there, minor units.
    """

    records: tuple[CaseRecord, ...] = ()
    states: tuple[CaseState, ...] = ()
    adjusted: tuple[tuple[int, int], ...] = ()
    pieces: tuple[Piece, ...] = ()


def case_file(
    sealed: Sealed,
    found: Iterable[IndexedCase],
    holds: Iterable[IndexedHold],
    transcript: Iterable[Stored],
    round_id: str,
) -> CaseFile:
    """`found`, `holds`: as the index has them, the holds of the table. `transcript`: of the round.

    Raises NoPacket, BadArchive.
    """
    places = _Places(sealed)
    places.add({(c.entry, c.partition, c.offset): c.case_id for c in found})
    case_of = places.cases_of_holds()
    places.add({
        (hold.entry, hold.partition, hold.offset): case_of[held_id]
        for hold in holds
        if (held_id := hold.event_id if hold.holds else hold.releases) in case_of
    })  # fmt: skip
    records = places.records()
    folded = _folded(sealed, [stored for _, _, stored in records], transcript)
    forged = {(one.partition, one.offset) for one in folded.forged}
    about = [case for case in folded.cases() if case.round_id == round_id]
    return CaseFile(
        records=tuple(
            CaseRecord(
                entry, case_id, stored, parsed(stored.value),
                (stored.partition, stored.offset) in forged,
            )
            for case_id, entry, stored in records
        ),
        states=tuple(
            CaseState(case.case_id, case.state.value, case.moved_minor) for case in about
        ),
        adjusted=_adjusted(about),
        pieces=places.pieces(),
    )  # fmt: skip


def _adjusted(cases: Iterable[Case]) -> tuple[tuple[int, int], ...]:
    moved: Counter[int] = Counter()
    for case in cases:
        for proposal in case.proposals.values():
            for line in proposal.posting.lines if proposal.posting else ():
                moved[line.position] += line.amount_minor
    return tuple(sorted(moved.items()))


class _Places:
    """Where records of cases lie under the checkpoint, and the entries that prove them."""

    def __init__(self, sealed: Sealed) -> None:
        self._sealed = sealed
        self._case_of: dict[_Place, str] = {}
        self._pieces: dict[int, Piece] = {}

    def add(self, case_of: Mapping[_Place, str]) -> None:
        """Case ids by place."""
        for place, case_id in case_of.items():
            if place[0] < self._sealed.checkpoint.size:
                self._case_of[place] = case_id
                if place[0] not in self._pieces:
                    self._pieces[place[0]] = self._sealed.piece("", place[0])

    def records(self) -> list[tuple[str, int, Stored]]:
        """Case id, entry, record: case by case, in the order of their offsets."""
        there = [
            (case_id, entry, stored)
            for entry, piece in self._pieces.items()
            for stored in _records(piece)
            if (case_id := self._case_of.get((entry, stored.partition, stored.offset)))
        ]
        return sorted(there, key=lambda each: (each[0], each[2].partition, each[2].offset))

    def cases_of_holds(self) -> dict[str, str]:
        """By the id of a hold that froze the table: the case that names it so."""
        found: dict[str, str] = {}
        for case_id, _, stored in self.records():
            record = parsed(stored.value)
            if record is not None and record.dispute_held.held_id:
                found.setdefault(record.dispute_held.held_id, case_id)
        return found

    def pieces(self) -> tuple[Piece, ...]:
        return tuple(
            replace(self._pieces[entry], name=f"case-{number}")
            for number, entry in enumerate(sorted(self._pieces), 1)
        )


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
