"""Text as the PDF's font can set it."""

import unicodedata
from functools import cache
from hashlib import sha256
from pathlib import Path

from reportlab.pdfbase.ttfonts import TTFontFile

from services.packet.seen import code_point

_FONT = Path(__file__).parent / "fonts" / "DejaVuSansCondensed.ttf"


def drawable(text: str) -> str:
    """Characters that the font lacks, or that run from right to left, as their code points."""
    return text if text.isascii() else "".join(_set(c) for c in text)


def lacks(text: str) -> bool:
    return drawable(text) != text


def anchor(citation: str) -> str:
    """A name for a glossary's entry, whatever a record cites."""
    return "p-" + sha256(citation.encode()).hexdigest()[:12]


@cache
def _set(character: str) -> str:
    code = ord(character)
    turns = unicodedata.bidirectional(character) in ("R", "AL", "AN")
    # Beyond U+FFFF ReportLab maps glyphs to no text, so that what is copied would be another.
    plain = code in _glyphs() and code <= 0xFFFF and not turns
    return character if plain else code_point(character)


@cache
def _glyphs() -> frozenset[int]:
    return frozenset(TTFontFile(str(_FONT)).charToGlyph)
