"""What was out of the ordinary: irregularities, corrections, rulings, voids, what had no effect."""

from collections.abc import Iterator

from pitledger.story import told
from services.packet.account import Block, Cell, Column, Notice, Prose, Section, Table, Tone
from services.packet.record import Entry, Record
from services.packet.strays import Stray
from services.packet.tell_play import kind_of

_TROUBLE = (
    "irregularity_reported",
    "conduct_noted",
    "card_corrected",
    "deal_irregular",
    "deal_ruled",
    "player_left",
    "abandonment_ruled",
    "void_ordered",
)


def trouble(record: Record) -> Section:
    answers = {e.record.causation_id: e for e, _ in record.all("request_answered")}
    rows = []
    for entry, _ in record.all(*_TROUBLE):
        answer = answers.get(entry.record.event_id)
        said = told(answer.record, record.currency) if answer else ()
        rows.append(
            (
                Cell((str(entry.stored.offset),)),
                Cell((kind_of(entry.body),)),
                Cell(told(entry.record, record.currency)),
                Cell((_who(entry),)),
                Cell(said, tone=_tone(said)),
            )
        )
    if not rows:
        return Section("Irregularities, corrections, voids", (Prose("None is on record."),))
    columns = (
        Column("Offset"), Column("What"), Column("In words"), Column("Who"), Column("Answer"),
    )
    table = Table("Out of the ordinary, in the order of the journal", columns, tuple(rows))
    return Section("Irregularities, corrections, voids", (table,))


def without_effect(record: Record, strays: tuple[Stray, ...], gone: int) -> Section:
    """`gone`: how many entries about the round have lost their bytes."""
    return Section("Without effect", tuple(_idle(record, strays, gone)))


def _idle(record: Record, strays: tuple[Stray, ...], gone: int) -> Iterator[Block]:
    yield Prose(
        "Records that name this round and changed nothing: repeats, what came after its end or"
        " out of sequence, and whatever its facts do not bear out. They are sealed in the archive"
        " beside the round, in entries of their own, and are not part of this packet's evidence."
    )
    if gone:
        yield Notice(
            Tone.NOTE,
            "Not all is there any more",
            f"{gone} entries that held records about this round or its cases were deleted when"
            " their time was over; the archive's log says when, by whom and why.",
        )
    if not strays:
        yield Prose("The archive has none up to its checkpoint.")
        return
    rows = tuple(_stray(stray, record.currency) for stray in strays)
    columns = (
        Column("Offset"), Column("Sealed in entry"), Column("What"), Column("In words"),
        Column("Who"),
    )
    yield Table("Without effect on this round", columns, rows)


def _stray(stray: Stray, currency: str) -> tuple[Cell, ...]:
    kept = stray.record
    lines = told(kept, currency) if kept is not None else ("Its bytes are no journal record.",)
    who = ", ".join(filter(None, (kept.source, kept.actor))) if kept is not None else ""
    return (
        Cell((str(stray.stored.offset),)),
        Cell((str(stray.index),)),
        Cell((stray.kind,), tone=Tone.IDLE),
        Cell(lines),
        Cell((who or "nobody named",)),
    )


def _who(entry: Entry) -> str:
    kept = entry.record
    return ", ".join(filter(None, (kept.actor, kept.source))) or "nobody named"


def _tone(lines: tuple[str, ...]) -> Tone:
    return Tone.REFUSED if any("refused" in line for line in lines) else Tone.PLAIN
