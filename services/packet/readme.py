"""README.txt of a packet: what each file is, and how to verify it in ten years."""

from pathlib import Path
from string import Template

from services.packet.bundle import Subject
from services.packet.compose import Making
from services.packet.seen import shortened, visible

_TEXT = Template((Path(__file__).parent / "readme.txt").read_text())
_LONG = """
This round is too long for an entry of the log. Its entry is that of a document whose bytes are
evidence/round.manifest: in step 5 the entry tells of this file, and this file, which is an
ArchiveLeaf as well, of the transcript.
"""


def readme(subject: Subject, making: Making, *, is_long: bool) -> bytes:
    """UTF-8. `is_long`: the round was too long for a leaf."""
    text = _TEXT.substitute(
        table=_line(subject.table_id),
        number=subject.round_number,
        round=_line(subject.round_id),
        made=subject.made_at,
        by=_line(subject.made_by),
        origin=_line(subject.origin),
        entry=making.entry,
        size=making.size,
    )
    return (text + _LONG if is_long else text).encode()


def _line(text: str) -> str:
    return shortened(visible(text), 300)
