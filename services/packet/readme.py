"""README.txt of a packet: what each file is, and how to verify it in ten years."""

from pathlib import Path
from string import Template

from services.packet.bundle import Subject
from services.packet.compose import Making
from services.packet.seen import shortened, visible

_TEXT = Template((Path(__file__).parent / "readme.txt").read_text())


def readme(subject: Subject, making: Making) -> bytes:
    """UTF-8."""
    return _TEXT.substitute(
        table=_line(subject.table_id),
        number=subject.round_number,
        round=_line(subject.round_id),
        made=subject.made_at,
        by=_line(subject.made_by),
        origin=_line(subject.origin),
        entry=making.entry,
        size=making.size,
    ).encode()


def _line(text: str) -> str:
    return shortened(visible(text), 300)
